//===- Reduction.h - Reductions in canonical order on lanes ------------------===//
//
// How one reduction keeps its state in vectors of lanes, takes terms, and becomes a scalar (docs/arithmetic.md, rules 3
// and 4). Sums keep 16 lanes per chunk; the lanes fold by halves into a total. max and min may take any order.
//
//===----------------------------------------------------------------------===//
#ifndef NOVA_COMPILER_CONVERSION_TILESTOVECTOR_REDUCTION_H
#define NOVA_COMPILER_CONVERSION_TILESTOVECTOR_REDUCTION_H

#include "compiler/conversion/TilesToVector/Frame.h"

namespace nova::codegen {

struct Reduction {
  tile::ReduceKind kind;
  Type element;
  /// max, min of floats by one comparison and a selection per term, which drops NaN (it is noted apart) and may take
  /// either zero. Otherwise the canonical operation.
  bool plain = false;

  bool isSum() const { return kind == tile::ReduceKind::sum; }
  bool isFloat() const { return mlir::isa<mlir::FloatType>(element); }

  /// +0, -inf, +inf; 0, lowest, highest: the result of nothing, in `lanes` lanes.
  Value neutral(Emit &e, int64_t lanes) const;
  /// Two partial results of any equal shape.
  Value combine(Emit &e, Value x, Value y) const;
  /// Lanes folded by halves to a scalar.
  Value fold(Emit &e, Value lanes) const;
  /// The canonical result of max and min from their scalar: NaN made canonical.
  Value finish(Emit &e, Value scalar) const;
};

/// Notes NaN: the state is a vector of integers, 0 where none was seen. `lanes`: of the target's vectors.
Value noNaNSeen(Emit &e, Type element, int64_t lanes);
Value noteNaN(Emit &e, Value state, Value x);
/// An i1: whether NaN was seen.
Value sawNaN(Emit &e, Value state);

/// The one NaN of stored floats.
Value canonicalNaN(Emit &e, Type type);

} // namespace nova::codegen

#endif
