// nova-opt: reads graphs (and the IRs they are lowered to), runs passes, prints. For tests and for looking inside.
#include "compiler/analysis/Passes.h"
#include "compiler/conversion/GraphToTiles/Passes.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/derive/Extend.h"
#include "dialects/graph/NovaDialect.h"
#include "dialects/tile/TileDialect.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  nova::registerGraphDialect(registry);
  registry.insert<nova::tile::TileDialect>();
  nova::registerAnalysisPasses();
  nova::registerDerivePasses();
  nova::registerTilePasses();
  nova::registerTransformPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Nova optimizer driver\n", registry));
}
