// What the text of graphs cannot say and other programs may build: the verifier refuses it.
// RUN: nova-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{has a type that does not fit its arguments}}
"nova.graph"() <{arg_names = ["x", "y"], clauses = [], function_type = (!nova.tensor<f64[n]>) -> !nova.tensor<f64[n]>, sym_name = "names", type_params = []}> ({
^bb0(%x: !nova.tensor<f64[n]>):
  "nova.return"(%x) : (!nova.tensor<f64[n]>) -> ()
}) : () -> ()

// -----
// expected-error @+1 {{has a type that does not fit its arguments}}
"nova.graph"() <{arg_names = ["x"], clauses = [], function_type = (i64) -> !nova.tensor<f64[]>, sym_name = "argument", type_params = []}> ({
^bb0(%x: i64):
  %c = "nova.constant"() {value = dense<3.0> : tensor<f64>} : () -> !nova.tensor<f64[]>
  "nova.return"(%c) : (!nova.tensor<f64[]>) -> ()
}) : () -> ()

// -----
// expected-error @+1 {{has a result that is no tensor}}
"nova.graph"() <{arg_names = ["x"], clauses = [], function_type = (!nova.tensor<f64[n]>) -> i64, sym_name = "result", type_params = []}> ({
^bb0(%x: !nova.tensor<f64[n]>):
  "nova.return"(%x) : (!nova.tensor<f64[n]>) -> ()
}) : () -> ()

// -----
// expected-error @+1 {{has no argument 1}}
"nova.graph"() <{arg_names = ["x"], bound_args = array<i64: 1>, clauses = [], function_type = (!nova.tensor<f64[n]>) -> !nova.tensor<f64[n]>, sym_name = "bound", type_params = []}> ({
^bb0(%x: !nova.tensor<f64[n]>):
  "nova.return"(%x) : (!nova.tensor<f64[n]>) -> ()
}) : () -> ()

// -----
"nova.graph"() <{arg_names = ["x"], clauses = [], function_type = (!nova.tensor<f64[n]>) -> !nova.tensor<f64[n]>, sym_name = "operation", type_params = []}> ({
^bb0(%x: !nova.tensor<f64[n]>):
  // expected-error @+1 {{operation tile.dim cannot stand in a graph}}
  %d = tile.dim <n> : <i64[]>
  "nova.return"(%x) : (!nova.tensor<f64[n]>) -> ()
}) : () -> ()

// -----
"nova.graph"() <{arg_names = ["x"], clauses = [], function_type = (!nova.tensor<f64[n]>) -> !nova.tensor<f64[n]>, sym_name = "type", type_params = []}> ({
^bb0(%x: !nova.tensor<f64[n]>):
  // expected-error @+1 {{has type f32[n], expected f64[n]}}
  %y = "nova.exp"(%x) : (!nova.tensor<f64[n]>) -> !nova.tensor<f32[n]>
  "nova.return"(%x) : (!nova.tensor<f64[n]>) -> ()
}) : () -> ()

// -----
"nova.graph"() <{arg_names = ["x"], clauses = [], function_type = (!nova.tensor<f64[n]>) -> !nova.tensor<f64[n]>, sym_name = "concat", type_params = []}> ({
^bb0(%x: !nova.tensor<f64[n]>):
  // expected-error @+1 {{expected at least one operand}}
  %y = "nova.concat"() {axis = 0} : () -> !nova.tensor<f64[n]>
  "nova.return"(%x) : (!nova.tensor<f64[n]>) -> ()
}) : () -> ()

// -----
"nova.graph"() <{arg_names = ["x"], clauses = [], function_type = (!nova.tensor<f64[n]>) -> !nova.tensor<f64[n]>, sym_name = "literal", type_params = []}> ({
^bb0(%x: !nova.tensor<f64[n]>):
  // expected-error @+1 {{expected a literal}}
  %y = "nova.constant"() {value = sparse<[[0]], [1.0]> : tensor<2xf64>} : () -> !nova.tensor<f64[2]>
  "nova.return"(%x) : (!nova.tensor<f64[n]>) -> ()
}) : () -> ()

// -----
"nova.graph"() <{arg_names = ["x", "h"], clauses = [], function_type = (!nova.tensor<f64[n]>, !nova.tensor<i1[m, n]>) -> !nova.tensor<f64[1]>, sym_name = "mask", type_params = []}> ({
^bb0(%x: !nova.tensor<f64[n]>, %h: !nova.tensor<i1[m, n]>):
  // expected-error @+1 {{mask operand 2: i1[m, n] is larger than operand 1: f64[n]}}
  %y = "nova.reduce_max"(%x, %h) {axis = 0} : (!nova.tensor<f64[n]>, !nova.tensor<i1[m, n]>) -> !nova.tensor<f64[1]>
  "nova.return"(%y) : (!nova.tensor<f64[1]>) -> ()
}) : () -> ()

// -----
"nova.graph"() <{arg_names = ["x", "h"], clauses = [], function_type = (!nova.tensor<f64[1]>, !nova.tensor<i1[n]>) -> !nova.tensor<f64[1]>, sym_name = "wide_mask", type_params = []}> ({
^bb0(%x: !nova.tensor<f64[1]>, %h: !nova.tensor<i1[n]>):
  // expected-error @+1 {{mask operand 2: i1[n] is larger than operand 1: f64[1]}}
  %y = "nova.reduce_max"(%x, %h) {axis = 0} : (!nova.tensor<f64[1]>, !nova.tensor<i1[n]>) -> !nova.tensor<f64[1]>
  "nova.return"(%y) : (!nova.tensor<f64[1]>) -> ()
}) : () -> ()

// -----
// expected-error @+1 {{expected one of ge, le, eq, gt, lt}}
"nova.graph"() <{arg_names = ["x"], clauses = [#nova.clause<n ne 1>], function_type = (!nova.tensor<f64[n]>) -> !nova.tensor<f64[n]>, sym_name = "clause", type_params = []}> ({
^bb0(%x: !nova.tensor<f64[n]>):
  "nova.return"(%x) : (!nova.tensor<f64[n]>) -> ()
}) : () -> ()
