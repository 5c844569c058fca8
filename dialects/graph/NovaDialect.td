#ifndef NOVA_DIALECT_TD
#define NOVA_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"

def Nova_Dialect : Dialect {
  let name = "nova";
  let cppNamespace = "::nova";
  let summary = "Typed graphs of small operations with symbolic sizes";
  let description = [{
    The stored form (what a `.nova` file says) and the core form (what the interpreter and the backends execute) of a
    graph. See Rationale.md.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

class Nova_Type<string name, string typeMnemonic> : TypeDef<Nova_Dialect, name> { let mnemonic = typeMnemonic; }
class Nova_Attr<string name, string attrMnemonic> : AttrDef<Nova_Dialect, name> { let mnemonic = attrMnemonic; }

def Nova_DimAttr : Nova_Attr<"Dim", "dim"> {
  let summary = "A dimension: an integer polynomial over symbols, in normal form";
  let description = [{
    `atoms` are the symbols (StringAttr) that occur, sorted by name. `terms` is flat: for every term its coefficient,
    then the exponent of each atom. Terms are sorted by exponents, highest first; no coefficient is 0. Two polynomials
    are equal for every size exactly when their attributes are equal. Built by the functions of Dim.h only.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::Attribute">:$atoms, ArrayRefParameter<"int64_t">:$terms);
  let hasCustomAssemblyFormat = 1;
}

def Nova_ClauseAttr : Nova_Attr<"Clause", "clause"> {
  let summary = "One `where` clause: a relation of two dimensions that callers promise";
  let parameters = (ins "::nova::DimAttr":$lhs, "::mlir::StringAttr":$relation, "::nova::DimAttr":$rhs);
  let hasCustomAssemblyFormat = 1;
}

def Nova_TypeParamAttr : Nova_Attr<"TypeParam", "type_param"> {
  let summary = "An element-type parameter of a graph: name, kind (`float` or `int`) and default";
  let parameters = (ins "::mlir::StringAttr":$name, "::mlir::StringAttr":$kind, "::mlir::Type":$fallback);
  let assemblyFormat = "`<` $name `,` $kind `,` $fallback `>`";
}

def Nova_TensorType : Nova_Type<"Tensor", "tensor"> {
  let summary = "A dense tensor: element type and symbolic dimensions; written `f64[n, d]` in graphs";
  let parameters = (ins "::mlir::Type":$elementType, ArrayRefParameter<"::nova::DimAttr">:$dims);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getDims().size(); }
    TensorType withElementType(::mlir::Type element) const { return get(getContext(), element, getDims()); }
    TensorType withDims(::llvm::ArrayRef<DimAttr> dims) const { return get(getContext(), getElementType(), dims); }
    /// True for the weak scalars: `size` and bare literals, and arithmetic among them.
    bool isWeak() const;
  }];
}

def Nova_ParamType : Nova_Type<"Param", "param"> {
  let summary = "An element-type parameter (`T`) inside a generic graph";
  let parameters = (ins "::mlir::StringAttr":$name);
  let assemblyFormat = "`<` $name `>`";
}

def Nova_WeakIntType : Nova_Type<"WeakInt", "weak_int"> { let summary = "Element type of exact integer weak scalars"; }
def Nova_WeakFloatType : Nova_Type<"WeakFloat", "weak_float"> { let summary = "Element type of f64 weak scalars"; }

#endif
