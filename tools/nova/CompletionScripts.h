// The text of completion scripts.
#ifndef NOVA_TOOLS_NOVA_COMPLETIONSCRIPTS_H
#define NOVA_TOOLS_NOVA_COMPLETIONSCRIPTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace nova::tool {
struct CompletedOption {
  /// What a value is completed to.
  enum Value {
    Word,         // one of `choices`, or nothing
    File,         // any file
    Folder,       // a folder
    Graph,        // a graph of the command's file
    ValueName,    // a value of the graph
    Argument,     // an argument of the graph and `=`
    ArgumentFile, // the same, then a file; or a file
  };
  std::string name; // with its dashes
  std::string help;
  bool takesValue = false;
  Value value = Word;
  std::vector<std::string> choices;
};

struct CompletedCommand {
  std::string name, summary;
  bool takesFiles = false;        // graph files
  std::vector<std::string> words; // what stands beside the options otherwise
  std::vector<CompletedOption> options;
};

/// Scripts that a shell reads once. They ask `nova completion graphs FILE` and the like for names in a file.
void writeBashCompletion(llvm::ArrayRef<CompletedCommand> commands, llvm::raw_ostream &os);
void writeZshCompletion(llvm::ArrayRef<CompletedCommand> commands, llvm::raw_ostream &os);
} // namespace nova::tool

#endif
