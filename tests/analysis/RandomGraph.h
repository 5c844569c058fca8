// Random graphs in core form whose rows depend on each other: elementwise chains, attention-like contractions under
// random masks, sums over columns, shifts. For property tests of dependence and of what is derived from it.
#ifndef NOVA_TESTS_ANALYSIS_RANDOMGRAPH_H
#define NOVA_TESTS_ANALYSIS_RANDOMGRAPH_H

#include "compiler/reference/Tensor.h"
#include "dialects/graph/NovaDialect.h"
#include <random>
#include <string>

namespace nova::test {
using Random = std::mt19937_64;

/// The text of a graph `@g` over rows `n` and widths `d` and `e`. A causal one reads no later row; any other may: it
/// has masks that show later rows, reductions over all rows, and uses of the number of rows.
std::string randomGraph(Random &random, bool causal);

/// Normal numbers, now and then a zero, an infinity or a NaN; for i1 a coin.
reference::Tensor randomTensor(TensorType type, const Bindings &sizes, Random &random);

/// Rows first .. first + count of an axis.
reference::Tensor takeRows(const reference::Tensor &x, unsigned axis, int64_t first, int64_t count);
} // namespace nova::test

#endif
