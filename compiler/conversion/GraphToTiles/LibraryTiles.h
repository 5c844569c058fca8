// Which contractions library tiles may carry: a vendor's matmul on blocks of 64 rows, where the runtime finds that it
// gives the canonical bits.
#ifndef NOVA_COMPILER_CONVERSION_GRAPHTOTILES_LIBRARYTILES_H
#define NOVA_COMPILER_CONVERSION_GRAPHTOTILES_LIBRARYTILES_H

#include "compiler/conversion/GraphToTiles/RowSchedule.h"
#include "llvm/ADT/DenseSet.h"
#include <string>

namespace nova {
/// How the second factor of a contraction lies in memory, before it is packed.
struct PlainFactor {
  bool transposed;
  bool isState;
  mlir::Type element;
};

/// Why only generated code can carry the contraction of `event`, in a kernel of `rows` rows; "" where nothing speaks
/// against library tiles. `rowSymbols`: those that change with every call, the sequence's among them.
std::string whyGenerated(const RowEvent &event, DimAttr rows, const Values &values, PlainFactor factor,
                         const llvm::DenseSet<mlir::Attribute> &rowSymbols);
} // namespace nova

#endif
