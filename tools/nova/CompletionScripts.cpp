#include "tools/nova/CompletionScripts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace llvm;

namespace nova::tool {
// In single quotes, whatever the text holds.
static std::string quote(StringRef text) {
  std::string quoted = "'";
  for (char c : text)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// Options by name: of one name they are the same in every command.
static std::map<std::string, const CompletedOption *> valuedOptions(ArrayRef<CompletedCommand> commands) {
  std::map<std::string, const CompletedOption *> options;
  for (const CompletedCommand &command : commands)
    for (const CompletedOption &option : command.options)
      if (option.takesValue)
        options.try_emplace(option.name, &option);
  return options;
}

static constexpr StringLiteral bashBegin = R"sh(# bash completion for nova; read it with: source <(nova completion bash)

# Names in the graph file of the command line: _nova_names graphs|arguments|values.
_nova_names() {
  local word graph=() i
  for ((i = 2; i < COMP_CWORD; i++)); do
    [[ ${COMP_WORDS[i]} == --entry && $1 != graphs ]] && graph=("${COMP_WORDS[i + 1]/#=/${COMP_WORDS[i + 2]}}")
  done
  for word in "${COMP_WORDS[@]:2}"; do
    [[ $word == *.nova && -r $word ]] && "${COMP_WORDS[0]}" completion "$1" "$word" "${graph[@]}" 2>/dev/null && return
  done
}

_nova_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$1")
}

_nova_folders() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -d -- "$1")
}

_nova_graph_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -d -- "$1"; compgen -f -X '!*.nova' -- "$1")
}

_nova_words() {
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}

# An argument of the graph with its `=`; files too where $2 says so.
_nova_arguments() {
  _nova_words "$(_nova_names arguments)" "$1"
  if [[ ${#COMPREPLY[@]} -gt 0 ]]; then
    COMPREPLY=("${COMPREPLY[@]/%/=}")
    compopt -o nospace 2>/dev/null
  elif [[ -n $2 ]]; then
    _nova_files "$1"
  fi
}

_nova() {
  local command=${COMP_WORDS[1]} current=${COMP_WORDS[COMP_CWORD]} option='' named='' options='' words='' graphs=''
  local i rest=()
  COMPREPLY=()
  # The last option, and what stands behind it: the shell parts words at `=`.
  for ((i = COMP_CWORD - 1; i > 1; i--)); do
    if [[ ${COMP_WORDS[i]} == -* ]]; then
      option=${COMP_WORDS[i]}
      rest=("${COMP_WORDS[@]:i+1:COMP_CWORD-i}")
      break
    fi
  done
  [[ ${rest[0]} == = ]] && rest=("${rest[@]:1}")
  if [[ ${rest[1]} == = ]]; then
    named=${rest[0]}
    rest=("${rest[@]:2}")
  fi
  [[ ${#rest[@]} -gt 1 ]] && option=''
  [[ $current == = ]] && current=''
)sh";

static constexpr StringLiteral bashEnd = R"sh(  if [[ $current == -* ]]; then
    _nova_words "$options" "$current"
  elif [[ -n $graphs ]]; then
    _nova_graph_files "$current"
  else
    _nova_words "$words" "$current"
  fi
}

complete -F _nova nova
)sh";

static std::string bashAction(const CompletedOption &option) {
  switch (option.value) {
  case CompletedOption::Word:
    return "_nova_words " + quote(join(option.choices, " ")) + " \"$current\"";
  case CompletedOption::File:
    return "_nova_files \"$current\"";
  case CompletedOption::Folder:
    return "_nova_folders \"$current\"";
  case CompletedOption::Graph:
    return "_nova_words \"$(_nova_names graphs)\" \"$current\"";
  case CompletedOption::ValueName:
    return "_nova_words \"$(_nova_names values)\" \"$current\"";
  case CompletedOption::Argument:
    return "[[ -n $named ]] || _nova_arguments \"$current\"";
  case CompletedOption::ArgumentFile:
    return "if [[ -n $named ]]; then _nova_files \"$current\"; else _nova_arguments \"$current\" files; fi";
  }
  llvm_unreachable("a value is completed in one of these ways");
}

void writeBashCompletion(ArrayRef<CompletedCommand> commands, raw_ostream &os) {
  std::string names = join(map_range(commands, [](const CompletedCommand &command) { return command.name; }), " ");
  os << bashBegin << "  if [[ $COMP_CWORD -eq 1 ]]; then\n    _nova_words " << quote(names)
     << " \"$current\"\n    return\n  fi\n  case $command in\n";
  for (const CompletedCommand &command : commands) {
    auto optionNames = map_range(command.options, [](const CompletedOption &option) { return option.name; });
    os << "  " << command.name << ") options=" << quote(join(optionNames, " "));
    if (!command.words.empty())
      os << " words=" << quote(join(command.words, " "));
    if (command.takesFiles)
      os << " graphs=yes";
    os << " ;;\n";
  }
  os << "  esac\n  case $option in\n";
  for (auto &[name, option] : valuedOptions(commands))
    os << "  " << name << ") " << bashAction(*option) << "; return ;;\n";
  os << "  esac\n" << bashEnd;
}

static constexpr StringLiteral zshBegin = R"sh(#compdef nova
# zsh completion for nova: a file _nova in a folder of $fpath, or source <(nova completion zsh)

# Names in the graph file of the command line: _nova_names graphs|arguments|values.
_nova_names() {
  local word graph=()
  [[ $1 != graphs && -n ${words[(r)--entry]} ]] && graph=("${words[$((${words[(i)--entry]} + 1))]}")
  for word in "${words[@]}"; do
    [[ $word == *.nova && -r $word ]] && command nova completion $1 $word $graph 2>/dev/null && return
  done
}
_nova_graphs() { local names=("${(@f)$(_nova_names graphs)}"); compadd -a names }
_nova_values() { local names=("${(@f)$(_nova_names values)}"); compadd -a names }
_nova_arguments() {
  if compset -P '*='; then
    [[ $1 == files ]] && _files
  else
    local names=("${(@f)$(_nova_names arguments)}")
    compadd -S = -a names
    [[ $1 == files ]] && _files -g '*.(npz|safetensors)'
  fi
}

_nova() {
  local context state line
  local -a names=(
)sh";

static std::string zshAction(const CompletedOption &option) {
  switch (option.value) {
  case CompletedOption::Word:
    return option.choices.empty() ? " " : "(" + join(option.choices, " ") + ")";
  case CompletedOption::File:
    return "_files";
  case CompletedOption::Folder:
    return "_files -/";
  case CompletedOption::Graph:
    return "_nova_graphs";
  case CompletedOption::ValueName:
    return "_nova_values";
  case CompletedOption::Argument:
    return "_nova_arguments";
  case CompletedOption::ArgumentFile:
    return "{_nova_arguments files}";
  }
  llvm_unreachable("a value is completed in one of these ways");
}

// `'*--input=[help]: :action'`: colons and brackets of the help are escaped.
static std::string zshSpec(const CompletedOption &option) {
  std::string help;
  for (char c : option.help)
    help += StringRef("[]:\\").contains(c) ? std::string("\\") + c : std::string(1, c);
  std::string name = "*" + option.name;
  if (option.takesValue)
    name += option.name.size() == 2 ? "+" : "=";
  return quote(name + "[" + help + "]" + (option.takesValue ? ": :" + zshAction(option) : ""));
}

void writeZshCompletion(ArrayRef<CompletedCommand> commands, raw_ostream &os) {
  os << zshBegin;
  for (const CompletedCommand &command : commands)
    os << "    " << quote(command.name + ":" + command.summary) << "\n";
  os << "  )\n  _arguments -C '1: :->command' '*:: :->rest'\n  if [[ $state == command ]]; then\n"
        "    _describe command names\n    return\n  fi\n  case $words[1] in\n";
  for (const CompletedCommand &command : commands) {
    os << "  " << command.name << ")\n    _arguments -s";
    for (const CompletedOption &option : command.options)
      os << " \\\n      " << zshSpec(option);
    if (!command.words.empty())
      os << " \\\n      " << quote("1: :(" + join(command.words, " ") + ")");
    if (command.takesFiles)
      os << " \\\n      " << quote("*: :_files -g \"*.nova\"");
    os << "\n    ;;\n";
  }
  os << "  esac\n}\n\nif [[ $funcstack[1] == _nova ]]; then\n  _nova \"$@\"\nelse\n  compdef _nova nova\nfi\n";
}
} // namespace nova::tool
