// Element types from outside, which the text tests of core cannot bind.
#include "compiler/transforms/CoreForm.h"
#include "mlir/IR/Diagnostics.h"
#include "tests/reference/Graphs.h"

namespace nova::test {
namespace {
std::string refusal(const std::string &parameter) {
  reference::Graph graph("graph @f<T: float>(%x: T[n]) -> T[n] { return %x }");
  std::string said;
  mlir::ScopedDiagnosticHandler handler(graph.get().getContext(), [&](mlir::Diagnostic &diagnostic) {
    said += diagnostic.str();
    return mlir::success();
  });
  TypeBindings types;
  types[parameter] = mlir::IntegerType::get(graph.get().getContext(), 64);
  return buildCoreForm(graph.get(), types) ? "none" : said;
}
} // namespace

TEST(CoreForm, TypesOfOtherKindsAreRefused) {
  EXPECT_EQ(refusal("T"), "type parameter T is of kind float, found i64");
  EXPECT_EQ(refusal("U"), "graph @f has no type parameter U");
}
} // namespace nova::test
