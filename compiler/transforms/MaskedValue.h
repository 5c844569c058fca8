// A value of the core form with the regions that a mask hides (rule 6), and how operations transfer them.
#ifndef NOVA_COMPILER_TRANSFORMS_MASKEDVALUE_H
#define NOVA_COMPILER_TRANSFORMS_MASKEDVALUE_H

#include "compiler/transforms/Scalar.h"
#include "dialects/graph/NovaDialect.h"
#include "mlir/IR/Builders.h"
#include <memory>
#include <optional>
#include <unordered_map>

namespace nova {
/// Entries where `mask` (i1, broadcastable to the value) is true. With a fill they ARE the fill; without one they are
/// what the value's `plain` form says there (the region of a `low`), which is only computed when someone looks.
struct Region {
  mlir::Value mask;
  std::optional<Scalar> fill;
  bool inData = false;                           // the data already hold the fill there
  std::optional<int64_t> lowAxis = std::nullopt; // on the region of a `low` itself: the axis it is the least entry of
};

/// Regions are ordered: where two overlap, the earlier one holds. Outside all regions the value is `data`.
struct MaskedValue {
  mlir::Value data;
  llvm::SmallVector<Region, 2> regions;
  /// Set with a deferred region: the same value with every deferred region computed (constant regions stay).
  std::shared_ptr<MaskedValue> plain;
  /// Set when every entry outside the regions is this constant.
  std::optional<Scalar> constant;
  /// Set on the result of reduce_min: the identity of its operand and the axis it kept.
  std::optional<std::pair<unsigned, int64_t>> lowOf;
  unsigned identity = 0;

  bool hasDeferred() const { return plain != nullptr; }
};

inline llvm::ArrayRef<DimAttr> dimsOf(const MaskedValue &value) {
  return llvm::cast<TensorType>(value.data.getType()).getDims();
}

/// The place of an op that the text does not have: it takes no name from it.
mlir::Location unnamed(mlir::Location loc);

/// Builds core ops: equal ops become one value, element types meet by explicit casts, masks are transferred.
/// Diagnostics go to the location given; a null Value or failure means that one was emitted.
class CoreBuilder {
public:
  CoreBuilder(mlir::OpBuilder &builder, const Facts &facts) : b(builder), facts(facts) {}

  /// Creates (or finds) an op by name on plain values.
  mlir::Value create(mlir::Location loc, llvm::StringRef op, mlir::ValueRange operands,
                     llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  mlir::Value constant(mlir::Location loc, const Scalar &value);
  mlir::Value cast(mlir::Location loc, mlir::Value value, mlir::Type element);
  MaskedValue castMasked(mlir::Location loc, const MaskedValue &value, mlir::Type element);

  /// The value as a plain one: fills written, deferred regions computed.
  mlir::Value materialize(mlir::Location loc, const MaskedValue &value);

  MaskedValue elementwise(mlir::Location loc, llvm::StringRef op, llvm::ArrayRef<MaskedValue> operands);
  MaskedValue where(mlir::Location loc, const MaskedValue &condition, const MaskedValue &onTrue,
                    const MaskedValue &onFalse);
  MaskedValue transpose(mlir::Location loc, const MaskedValue &value, mlir::DenseI64ArrayAttr permutation);
  MaskedValue broadcast(mlir::Location loc, const MaskedValue &value, llvm::ArrayRef<DimAttr> dims);
  MaskedValue reshape(mlir::Location loc, const MaskedValue &value, llvm::ArrayRef<DimAttr> dims);
  /// `step` may be null: 1.
  MaskedValue slice(mlir::Location loc, const MaskedValue &value, int64_t axis, DimAttr from, DimAttr size,
                    mlir::IntegerAttr step);
  /// `batch`: the first axes that both have in common.
  MaskedValue gather(mlir::Location loc, const MaskedValue &value, mlir::Value indices, int64_t axis, int64_t batch);
  MaskedValue concat(mlir::Location loc, llvm::ArrayRef<MaskedValue> parts, int64_t axis);
  /// Joins with `low` and `high` entries that are `scalar`.
  MaskedValue pad(mlir::Location loc, const MaskedValue &value, mlir::Value scalar, int64_t axis, DimAttr low,
                  DimAttr high);
  MaskedValue reduce(mlir::Location loc, llvm::StringRef op, const MaskedValue &value, int64_t axis, bool drop);
  MaskedValue cumulativeSum(mlir::Location loc, const MaskedValue &value, mlir::IntegerAttr axis);
  MaskedValue matmul(mlir::Location loc, const MaskedValue &lhs, const MaskedValue &rhs);

  mlir::OpBuilder &b;

private:
  const Facts &facts;
  std::unordered_multimap<size_t, mlir::Operation *> known;

  /// The same value where it has these dims.
  mlir::Value broadcastTo(mlir::Location loc, mlir::Value value, llvm::ArrayRef<DimAttr> dims);
  mlir::Value reshapeTo(mlir::Location loc, mlir::Value value, llvm::ArrayRef<DimAttr> dims);
  /// A value whose entries go to other places, with its regions, also in its plain form.
  MaskedValue moved(const MaskedValue &value, llvm::function_ref<mlir::Value(mlir::Value)> moveData,
                    llvm::function_ref<void(Region &)> moveRegion);
  mlir::Value logical(mlir::Location loc, llvm::StringRef op, mlir::Value a, mlir::Value b);
  mlir::Value invert(mlir::Location loc, mlir::Value mask);
  /// Makes the constant regions disjoint: each loses what an earlier one holds.
  void separate(mlir::Location loc, MaskedValue &value);
  /// `data` with the constant regions written in, except those that `keep` says stay regions.
  void settle(mlir::Location loc, MaskedValue &value, llvm::function_ref<bool(const Region &)> keep);
  /// Splits a value for an op that skips `neutral` fills: the data to read and the mask to skip (null: none).
  std::pair<mlir::Value, mlir::Value> skip(mlir::Location loc, const MaskedValue &value,
                                           llvm::function_ref<bool(const Region &)> neutral);
};
} // namespace nova

#endif
