//===- PassBody.h - The loops of one pass over one row -----------------------===//
//
// Columns run in steps of 16 lanes (the lanes of canonical sums), in chunks of 256 where there is a sum. The last,
// partial step is masked where a lane too many would be seen: in reductions and in global memory. So is the first,
// where columns do not begin at a multiple of 16.
//
//===----------------------------------------------------------------------===//
#ifndef NOVA_COMPILER_CONVERSION_TILESTOVECTOR_PASSBODY_H
#define NOVA_COMPILER_CONVERSION_TILESTOVECTOR_PASSBODY_H

#include "compiler/conversion/TilesToVector/ColumnRange.h"
#include "compiler/conversion/TilesToVector/FastPlan.h"
#include "compiler/conversion/TilesToVector/Reduction.h"

namespace nova::codegen {

/// One value of the region, accumulated over the visible columns of a row.
struct Accumulator {
  Reduction reduction;
  Value value;
  Value hiddenBy; ///< an i1 of the region that hides a term, or null
  bool notesNaN = false;
};

/// Tables of constants by element type; null where no exp needs one.
using Tables = llvm::DenseMap<Type, const ConstantTable *>;

/// How the arithmetic of a step is emitted: as written; with the fast exps and quotients of a FastPlan; the same with
/// products by exact reciprocals.
enum class Variant { general, corrected, powers };

class PassBody {
public:
  /// Over these columns of the row.
  PassBody(Frame &f, tile::PassOp pass, const Region &region, const FastPlan &plan, Value row, ColumnRange &range,
           const Tables &tables);

  /// Emits all loops. Gives for every accumulator a scalar (before Reduction::finish), then for every one that
  /// notes NaN an i1 that tells whether one was seen.
  Values emit(Variant variant, ArrayRef<Accumulator> accumulators);

  /// True if a visible entry of an input has exactly these bits.
  Value contains(mlir::BlockArgument input, uint64_t bits);

private:
  /// Columns of the row that lie together.
  struct Span {
    Columns columns;
    /// Whether the first step may be partial.
    bool headed;
    /// Where that is, where whole steps begin, and where the last step is that may be partial.
    Value head, whole, tail;
    /// Whether the first step is partial (null: never), and whether the last is and is not the first one.
    Value headIsPartial, tailIsPartial;
  };
  struct Plan {
    Variant variant;
    ArrayRef<Accumulator> accumulators;
    mlir::Operation *split = nullptr; ///< the exp between the two loops over a chunk
    SmallVector<mlir::Operation *> ops, opsBeforeSplit;
    bool masked = false;      ///< partial steps need a mask
    bool loadsMasked = false; ///< also where it only loads
  };
  Plan makePlan(Variant variant, ArrayRef<Accumulator> accumulators);
  ValueMap load(ArrayRef<mlir::Operation *> ops, ValueRange roots, Value column, Value mask);
  void compute(ArrayRef<mlir::Operation *> ops, Variant variant, ValueMap &computed);
  Value computeOp(mlir::Operation *op, Variant variant, const ValueMap &computed);
  Values stepBeforeSplit(const Plan &plan, Value column, Value line, Value mask);
  void polynomials(const Plan &plan, Value from, Value to);
  Value exponentialAfterSplit(const Plan &plan, Value line);
  Values step(const Plan &plan, Value column, Value line, Value mask, ValueRange state);
  void storeResults(const ValueMap &computed, Value column, Value mask);
  Values steps(const Plan &plan, const Span &span, Value from, Value limit, Values state, bool beforeSplit = false);
  Value maskOf(const Span &span, Value column);
  Value lanes(Value x, const ValueMap &computed) const { return region.lanes(x, computed, sumLanes); }
  bool isNormal(const Plan &what) const { return what.variant != Variant::general && plan.hasFastExp(what.split); }
  SequenceBuilder sequence(mlir::Operation *op, bool isFast) const;

  Frame &f;
  Emit &e;
  tile::PassOp pass;
  const Region &region;
  const FastPlan &plan;
  const Tables &tables;
  Value row;
  SmallVector<Span> spans;
  Columns all; ///< from the first column to the last
};

} // namespace nova::codegen

#endif
