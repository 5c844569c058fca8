// Packed 4-bit numbers, of which kernels only read arguments and write results.
#ifndef NOVA_COMPILER_CONVERSION_GRAPHTOTILES_WIDENNIBBLES_H
#define NOVA_COMPILER_CONVERSION_GRAPHTOTILES_WIDENNIBBLES_H

#include "dialects/graph/NovaDialect.h"

namespace nova {
/// Makes every value of i4 one of i8, but for the first `numArguments` arguments, which are cast where they enter, the
/// first `numResults` results, which are cast where they leave, and what casts to i4 give, which is cast at once. So
/// nothing of i4 is moved: two entries share a byte, and rows begin at bytes. The graphs of scans beside it take part.
void widenNibbles(GraphOp graph, unsigned numArguments, unsigned numResults);
} // namespace nova

#endif
