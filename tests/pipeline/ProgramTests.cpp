// Programs from text: graphs, docs, entries, diagnostics.
#include "compiler/pipeline/DiagnosticPrinter.h"
#include "compiler/pipeline/Program.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace nova;

namespace {
mlir::DialectRegistry dialects() {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  return registry;
}

// Reads a text and keeps what was said about it.
struct Reading {
  explicit Reading(llvm::StringRef text, bool json = false) : context(dialects()) {
    SourceOptions options;
    options.sources = std::make_shared<llvm::SourceMgr>();
    llvm::raw_string_ostream os(said);
    DiagnosticPrinter printer(context, options.sources, os, json);
    program = Program::parse(context, text, "test.nova", options);
    errors = printer.getNumErrors();
  }
  mlir::MLIRContext context;
  std::unique_ptr<Program> program;
  std::string said;
  unsigned errors = 0;
};
} // namespace

TEST(Program, GraphsDocsAndEntries) {
  Reading r("/// The first.\ngraph @a(%x: f64[n]) -> f64[n] {\n  return %x\n}\ngraph @b(%x: f64[n]) -> f64[n] {\n"
            "  %y = call @a(%x) : f64[n]\n  return %y\n}\n");
  ASSERT_TRUE(r.program) << r.said;
  EXPECT_EQ(r.said, "");
  ASSERT_EQ(r.program->getOwnGraphs().size(), 2u);
  GraphOp a = r.program->getOwnGraphs()[0], b = r.program->getOwnGraphs()[1];
  EXPECT_EQ(a.getDoc(), "The first.");
  EXPECT_FALSE(b.getDoc());
  EXPECT_EQ(r.program->getEntry(), b);
  EXPECT_EQ(r.program->getEntry("a"), a);
  EXPECT_FALSE(r.program->getEntry("c"));
}

TEST(Program, DiagnosticsShowTheLine) {
  Reading r("graph @a(%x: f64[n]) -> f64[n] {\n\t%y = exp %z\n  return %x\n}\n");
  EXPECT_FALSE(r.program);
  EXPECT_EQ(r.errors, 1u);
  EXPECT_EQ(r.said, "test.nova:2:11: error: value %z is not defined before this use\n   %y = exp %z\n            ^\n");
}

TEST(Program, LongLinesAreCut) {
  Reading r("graph @a(%x: f64[n]) -> f64[n] {" + std::string(100000, ' ') + "%y = exp %z\n}\n");
  EXPECT_FALSE(r.program);
  EXPECT_NE(r.said.find("test.nova:1:100042: error: value %z"), std::string::npos) << r.said;
  EXPECT_LT(r.said.size(), 400u);
}

TEST(Program, DiagnosticsAsJson) {
  Reading r("graph @a(%x: f64[n]) -> f64[n] {\n  return %x\n}\ngraph @a(%x: f64[n]) -> f64[n] {\n  return %x\n}\n",
            /*json=*/true);
  EXPECT_EQ(
      r.said,
      R"({"column":1,"file":"test.nova","line":4,"message":"graph @a is defined twice","notes":[{"column":1,"file":)"
      R"("test.nova","line":1,"message":"the first definition is here","severity":"note"}],"severity":"error"})"
      "\n");
}

TEST(Program, MessagesInTheWordsOfTheLanguage) {
  mlir::MLIRContext context(dialects());
  context.loadAllAvailableDialects();
  EXPECT_EQ(plainMessage("custom op 'nova.expp' is unknown (tried 'nova.nova.expp' as well)", context),
            "unknown operation 'expp'; did you mean 'exp'");
  EXPECT_EQ(plainMessage("'nova.add' op expects something", context), "expects something");
  EXPECT_EQ(plainMessage("custom op 'nova.add' expected a type", context), "expected a type");
  EXPECT_EQ(plainMessage("use of undeclared SSA value name", context), "use of undeclared value");
  EXPECT_EQ(plainMessage("expected SSA operand", context), "expected a value such as %x");
  EXPECT_EQ(plainMessage("graph @f is wrong", context), "graph @f is wrong");
}

TEST(Program, MissingFilesAndFolders) {
  mlir::MLIRContext context(dialects());
  std::string said;
  llvm::raw_string_ostream os(said);
  DiagnosticPrinter printer(context, nullptr, os);
  EXPECT_FALSE(Program::load(context, "no-such-file.nova", {}));
  EXPECT_FALSE(Program::load(context, ".", {}));
  EXPECT_EQ(said,
            "no-such-file.nova: error: no such file or directory\n.: error: is a directory, expected a graph file\n");
}
