// The lowering of stored graphs to core form: one graph with the graphs that it runs.
#ifndef NOVA_COMPILER_TRANSFORMS_LOWERING_H
#define NOVA_COMPILER_TRANSFORMS_LOWERING_H

#include "compiler/transforms/Batch.h"
#include "compiler/transforms/CoreForm.h"
#include "dialects/graph/Unify.h"
#include <map>

namespace nova {
/// What the words of one graph mean inside the entry graph: its symbols as dims of the entry, its type parameters as
/// types.
struct Words {
  SymbolBindings symbols;
  TypeBindings types;

  // Null when the result leaves the range of dimensions.
  DimAttr dim(DimAttr d) const { return substituteSymbols(d, symbols); }
  mlir::FailureOr<llvm::SmallVector<DimAttr>> dims(mlir::Operation *op, llvm::ArrayRef<mlir::Attribute> list) const {
    llvm::SmallVector<DimAttr> result;
    for (mlir::Attribute attribute : list) {
      result.push_back(dim(llvm::cast<DimAttr>(attribute)));
      if (!result.back())
        return op->emitError("dimension ")
               << toString(llvm::cast<DimAttr>(attribute)) << " is out of range in this call";
    }
    return result;
  }
  mlir::FailureOr<llvm::SmallVector<DimAttr>> dims(mlir::Operation *op, mlir::ArrayAttr list) const {
    return dims(op, list.getValue());
  }
  mlir::Type element(mlir::Type e) const {
    auto param = llvm::dyn_cast<ParamType>(e);
    return param ? types.lookup(param.getName().getValue()) : e;
  }
  TensorType type(TensorType t) const {
    llvm::SmallVector<DimAttr> dims;
    for (DimAttr d : t.getDims())
      dims.push_back(dim(d));
    return TensorType::get(t.getContext(), element(t.getElementType()), dims);
  }
};

/// Where the graphs of scans with a carry go.
struct Bodies {
  mlir::ModuleOp module;
  GraphOp entry; // its symbols and clauses hold in them
  unsigned count = 0;
};

class Lowering {
public:
  Lowering(mlir::OpBuilder &builder, const Facts &facts, Bodies &bodies)
      : core(builder, facts), facts(facts), bodies(bodies) {}
  /// The results of a graph, and in `env` all its values. `depth`: the scans around the graph (Batch.h).
  mlir::FailureOr<llvm::SmallVector<MaskedValue>> body(GraphOp graph, const Words &words,
                                                       llvm::ArrayRef<MaskedValue> arguments,
                                                       llvm::DenseMap<mlir::Value, MaskedValue> &env, unsigned depth);
  /// Never 0.
  unsigned identify(const MaskedValue &value);
  CoreBuilder core;

private:
  mlir::FailureOr<MaskedValue> value(mlir::Operation *op, const Words &words, llvm::ArrayRef<MaskedValue> operands,
                                     const Batch &batch);
  mlir::FailureOr<MaskedValue> layout(mlir::Operation *op, const Words &words, llvm::ArrayRef<MaskedValue> operands,
                                      const Batch &batch);
  mlir::FailureOr<MaskedValue> gather(GatherOp op, llvm::ArrayRef<MaskedValue> operands);
  mlir::LogicalResult invoke(Invocation op, llvm::DenseMap<mlir::Value, MaskedValue> &env, const Batch &batch);
  mlir::LogicalResult repeat(ScanOp op, GraphOp callee, const Words &inner, llvm::ArrayRef<MaskedValue> arguments,
                             llvm::DenseMap<mlir::Value, MaskedValue> &env, const Batch &batch);

  const Facts &facts;
  Bodies &bodies;
  // `low` is recognised by the identity of its operand, which must not depend on how often an expression is written:
  // equal core values with equal regions are one.
  std::map<std::vector<uint64_t>, unsigned> identities;
};

/// Weak numbers round to what they meet, but a whole number that is known stays what it is, and a number that is
/// written is neither infinite nor zero unless it says so.
mlir::LogicalResult checkMeeting(mlir::Operation *at, mlir::Value stored, const MaskedValue &value, mlir::Type element);

/// Removes the operations whose results nobody reads, from the end: everything in a graph is pure.
void eraseDead(GraphOp graph);

/// Gives a core-form graph its return, under these names where the values have none; guards what may fail and removes
/// what is not used.
void closeGraph(GraphOp graph, CoreBuilder &core, mlir::Location loc, llvm::ArrayRef<mlir::Value> values,
                llvm::ArrayRef<mlir::Type> types, llvm::ArrayRef<std::string> names);
} // namespace nova

#endif
