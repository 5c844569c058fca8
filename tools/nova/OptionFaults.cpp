#include "tools/nova/OptionFaults.h"
#include "tools/nova/Commands.h"
#include "tools/nova/Exit.h"
#include "tools/nova/Workspace.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"

using namespace llvm;

namespace nova::tool {
// "; nova decode has it" for an option, written as `--chunks` or `--chunks=3`, of other commands.
static std::string whoHasOption(StringRef written) {
  StringRef name = written.trim("'").ltrim('-').split('=').first;
  std::vector<std::string> owners;
  for (const Command &command : commands())
    for (cl::SubCommand *sub : cl::getRegisteredSubcommands())
      if (sub->getName() == command.name && cl::getRegisteredOptions(*sub).contains(name))
        owners.push_back("nova " + command.name.str());
  if (owners.empty())
    return "";
  return "; " + join(owners, ", ") + (owners.size() == 1 ? " has it" : " have it");
}

// What stands beside the options.
static StringRef wanted(StringRef command) {
  return StringSwitch<StringRef>(command)
      .Case("store", "one action: ls, gc or verify")
      .Case("completion", "a shell: bash or zsh")
      .Case("diff", "two graph files")
      .Case("fmt", "a graph file or more")
      .Default("one graph file");
}

// The library's lines are `nova: Text.  Try: ...` and `nova: Did you mean ...?`.
int wrongOptions(StringRef faults, StringRef command) {
  if (faults.empty()) // the library has printed it itself
    return BadInput;
  auto [line, rest] = faults.split('\n');
  std::string text = line.split(": ").second.split("  Try").first.rtrim("!. ").str();
  StringRef view = text;
  std::string owners;
  if (view.consume_front("Unknown command line argument ")) {
    owners = whoHasOption(view);
    text = "unknown option " + view.str() + owners;
  } else if (view.starts_with("Not enough positional")) {
    text = "expected " + wanted(command).str();
  } else if (view.starts_with("Too many positional")) {
    text = "expected " + wanted(command).str() + " only";
  }
  if (!owners.empty())
    return inputError(text);
  StringRef near = rest.split('\n').first.split("Did you mean ").second.rtrim('?');
  if (near.size() > StringRef("'-v'").size()) // a letter is near to everything
    text += "; did you mean " + near.str();
  return inputError(text + "; see nova " + command + " --help");
}
} // namespace nova::tool
