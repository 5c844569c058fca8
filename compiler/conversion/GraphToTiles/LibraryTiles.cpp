#include "compiler/conversion/GraphToTiles/LibraryTiles.h"
#include "dialects/graph/Text.h"

using namespace mlir;

namespace nova {
/// Rows of a library tile.
constexpr int64_t libraryRows = 64;

std::string whyGenerated(const RowEvent &event, DimAttr rows, const Values &values, PlainFactor factor,
                         const DenseSet<Attribute> &rowSymbols) {
  auto op = cast<MatmulOp>(event.contraction);
  TensorType type = tensorOf(op.getResult());
  if (!type.getElementType().isF32())
    return toString(type.getElementType()) + ", library tiles are f32";
  if (op.getLhsHidden() || op.getRhsHidden())
    return "terms are hidden";
  if (event.columns)
    return "columns are hidden";
  if (std::optional<int64_t> count = constantValue(rows); count && *count < libraryRows)
    return "fewer than " + std::to_string(libraryRows) + " rows";
  if (factor.isState)
    return "the second factor is a state, kept packed";
  if (factor.transposed)
    return "the second factor is read transposed";
  if (factor.element != type.getElementType())
    return "the second factor is kept in " + elementText(factor.element);
  // A shape is tried before it is used, so it must not be another one in every call.
  for (DimAttr dim : tensorOf(op.getRhs()).getDims().take_back(2))
    for (Attribute atom : values.getFacts().normalize(dim).getAtoms())
      if (rowSymbols.contains(atom))
        return "the second factor grows with the rows";
  return "";
}
} // namespace nova
