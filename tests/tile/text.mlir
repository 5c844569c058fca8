// The text of kernels and buffers reads back to itself.
// RUN: nova-opt %s | nova-opt | FileCheck %s

// CHECK-LABEL: tile.storage @state symbols ["d", "m", "t"] : !tile.buffer<f32[d, m + t], panels>
tile.storage @state symbols ["d", "m", "t"] : !tile.buffer<f32[d, m + t], panels>
// CHECK: tile.data @half dense<5.000000e-01> : tensor<1xf64> : !tile.buffer<f32[1], rows>
tile.data @half dense<0.5> : tensor<1xf64> : !tile.buffer<f32[1], rows>

// CHECK: tile.kernel @pack symbols ["d", "m", "t"] rows <m> position <t> block 256 {
tile.kernel @pack symbols ["d", "m", "t"] rows <m> position <t> block 256 {
^bb0(%x: !tile.buffer<f32[m, d], rows>, %p: !tile.buffer<f32[d, m + t], panels>):
  // CHECK: tile.pack %{{.*}} -> %{{.*}} transposed : <f32[m, d], rows> -> <f32[d, m + t], panels>
  tile.pack %x -> %p transposed : <f32[m, d], rows> -> <f32[d, m + t], panels>
}

// CHECK: tile.kernel @rows symbols ["d", "m", "t"] rows <m> position <t> block 48 descending {
tile.kernel @rows symbols ["d", "m", "t"] rows <m> position <t> block 48 descending {
^bb0(%q: !tile.buffer<f32[m, d], rows>, %p: !tile.buffer<f32[d, m + t], panels>, %h: !tile.buffer<i1[1, d], rows>,
     %o: !tile.buffer<f32[m, 1], rows>):
  // CHECK: %[[S:.*]] = tile.scratch : <f32[m, m + t], rows>
  %s = tile.scratch : <f32[m, m + t], rows>
  // CHECK: tile.contract %{{.*}}, %{{.*}} -> %[[S]] hidden %{{.*}} : !tile.buffer<i1[1, d], rows> terms <[t] (d0)[s0] -> (d0 - s0) to (d0)[s0] -> (d0 + 1)> columns <[] (d0) -> () to (d0) -> (d0 + 1) or (d0) -> (5) to (d0) -> (7) if (d0) -> (d0 - 3)> :
  tile.contract %q, %p -> %s hidden %h : !tile.buffer<i1[1, d], rows>
      terms <[t] (d0)[s0] -> (d0 - s0) to (d0)[s0] -> (d0 + 1)>
      columns <[] (d0) -> () to (d0) -> (d0 + 1) or (d0) -> (5) to (d0) -> (7) if (d0) -> (d0 - 3)>
      : <f32[m, d], rows>, <f32[d, m + t], panels> -> <f32[m, m + t], rows>
  // CHECK: tile.pass width <m + t> columns <[]> ins(%[[S]] : {{.*}}) stores() reduces(%{{.*}} : {{.*}}) kinds [#tile.reduce<max>] hide [0] {
  tile.pass width <m + t> columns <[]> ins(%s : !tile.buffer<f32[m, m + t], rows>) stores()
      reduces(%o : !tile.buffer<f32[m, 1], rows>) kinds [#tile.reduce<max>] hide [0] {
  ^bb0(%x: !nova.tensor<f32[]>, %i: !nova.tensor<i64[]>, %j: !nova.tensor<i64[]>):
    tile.yield %x : !nova.tensor<f32[]>
  }
}

// CHECK: tile.kernel @whole
tile.kernel @whole symbols ["m", "n"] rows <m> position <0> block 4096 {
^bb0(%x: !tile.buffer<f64[n, m], rows>, %y: !tile.buffer<f64[m, n], rows>, %z: !tile.buffer<f64[m, 1], rows>):
  // CHECK: tile.map ins(%{{.*}} : {{.*}}) out(%{{.*}} : <f64[m, n], rows>) maps [#{{.*}}] {
  tile.map ins(%x : !tile.buffer<f64[n, m], rows>) out(%y : <f64[m, n], rows>) maps [affine_map<(i, j) -> (j, i)>] {
  ^bb0(%a: !nova.tensor<f64[]>, %i: !nova.tensor<i64[]>, %j: !nova.tensor<i64[]>):
    tile.yield %a : !nova.tensor<f64[]>
  }
  // CHECK: tile.map ins(%{{.*}} : {{.*}}) out(%{{.*}} : <f64[m, n], rows>) maps [#{{.*}}] starts [#nova.dim<n - 1>] part [#nova.dim<m>, #nova.dim<1>] at [#nova.dim<0>, #nova.dim<2>] {
  tile.map ins(%x : !tile.buffer<f64[n, m], rows>) out(%y : <f64[m, n], rows>) maps [affine_map<(i, j)[s] -> (j * 2 + s, i)>]
      starts [#nova.dim<n - 1>] part [#nova.dim<m>, #nova.dim<1>] at [#nova.dim<0>, #nova.dim<2>] {
  ^bb0(%a: !nova.tensor<f64[]>, %i: !nova.tensor<i64[]>, %j: !nova.tensor<i64[]>):
    tile.yield %a : !nova.tensor<f64[]>
  }
  // CHECK: tile.accumulate %{{.*}} axis 0 -> %{{.*}} : <f64[m, n], rows> -> <f64[m, n], rows>
  tile.accumulate %y axis 0 -> %y : <f64[m, n], rows> -> <f64[m, n], rows>
  // CHECK: tile.reduce <sum> %{{.*}} axis 1 -> %{{.*}} : <f64[m, n], rows> -> <f64[m, 1], rows>
  tile.reduce <sum> %y axis 1 -> %z : <f64[m, n], rows> -> <f64[m, 1], rows>
}
