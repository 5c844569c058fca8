#include "tests/identity/Graphs.h"
#include "compiler/identity/StoredModule.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <fstream>
#include <sstream>

using namespace mlir;

namespace nova::test {
MLIRContext &context() {
  static MLIRContext *shared = [] {
    DialectRegistry registry;
    registerGraphDialect(registry);
    auto *made = new MLIRContext(registry, MLIRContext::Threading::DISABLED);
    made->loadDialect<NovaDialect>();
    return made;
  }();
  return *shared;
}

Graphs::Graphs(const std::string &text) : owned(parseSourceString<ModuleOp>(text, &context())) {
  if (!owned)
    throw std::runtime_error("this text is not valid:\n" + text);
}

GraphOp Graphs::graph(llvm::StringRef name) {
  GraphOp found;
  for (GraphOp each : owned->getOps<GraphOp>())
    if (name.empty() || each.getSymName() == name)
      found = each;
  return found;
}

Hash Graphs::pin(llvm::StringRef name) { return *GraphHashes(*owned).graphHash(graph(name)); }
Hash Graphs::semantic(llvm::StringRef name) { return *GraphHashes(*owned).semanticHash(graph(name)); }

std::string pinOf(const std::string &text) { return Graphs(text).pin().hex(); }
std::string semanticOf(const std::string &text) { return Graphs(text).semantic().hex(); }

std::string storedText(const std::string &text) {
  Graphs graphs(text);
  GraphHashes hashes(graphs.module());
  auto module = buildStoredModule(hashes, graphs.graph(), StoredNames::Numbered);
  std::string out;
  llvm::raw_string_ostream os(out);
  printGraphs(**module, os);
  return out;
}

std::string readFile(const std::string &path) {
  std::ifstream file(std::string(NOVA_SOURCE_DIR) + "/" + path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(file.good()) << path;
  return text.str();
}
} // namespace nova::test
