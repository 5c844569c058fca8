// nova: checks, compiles and runs graphs. Finds the command; everything else is in its file.
#include "compiler/pipeline/Version.h"
#include "tools/nova/Commands.h"
#include "tools/nova/Exit.h"
#include "tools/nova/OptionFaults.h"
#include "tools/nova/Options.h"
#include "tools/nova/Process.h"
#include "tools/nova/Workspace.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"

using namespace llvm;
using namespace nova::tool;
using nova::compilerVersion;
using nova::tool::options::isOwnOption;

static void printUsage(raw_ostream &os) {
  os << "usage: nova COMMAND [options]\n\n";
  for (const Command &command : commands())
    os << "  " << llvm::left_justify(command.name, 12) << command.summary << "\n";
  os << "\n`nova COMMAND --help` lists a command's options. `nova --version` prints the version.\n"
        "Exit codes: 0 all is well, 1 a verification did not hold, 2 the command line or its input is wrong, 3 the\n"
        "machine failed (disk, memory, device).\n";
}

static const Command *findCommand(StringRef name) {
  const Command *found = find_if(commands(), [&](const Command &command) { return command.name == name; });
  return found == commands().end() ? nullptr : found;
}

static int unknownCommand(StringRef word) {
  SmallVector<StringRef> names;
  for (const Command &command : commands())
    names.push_back(command.name);
  return inputError("unknown command '" + word + "'" + didYouMean(word, names) + "; there are " + join(names, ", "));
}

// libLLVM registers options of its passes as a program's own; ours are those of our category, and help.
static void removeForeignOptions() {
  SmallVector<cl::Option *> foreign;
  for (cl::SubCommand *command : cl::getRegisteredSubcommands())
    for (auto &entry : cl::getRegisteredOptions(*command))
      if (!isOwnOption(*entry.second) && entry.getKey() != "h" && !entry.getKey().starts_with("help"))
        foreign.push_back(entry.second);
  for (cl::Option *option : foreign)
    option->removeArgument();
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  prepareProcess();
  setBugReportMsg("nova stopped because of a fault of its own; please report the command and its input\n");
  StringRef word = argc > 1 ? argv[1] : "";
  if (word.empty() || word == "help" || word == "--help" || word == "-h") {
    printUsage(word.empty() ? errs() : outs());
    return word.empty() ? BadInput : Ok;
  }
  if (word == "--version") {
    outs() << "nova " << compilerVersion << "\n";
    return Ok;
  }
  const Command *command = findCommand(word);
  if (!command)
    return unknownCommand(word);
  removeForeignOptions();
  std::vector<char *> words(argv, argv + argc);
  if (command->run == benchCommand)
    erase_if(words, [](StringRef flag) {
      bool theirs = flag.starts_with("--benchmark_");
      if (theirs)
        options::benchmarkFlags.push_back(flag.str());
      return theirs;
    });
  cl::extrahelp examples(command->examples);
  std::string fault;
  raw_string_ostream faults(fault);
  if (!cl::ParseCommandLineOptions(words.size(), words.data(), "", &faults))
    return wrongOptions(fault, word);
  return command->run();
}
