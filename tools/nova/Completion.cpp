// nova completion: scripts that let a shell complete this program's command lines, made from its own tables.
#include "compiler/pipeline/SourceFile.h"
#include "tools/nova/Commands.h"
#include "tools/nova/CompletionScripts.h"
#include "tools/nova/Failure.h"
#include "tools/nova/Options.h"
#include "tools/nova/Workspace.h"
#include "tools/source/SourceOutline.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace nova::tool {
// The words between bars of a description: `compiled|interpreter`.
static std::vector<std::string> choicesOf(StringRef description) {
  SmallVector<StringRef> words;
  description.split(words, '|');
  std::vector<std::string> choices;
  for (StringRef word : words)
    if (words.size() > 1)
      choices.push_back(word.str());
  return choices;
}

static CompletedOption describe(const cl::Option &option, StringRef name) {
  CompletedOption result;
  result.name = (name.size() == 1 ? "-" : "--") + name.str();
  result.help = option.HelpStr.str();
  result.takesValue = option.getValueExpectedFlag() == cl::ValueRequired;
  result.choices = choicesOf(option.ValueStr);
  result.value = StringSwitch<CompletedOption::Value>(name)
                     .Cases("entry", "with", CompletedOption::Graph)
                     .Case("probe", CompletedOption::ValueName)
                     .Case("input", CompletedOption::ArgumentFile)
                     .Case("random", CompletedOption::Argument)
                     .Cases("output", "against", "o", "picture", CompletedOption::File)
                     .Cases("I", "store", CompletedOption::Folder)
                     .Default(CompletedOption::Word);
  return result;
}

static std::vector<CompletedCommand> describeCommands() {
  std::vector<CompletedCommand> list;
  for (const Command &command : commands()) {
    CompletedCommand &each = list.emplace_back();
    each.name = command.name.str();
    each.summary = command.summary.str();
    for (cl::SubCommand *sub : cl::getRegisteredSubcommands()) {
      if (sub->getName() != command.name)
        continue;
      for (const cl::Option *option : sub->PositionalOpts) {
        each.words = choicesOf(option->HelpStr);
        each.takesFiles |= each.words.empty();
      }
      for (auto &entry : cl::getRegisteredOptions(*sub))
        if (options::isOwnOption(*entry.second))
          each.options.push_back(describe(*entry.second, entry.getKey()));
    }
    sort(each.options, [](const CompletedOption &a, const CompletedOption &b) { return a.name < b.name; });
  }
  return list;
}

static std::vector<StringRef> valuesOf(const OutlineGraph &graph) {
  std::vector<StringRef> values;
  for (const OutlineLine &line : graph.lines)
    append_range(values, line.defines);
  return values;
}

// For the scripts: `graphs FILE`, `arguments FILE [GRAPH]`, `values FILE [GRAPH]`, one name a line.
static Error printNames(StringRef what, StringRef path, StringRef graph) {
  Expected<std::unique_ptr<MemoryBuffer>> source = readSourceFile(path);
  if (!source)
    return badInput(path + ": " + toString(source.takeError()));
  std::vector<OutlineGraph> graphs = outlineSource((*source)->getBuffer());
  for (const OutlineGraph &each : graphs) {
    if (what == "graphs")
      outs() << each.name << "\n";
    else if (graph.empty() ? &each == &graphs.back() : each.name == graph)
      for (StringRef name : what == "arguments" ? each.arguments : valuesOf(each))
        outs() << name.drop_front() << "\n";
  }
  return Error::success();
}

static Error complete() {
  std::vector<std::string> words(options::completionWords.begin(), options::completionWords.end());
  StringRef what = words.front();
  bool isScript = what == "bash" || what == "zsh";
  if (isScript && words.size() == 1) {
    (what == "bash" ? writeBashCompletion : writeZshCompletion)(describeCommands(), outs());
    return Error::success();
  }
  if (what == "operations" && words.size() == 1) {
    Workspace workspace;
    for (const std::string &name : languageOperations(workspace.getContext()))
      outs() << name << "\n";
    return Error::success();
  }
  if ((what == "graphs" && words.size() == 2) ||
      ((what == "arguments" || what == "values") && (words.size() == 2 || words.size() == 3)))
    return printNames(what, words[1], words.size() == 3 ? StringRef(words[2]) : "");
  return badInput(
      "expected bash, zsh, operations, graphs FILE, arguments FILE [GRAPH] or values FILE [GRAPH], found '" +
      join(words, " ") + "'");
}

int completionCommand() { return exitWith(complete()); }
} // namespace nova::tool
