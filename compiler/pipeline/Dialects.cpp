#include "compiler/pipeline/Program.h"
#include "dialects/tile/TileDialect.h"

namespace nova {
void registerAllDialects(mlir::DialectRegistry &registry) {
  registerGraphDialect(registry);
  registry.insert<tile::TileDialect>();
}
} // namespace nova
