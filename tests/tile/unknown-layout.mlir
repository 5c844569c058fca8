// RUN: not nova-opt %s 2>&1 | FileCheck %s
// CHECK: unknown-layout.mlir:3:{{.*}}: error: expected a layout: rows, panels or pages, found 'columns'
tile.storage @state symbols ["d"] : !tile.buffer<f32[d], columns>
