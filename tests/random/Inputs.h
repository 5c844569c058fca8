// Sizes and entries of arguments: edges first.
#ifndef NOVA_TESTS_RANDOM_INPUTS_H
#define NOVA_TESTS_RANDOM_INPUTS_H

#include "compiler/reference/Tensor.h"
#include "tests/random/GraphText.h"
#include "tests/random/SizeText.h"

namespace nova::test {
/// Sizes for the symbols of a graph, such that no value has more than `most` entries and no contraction more than 64
/// times as many products. `round` 0 and 1 give all sizes 0 and 1; later ones mix sizes around blocks, panels, chunks
/// and lanes.
Sizes drawSizes(Draw &draw, const GraphText &graph, unsigned round, int64_t most);

/// Entries: small whole numbers with many ties, ordinary ones, any exponent, or many of NaN, infinities, -0 and
/// subnormals.
reference::Tensor drawTensor(Draw &draw, Kind kind, const Dims &dims, const Sizes &sizes);
} // namespace nova::test

#endif
