#include "compiler/pipeline/Program.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/fuzz/Readers.h"

namespace nova::fuzz {
namespace {
// A context keeps every type and attribute it has seen: after some texts a new one begins.
mlir::MLIRContext &context() {
  static std::unique_ptr<mlir::MLIRContext> current;
  static unsigned texts = 0;
  if (texts++ % 1000 == 0) {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    current = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  }
  return *current;
}
} // namespace

bool readGraph(std::string_view text) {
  mlir::MLIRContext &own = context();
  mlir::ScopedDiagnosticHandler quiet(&own, [](mlir::Diagnostic &diagnostic) {
    (void)diagnostic.str();
    return mlir::success();
  });
  SourceOptions options;
  options.stdLibDir = NOVA_SOURCE_DIR "/std_lib";
  return Program::parse(own, text, "fuzz.nova", options) != nullptr;
}
} // namespace nova::fuzz
