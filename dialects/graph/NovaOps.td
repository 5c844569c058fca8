#ifndef NOVA_OPS_TD
#define NOVA_OPS_TD

include "dialects/graph/NovaDialect.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Nova_ValueOpInterface : OpInterface<"ValueOp"> {
  let cppNamespace = "::nova";
  let description = [{ An op with one tensor result whose type follows from its operands and attributes. }];
  let methods = [StaticInterfaceMethod<
      "The result type for these operand types and attributes, or an error through `context`.",
      "::llvm::FailureOr<::nova::TensorType>", "infer", (ins "const ::nova::InferContext &":$context)>];
}

def Nova_ReductionOpInterface : OpInterface<"ReductionOp"> {
  let cppNamespace = "::nova";
  let description = [{ A reduction over one axis. }];
  let methods = [
    InterfaceMethod<"The value to reduce.", "::mlir::Value", "getOperand">,
    InterfaceMethod<"The i1 mask of the entries to skip, or null.", "::mlir::Value", "getHidden">,
    InterfaceMethod<"The axis reduced over.", "uint64_t", "getAxis">,
    InterfaceMethod<"Whether the result lacks the axis; else it has size 1.", "bool", "getDrop">
  ];
}

def Nova_InvocationInterface : OpInterface<"Invocation"> {
  let cppNamespace = "::nova";
  let description = [{ An op that runs another graph: `call`, `scan`. Its operands are the graph's arguments in order. }];
  let methods = [
    InterfaceMethod<"The name of the graph.", "::llvm::StringRef", "getCallee">,
    InterfaceMethod<"The same as an attribute.", "::mlir::FlatSymbolRefAttr", "getCalleeAttr">,
    InterfaceMethod<"How many of the first operands, and whether the results, have a leading axis along which the graph runs once per entry.",
                    "unsigned", "getNumScanned">,
    InterfaceMethod<"How many operands, and as many of the last results, are handed from one run of the graph to the next.",
                    "unsigned", "getNumCarried">
  ];
}

// What Traits.h says.
class Nova_Trait<string name> : NativeOpTrait<name> { let cppNamespace = "::nova"; }
def Nova_Elementwise : Nova_Trait<"Elementwise">;
def Nova_Comparison : Nova_Trait<"Comparison">;
def Nova_Costly : Nova_Trait<"Costly">;

// Every op that computes a value: operands are written without types, the result type follows from `infer`, and the
// name of the value in the text is kept in its location.
class Nova_Op<string mnemonic, list<Trait> traits = []>
    : Op<Nova_Dialect, mnemonic, !listconcat([Pure, OpAsmOpInterface, DeclareOpInterfaceMethods<Nova_ValueOpInterface>], traits)> {
  let hasCustomAssemblyFormat = 1;
  let results = (outs Nova_TensorType:$result);
  // What follows the operands in the text; see OpText.h.
  code parser = "parsePlain";
  code printer = "printPlain";
  // The shape and type rule of Shapes.h; empty for an op that defines `infer` itself.
  string rule = "";
  code baseDeclaration = [{
    void getAsmResultNames(::mlir::OpAsmSetValueNameFn set) { ::nova::setResultNames(getOperation(), set); }
    static ::llvm::StringRef getDefaultDialect() { return "nova"; }
  }];
  let extraClassDeclaration = baseDeclaration;
  let extraClassDefinition = [{
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &p, ::mlir::OperationState &s) {
      return ::nova::parseValueOp(p, s, ::nova::}] # parser # [{, &$cppClass::infer);
    }
    void $cppClass::print(::mlir::OpAsmPrinter &p) { ::nova::}] # printer # [{(getOperation(), p); }
  }] # !if(!empty(rule), "", [{
    ::llvm::FailureOr<::nova::TensorType> $cppClass::infer(const ::nova::InferContext &context) {
      return ::nova::}] # rule # [{(context);
    }
  }]);
}

class Nova_Unary<string mnemonic, string shape, list<Trait> traits = []>
    : Nova_Op<mnemonic, !listconcat([Nova_Elementwise], traits)> {
  let arguments = (ins Nova_TensorType:$operand);
  let rule = shape;
}
class Nova_Binary<string mnemonic, string shape, list<Trait> traits = []>
    : Nova_Op<mnemonic, !listconcat([Nova_Elementwise], traits)> {
  let arguments = (ins Nova_TensorType:$lhs, Nova_TensorType:$rhs);
  let rule = shape;
}
class Nova_Compare<string mnemonic> : Nova_Binary<mnemonic, "inferComparison", [Nova_Comparison]>;
class Nova_Reduce<string mnemonic, string shape = "inferReduction">
    : Nova_Op<mnemonic, [DeclareOpInterfaceMethods<Nova_ReductionOpInterface>]> {
  let description = [{
    Reduces over `axis`, which keeps size 1 unless `drop` is given. Core form only: entries where `hidden` (broadcast to
    the operand) is true are skipped.
  }];
  let arguments = (ins Nova_TensorType:$operand, Optional<Nova_TensorType>:$hidden, I64Attr:$axis, UnitAttr:$drop);
  let rule = shape;
  let parser = "parseReduce";
  let printer = "printReduce";
}

def Nova_GraphOp : Op<Nova_Dialect, "graph", [Symbol, IsolatedFromAbove, SingleBlock, OpAsmOpInterface]> {
  let summary = "A named function over tensors";
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       TypedArrayAttrBase<Nova_TypeParamAttr, "type parameters">:$type_params,
                       TypedArrayAttrBase<Nova_ClauseAttr, "where clauses">:$clauses,
                       StrArrayAttr:$arg_names, OptionalAttr<DenseI64ArrayAttr>:$bound_args, OptionalAttr<StrAttr>:$doc);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    static ::llvm::StringRef getDefaultDialect() { return "nova"; }
    ::mlir::FunctionType getFunctionTypeValue() { return ::llvm::cast<::mlir::FunctionType>(getFunctionType()); }
    ::mlir::Block &getBlock() { return getBody().front(); }
    ::nova::ReturnOp getReturn();
    ::nova::TensorType getArgumentType(unsigned i);
    ::nova::TensorType getResultType(unsigned i);
    unsigned getNumGraphArguments() { return getFunctionTypeValue().getNumInputs(); }
    unsigned getNumGraphResults() { return getFunctionTypeValue().getNumResults(); }
    ::llvm::StringRef getArgName(unsigned i) { return ::llvm::cast<::mlir::StringAttr>(getArgNames()[i]).getValue(); }
    /// Whether argument `i` is marked `param`: bound once, when a module is instantiated.
    bool isParam(unsigned i) { return getBoundArgs() && ::llvm::is_contained(*getBoundArgs(), int64_t(i)); }
    /// The name of the value returned there, or `result2` when it has none but a number.
    std::string getResultName(unsigned i);
    void getAsmBlockArgumentNames(::mlir::Region &region, ::mlir::OpAsmSetValueNameFn set);
  }];
}

def Nova_ReturnOp : Op<Nova_Dialect, "return", [Terminator, HasParent<"GraphOp">, Pure]> {
  let summary = "The results of a graph";
  let arguments = (ins Variadic<Nova_TensorType>:$values);
  let hasCustomAssemblyFormat = 1;
}

def Nova_ConstantOp : Nova_Op<"constant", [ConstantLike]> {
  let summary = "A literal: a weak scalar, or with a type a tensor";
  let description = [{ `value` holds f64, i64 or i1 elements: the numbers as written. They round to the type once. }];
  let arguments = (ins ElementsAttr:$value, OptionalAttr<TypeAttr>:$declared);
  let parser = "parseConstant";
  let printer = "printConstant";
  let hasFolder = 1;
}

def Nova_SizeOp : Nova_Op<"size"> {
  let summary = "The size of an axis, as an exact integer weak scalar";
  let arguments = (ins Nova_TensorType:$operand, I64Attr:$axis);
  let parser = "parseAxis";
  let printer = "printAxis";
}

def Nova_IotaOp : Nova_Op<"iota"> {
  let summary = "The position along an axis, i64; `from` (derived graphs) is added to it";
  let arguments = (ins I64Attr:$axis, ArrayAttr:$dims, OptionalAttr<Nova_DimAttr>:$from);
  let parser = "parseIota";
  let printer = "printIota";
}

def Nova_DimValueOp : Nova_Op<"dim_value"> {
  let summary = "Core form: the value of a dimension expression, i64 scalar (what `size` becomes)";
  let arguments = (ins Nova_DimAttr:$dim);
  let parser = "parseDimValue";
  let printer = "printDimValue";
}

def Nova_CastOp : Nova_Op<"cast", [Nova_Elementwise]> {
  let summary = "Conversion to another element type, rounding once";
  let arguments = (ins Nova_TensorType:$operand, TypeAttr:$to);
  let parser = "parseCast";
  let printer = "printCast";
}

def Nova_TransposeOp : Nova_Op<"transpose"> {
  let summary = "Permutes the axes; without a list it reverses them";
  let arguments = (ins Nova_TensorType:$operand, DenseI64ArrayAttr:$permutation);
  let parser = "parseTranspose";
  let printer = "printTranspose";
}

def Nova_Dims : TypedArrayAttrBase<Nova_DimAttr, "dimensions">;

def Nova_ReshapeOp : Nova_Op<"reshape"> {
  let summary = "The same entries in row-major order under another shape, whose number of entries is proved equal";
  let arguments = (ins Nova_TensorType:$operand, Nova_Dims:$dims);
  let parser = "parseShape";
  let printer = "printShape";
}

def Nova_BroadcastOp : Nova_Op<"broadcast", [Nova_Elementwise]> {
  let summary = "Repeats entries along axes of size 1 and along new leading axes, to the shape written";
  let arguments = (ins Nova_TensorType:$operand, Nova_Dims:$dims);
  let parser = "parseShape";
  let printer = "printShape";
}

def Nova_ConcatOp : Nova_Op<"concat"> {
  let summary = "Joins tensors along an axis; in derived graphs also a state and its new rows";
  let arguments = (ins Variadic<Nova_TensorType>:$operands, I64Attr:$axis);
  let parser = "parseConcat";
  let printer = "printAxis";
}

def Nova_SliceOp : Nova_Op<"slice"> {
  let summary = "`size` entries of an axis, from the entry `from` on, each `step` (absent: 1) after the last";
  let description = [{ Proved to lie within the axis: 0 <= from, 0 <= size, from + (size - 1) * step + 1 <= dim. }];
  let arguments = (ins Nova_TensorType:$operand, I64Attr:$axis, Nova_DimAttr:$from, Nova_DimAttr:$size,
                       OptionalAttr<I64Attr>:$step);
  let parser = "parseSlice";
  let printer = "printSlice";
  let extraClassDeclaration = baseDeclaration # [{
    int64_t stepOrOne() { return getStep().value_or(1); }
  }];
}

def Nova_PadOp : Nova_Op<"pad"> {
  let summary = "`low` entries before and `high` entries after an axis, all of them `value`; the core form joins instead";
  let arguments = (ins Nova_TensorType:$operand, Nova_TensorType:$value, I64Attr:$axis, Nova_DimAttr:$low,
                       Nova_DimAttr:$high);
  let parser = "parsePad";
  let printer = "printPad";
}

def Nova_GatherOp : Nova_Op<"gather"> {
  let summary = "Entries along an axis by their indices, whose axes take the place of that axis";
  let description = [{
    An index that is wanted and outside 0 .. dim - 1 is an error of the whole run. Core form only: the first `batch` axes
    of both are those of scans around it, where each entry has its own table and indices; a size of 1 is repeated.
  }];
  let arguments = (ins Nova_TensorType:$operand, Nova_TensorType:$indices, I64Attr:$axis, OptionalAttr<I64Attr>:$batch);
  let parser = "parseGather";
  let printer = "printGather";
  let extraClassDeclaration = baseDeclaration # [{
    int64_t batchOrZero() { return getBatch().value_or(0); }
  }];
}

def Nova_CumulativeSumOp : Nova_Op<"cumulative_sum"> {
  let summary = "Entry i is the sum of the entries up to i along the axis, added in order from +0";
  let description = [{ Core form only: entries where `hidden` (broadcast to the operand) is true are skipped. }];
  let arguments = (ins Nova_TensorType:$operand, Optional<Nova_TensorType>:$hidden, I64Attr:$axis);
  let parser = "parseReduce";
  let printer = "printReduce";
}

def Nova_NegateOp : Nova_Unary<"negate", "inferNumber">;
def Nova_AbsOp : Nova_Unary<"abs", "inferNumber">;
def Nova_FloorOp : Nova_Unary<"floor", "inferFloat">;
def Nova_ExpOp : Nova_Unary<"exp", "inferFloat", [Nova_Costly]>;
def Nova_SinOp : Nova_Unary<"sin", "inferFloat", [Nova_Costly]>;
def Nova_CosOp : Nova_Unary<"cos", "inferFloat", [Nova_Costly]>;
def Nova_ErfOp : Nova_Unary<"erf", "inferFloat", [Nova_Costly]>;
def Nova_LogOp : Nova_Unary<"log", "inferFloat", [Nova_Costly]>;
def Nova_SqrtOp : Nova_Unary<"sqrt", "inferFloat", [Nova_Costly]>;
def Nova_RsqrtOp : Nova_Unary<"rsqrt", "inferFloat", [Nova_Costly]>;
def Nova_SigmoidOp : Nova_Unary<"sigmoid", "inferFloat", [Nova_Costly]>;
def Nova_TanhOp : Nova_Unary<"tanh", "inferFloat", [Nova_Costly]>;
def Nova_NotOp : Nova_Unary<"not", "inferFlag">;
def Nova_AddOp : Nova_Binary<"add", "inferArithmetic">;
def Nova_SubtractOp : Nova_Binary<"subtract", "inferArithmetic">;
def Nova_MultiplyOp : Nova_Binary<"multiply", "inferArithmetic">;
def Nova_MaxOp : Nova_Binary<"max", "inferArithmetic">;
def Nova_MinOp : Nova_Binary<"min", "inferArithmetic">;
def Nova_DivideOp : Nova_Binary<"divide", "inferQuotient", [Nova_Costly]>;
def Nova_PowerOp : Nova_Binary<"power", "inferPower", [Nova_Costly]>;
def Nova_EqualOp : Nova_Compare<"equal">;
def Nova_NotEqualOp : Nova_Compare<"not_equal">;
def Nova_LessOp : Nova_Compare<"less">;
def Nova_LessEqualOp : Nova_Compare<"less_equal">;
def Nova_GreaterOp : Nova_Compare<"greater">;
def Nova_GreaterEqualOp : Nova_Compare<"greater_equal">;
def Nova_AndOp : Nova_Binary<"and", "inferLogical">;
def Nova_OrOp : Nova_Binary<"or", "inferLogical">;

def Nova_WhereOp : Nova_Op<"where", [Nova_Elementwise]> {
  let summary = "Selects the first value where the condition holds, else the second";
  let arguments = (ins Nova_TensorType:$condition, Nova_TensorType:$onTrue, Nova_TensorType:$onFalse);
}

def Nova_ReduceSumOp : Nova_Reduce<"reduce_sum">;
def Nova_ReduceMaxOp : Nova_Reduce<"reduce_max">;
def Nova_ReduceMinOp : Nova_Reduce<"reduce_min">;
def Nova_ArgmaxOp : Nova_Reduce<"argmax", "inferArgmax">;

def Nova_MatmulOp : Nova_Op<"matmul", [AttrSizedOperandSegments]> {
  let summary = "Contraction of the last axis of the first with the last but one of the second; axes before are broadcast";
  let description = [{ Core form only: terms whose left or right factor is hidden are skipped. }];
  let arguments = (ins Nova_TensorType:$lhs, Nova_TensorType:$rhs, Optional<Nova_TensorType>:$lhsHidden,
                       Optional<Nova_TensorType>:$rhsHidden);
  let parser = "parseMatmul";
  let printer = "printMatmul";
}

def Nova_CallOp : Op<Nova_Dialect, "call", [OpAsmOpInterface, Pure, DeclareOpInterfaceMethods<Nova_InvocationInterface>]> {
  let summary = "Runs another graph; `call @f(%a, %b) : f64[n, n]`";
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Nova_TensorType>:$operands);
  let results = (outs Variadic<Nova_TensorType>:$results);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    void getAsmResultNames(::mlir::OpAsmSetValueNameFn set) { ::nova::setResultNames(getOperation(), set); }
  }];
}

def Nova_ScanOp : Op<Nova_Dialect, "scan", [OpAsmOpInterface, Pure, AttrSizedOperandSegments,
                                            DeclareOpInterfaceMethods<Nova_InvocationInterface>]> {
  let summary = "Runs another graph once per entry of a leading axis; `scan @f over(%a) with(%w) carry(%h) : f64[H, n], f64[n]`";
  let description = [{
    The graph gets an entry of each value of `over`, the values of `with` whole, and those of `carry`: at first the
    operands, then what the run before it returned as its last results. Its other results are stacked; after them come
    the carries of the last run.

    Core form: only with a carry, and the graph belongs to this op alone. In derived graphs `states` (core form only) are
    entered like `over`, and the last results of the graph, stacked like the others, are their new values.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Nova_TensorType>:$over, Variadic<Nova_TensorType>:$whole,
                       Variadic<Nova_TensorType>:$carry, Variadic<Nova_TensorType>:$states);
  let results = (outs Variadic<Nova_TensorType>:$results);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    void getAsmResultNames(::mlir::OpAsmSetValueNameFn set) { ::nova::setResultNames(getOperation(), set); }
    /// The results that are not carries or states: one entry per run.
    ::mlir::ResultRange getStacked() { return getResults().drop_back(getCarry().size() + getStates().size()); }
    /// The carries after the last run.
    ::mlir::ResultRange getCarried() { return getResults().drop_back(getStates().size()).take_back(getCarry().size()); }
    /// How often the graph runs.
    ::nova::DimAttr getCount();
    /// The graph that it runs, looked up in the module around it.
    ::nova::GraphOp getBody();
  }];
}

#endif
