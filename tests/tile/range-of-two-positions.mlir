// A range has bounds in one position and as many symbols as it names sizes.
// RUN: not nova-opt %s 2>&1 | FileCheck %s
// CHECK: range-of-two-positions.mlir:8:43: error: {{.*}}expected a map of one position with a symbol for each size (1), found 2 positions and 0 symbols

tile.kernel @rows symbols ["d", "m"] rows <m> position <0> block 48 {
^bb0(%a: !tile.buffer<f32[m, d], rows>, %p: !tile.buffer<f32[d, d], panels>):
  %s = tile.scratch : <f32[m, d], rows>
  tile.contract %a, %p -> %s columns <[d] (i, j) -> () to (i, j) -> (j)> : <f32[m, d], rows>, <f32[d, d], panels> -> <f32[m, d], rows>
}
