// Element types from outside, which the text tests of core cannot bind.
#include "compiler/transforms/BindStorage.h"
#include "compiler/transforms/CoreForm.h"
#include "mlir/IR/Diagnostics.h"
#include "tests/reference/Graphs.h"

namespace nova::test {
namespace {
/// What is said while `build` builds from a graph; "none" where it succeeds.
std::string refusal(reference::Graph &graph, llvm::function_ref<bool()> build) {
  std::string said;
  mlir::ScopedDiagnosticHandler handler(graph.get().getContext(), [&](mlir::Diagnostic &diagnostic) {
    said += diagnostic.str();
    return mlir::success();
  });
  return build() ? "none" : said;
}

std::string refusedType(const std::string &parameter) {
  reference::Graph graph("graph @f<T: float>(%x: T[n]) -> T[n] { return %x }");
  TypeBindings types;
  types[parameter] = mlir::IntegerType::get(graph.get().getContext(), 64);
  return refusal(graph, [&] { return bool(buildCoreForm(graph.get(), types)); });
}

std::string refusedStorage(const StorageBindings &storage) {
  reference::Graph graph("graph @f(%x: f32[n], %i: i64[n]) -> (f32[n], i64[n]) {\n"
                         "  %y = add %x, %x\n  %j = add %i, %i\n  return %y, %j\n}");
  auto core = buildCoreForm(graph.get(), {});
  return refusal(graph, [&] { return succeeded(bindStorage(coreGraph(*core), {"y", "j"}, storage)); });
}
} // namespace

TEST(CoreForm, TypesOfOtherKindsAreRefused) {
  EXPECT_EQ(refusedType("T"), "type parameter T is of kind float, found i64");
  EXPECT_EQ(refusedType("U"), "graph @f has no type parameter U");
}

// The command line says these in words of its own, before it compiles.
TEST(BindStorage, WhatCannotBeKeptIsRefused) {
  EXPECT_EQ(refusedStorage({{"x", "bf16"}, {"y", "f16"}}), "none");
  EXPECT_EQ(refusedStorage({{"x", "f8"}}), "storage type f8 of x is neither bf16 nor f16");
  EXPECT_EQ(refusedStorage({{"y", "i8"}}), "storage type i8 of y is neither bf16 nor f16");
  EXPECT_EQ(refusedStorage({{"i", "bf16"}}), "only f32 can be kept in bf16; argument i is i64[n]");
  EXPECT_EQ(refusedStorage({{"j", "f16"}}), "only f32 can be kept in f16; result j is i64[n]");
  EXPECT_EQ(refusedStorage({{"z", "f16"}}), "graph @f has no argument and no result z");
}
} // namespace nova::test
