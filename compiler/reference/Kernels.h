//===- Kernels.h - Operations on whole tensors -------------------------------===//
//
// Each operation of a core-form graph on dense tensors, by the rules of docs/arithmetic.md. Plain C++ without MLIR,
// built for x86-64-v3 so that no math library is called. Operands have the element types that the graph's verifier
// demands, and `shape` arguments are the result's sizes, to which operands broadcast. Pure functions, thread-safe; they
// throw std::bad_alloc when a result does not fit into memory.
//
//===----------------------------------------------------------------------===//
#ifndef NOVA_COMPILER_REFERENCE_KERNELS_H
#define NOVA_COMPILER_REFERENCE_KERNELS_H

#include "compiler/reference/Tensor.h"

#include <optional>
#include <string_view>

namespace nova::reference {

enum class Reduction { Sum, Max, Min };

/// The elementwise operation of this name in the text of graphs ("exp", "add", "less"), except where and cast. Operands
/// have one element type. Nothing when there is no such operation on that type. An integer "divide" needs divisors that
/// zeroDivisor has looked at.
std::optional<Tensor> elementwise(std::string_view op, const std::vector<const Tensor *> &operands, const Shape &shape);

/// The index of the first entry of an integer quotient of `shape` whose divisor is zero; none for floats.
std::optional<Shape> zeroDivisor(const Tensor &divisor, const Shape &shape);

/// Entries of `onTrue` where the i1 `condition` holds, else of `onFalse`.
Tensor select(const Tensor &condition, const Tensor &onTrue, const Tensor &onFalse, const Shape &shape);

/// Rounds once; from any element type to any but i1.
Tensor cast(const Tensor &x, Element to);

/// Brings stored values into canonical form: one NaN per type, and 0 or 1 for i1.
void canonicalize(Tensor &x);

/// The position along `axis` plus `from`, i64.
Tensor iota(const Shape &shape, size_t axis, int64_t from);

/// Axis i of the result is axis permutation[i] of `x`.
Tensor transpose(const Tensor &x, const std::vector<int64_t> &permutation);

/// The entries of `x` in row-major order under another shape.
Tensor reshape(const Tensor &x, const Shape &shape);

/// The entries of `x` repeated to `shape`.
Tensor broadcast(const Tensor &x, const Shape &shape);

/// The entries of `x` along `axis` at `from`, `from` + `step`, ...; `shape` is the result's.
Tensor slice(const Tensor &x, size_t axis, int64_t from, int64_t step, const Shape &shape);

/// Entry `k` along the leading axis, without that axis.
Tensor entryOf(const Tensor &x, int64_t k);

/// The inverse of entryOf: writes `entry` there.
void setEntry(Tensor &x, int64_t k, const Tensor &entry);

/// Joins parts of one element type along `axis`; `shape` is the result's.
Tensor concat(const std::vector<const Tensor *> &parts, size_t axis, const Shape &shape);

/// Reduces over `axis` the entries that `hidden` (i1, broadcast to `x`; may be null) leaves visible; `shape` is the
/// result's, with or without the axis.
Tensor reduce(Reduction kind, const Tensor &x, const Tensor *hidden, size_t axis, const Shape &shape);

/// The first of the `indices` (i64 or i32) outside 0 .. size - 1, and its place.
std::optional<std::pair<int64_t, Shape>> indexOutside(const Tensor &indices, int64_t size);

/// The entries of `x` along `axis` by their indices, which are inside of it; `shape` is the result's.
Tensor gather(const Tensor &x, const Tensor &indices, size_t axis, const Shape &shape);

/// The index (i64) of the greatest visible entry along `axis`, of the first NaN if there is one: the lowest where
/// several compare equal, 0 where nothing is visible. Otherwise as `reduce`.
Tensor argmax(const Tensor &x, const Tensor *hidden, size_t axis, const Shape &shape);

/// The sums of the visible entries up to each position along `axis`, added in order from +0.
Tensor cumulativeSum(const Tensor &x, const Tensor *hidden, size_t axis);

/// The products of matrices a [..., m, k] and b [..., k, n], over terms neither of whose factors is hidden; `shape` is
/// the result's, to whose leading axes those of a and b broadcast. The masks (i1, broadcast to their factor) may be
/// null.
Tensor matmul(const Tensor &a, const Tensor &b, const Tensor *hiddenA, const Tensor *hiddenB, const Shape &shape);

} // namespace nova::reference

#endif // NOVA_COMPILER_REFERENCE_KERNELS_H
