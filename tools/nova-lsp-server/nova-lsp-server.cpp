// nova-lsp-server: a language server for graph files, over standard input and output.
#include "compiler/pipeline/Version.h"
#include "tools/nova-lsp-server/Server.h"
#include "tools/source/StdLib.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

static constexpr StringLiteral usage = R"(usage: nova-lsp-server [-I DIR]...

Serves an editor over standard input and output, by the language server protocol.
  -I DIR     look up called graphs below DIR (a.b in a/b.nova), before std_lib; may be given again
  --version  print the version
Environment: NOVA_STD_LIB names another std_lib.
Exit codes: 0 the client has shut it down, 1 the client went away, 2 the command line is wrong.
)";

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  nova::SourceOptions options;
  options.stdLibDir = nova::tool::stdLibDir();
  for (int i = 1; i < argc; i++) {
    StringRef word = argv[i];
    if (word == "--help" || word == "-h") {
      outs() << usage;
      return 0;
    }
    if (word == "--version") {
      outs() << "nova-lsp-server " << nova::compilerVersion << "\n";
      return 0;
    }
    bool isFolder = word.consume_front("-I");
    if (isFolder && word.empty() && i + 1 < argc)
      word = argv[++i];
    // Editors add this word to every server.
    if (!isFolder && word == "--stdio")
      continue;
    if (!isFolder || word.empty()) {
      errs() << "error: " << (isFolder ? "-I needs a folder" : "unknown option '" + word.str() + "'") << "\n" << usage;
      return 2;
    }
    options.includeDirs.push_back(word.str());
  }
  (void)sys::ChangeStdinToBinary();
  (void)sys::ChangeStdoutToBinary();
  return nova::lsp::serve(stdin, outs(), options);
}
