// A contraction that a library tile may carry names its second factor as it lies before it is packed.
// REQUIRES: nova
// RUN: nova-opt %s | nova-opt | FileCheck %s

// CHECK: tile.kernel @product
tile.kernel @product symbols ["c", "k", "m"] rows <m> position <0> block 64 {
^bb0(%a: !tile.buffer<f32[m, k], rows>, %p: !tile.buffer<f32[k, c], pages>, %b: !tile.buffer<f32[k, c], rows>,
     %o: !tile.buffer<f32[m, c], rows>):
  // CHECK: tile.contract %[[A:.*]], %{{.*}} -> %{{.*}} plain %{{.*}} : !tile.buffer<f32[k, c], rows> : <f32[m, k], rows>, <f32[k, c], pages> -> <f32[m, c], rows>
  tile.contract %a, %p -> %o plain %b : !tile.buffer<f32[k, c], rows>
      : <f32[m, k], rows>, <f32[k, c], pages> -> <f32[m, c], rows>
}
