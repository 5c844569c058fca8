// Maximum and minimum before division: max(x / u) is max(x) / u for a positive u.
#ifndef NOVA_COMPILER_TRANSFORMS_HOISTMONOTONE_H
#define NOVA_COMPILER_TRANSFORMS_HOISTMONOTONE_H

#include "dialects/graph/NovaDialect.h"

namespace nova {
/// Rewrites `reduce_max(divide(x, u))` and `reduce_min` likewise to `divide(reduce_max(x), u)` where u is a scalar
/// known to be positive and finite. Rounded division by such a number never decreases, so both pick the same entry and
/// give the same bits: NaN stays NaN, signs of zeros stay, and nothing visible gives an infinity either way. Only code
/// generation calls this; the core form keeps the graph's order.
void hoistMonotone(GraphOp core);
} // namespace nova

#endif
