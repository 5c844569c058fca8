#include "tools/nova/Arguments.h"
#include "compiler/reference/Arguments.h"
#include "dialects/graph/Text.h"
#include "tools/nova/Compare.h"
#include "tools/nova/DataFault.h"
#include "tools/nova/Failure.h"
#include "tools/nova/Npy.h"
#include "tools/nova/Options.h"
#include "tools/nova/RandomArguments.h"
#include "tools/nova/TensorFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;
using nova::reference::Element;
using nova::reference::Tensor;

namespace nova::tool {
Element argumentElement(Workspace &workspace, unsigned i) {
  GraphOp graph = workspace.getGraph();
  auto kept = workspace.getStorage().find(graph.getArgName(i).str());
  if (kept != workspace.getStorage().end())
    return kept->second == "bf16" ? Element::BF16 : Element::F16;
  mlir::Type element = graph.getArgumentType(i).getElementType();
  auto param = mlir::dyn_cast<ParamType>(element);
  if (!param)
    return *elementOf(element);
  auto given = workspace.getTypes().find(param.getName().str());
  if (given != workspace.getTypes().end())
    for (Element e : {Element::F64, Element::F32, Element::I64, Element::I32})
      if (given->second == reference::toString(e))
        return e;
  for (mlir::Attribute a : graph.getTypeParams())
    if (mlir::cast<TypeParamAttr>(a).getName() == param.getName())
      return *elementOf(mlir::cast<TypeParamAttr>(a).getFallback());
  llvm_unreachable("the graph's verifier has seen all its element types");
}

namespace {
class ArgumentReader {
public:
  explicit ArgumentReader(Workspace &workspace) : workspace(workspace), graph(workspace.getGraph()) {
    for (unsigned i = 0; i < graph.getNumGraphArguments(); i++)
      names.push_back(graph.getArgName(i));
    tensors.resize(names.size());
    random.resize(names.size());
    archiveOf.resize(names.size());
  }

  Expected<std::vector<Tensor>> run() {
    Expected<uint64_t> given = readSeed();
    if (!given)
      return given.takeError();
    seed = *given;
    // What is named goes before what an archive holds under the name, in whatever order they are given.
    for (const std::string &option : options::inputs)
      if (!isArchive(option))
        if (Error error = readInput(option))
          return std::move(error);
    for (const std::string &option : options::inputs)
      if (isArchive(option))
        if (Error error = readArchive(option))
          return std::move(error);
    for (const std::string &option : options::randoms)
      if (Error error = readRandom(option))
        return std::move(error);
    std::vector<Tensor> all;
    for (unsigned i = 0; i < names.size(); i++) {
      if (!tensors[i])
        if (Error error = makeRandom(i))
          return std::move(error);
      all.push_back(std::move(*tensors[i]));
    }
    return std::move(all);
  }

private:
  Expected<unsigned> argument(const Twine &option, StringRef name) {
    auto found = find(names, name);
    if (found != names.end())
      return found - names.begin();
    return badInput(option + ": graph @" + graph.getSymName() + " has no argument " + name + didYouMean(name, names) +
                    (names.empty() ? "" : "; it has " + join(names, ", ")));
  }

  static Error inFile(const Twine &option, Error fault) {
    return handleErrors(std::move(fault), [&](const ErrorInfoBase &info) {
      bool memory = info.convertToErrorCode() == std::errc::not_enough_memory;
      return memory ? environmentFailure(option + ": " + info.message()) : badInput(option + ": " + info.message());
    });
  }

  static bool isArchive(StringRef option) { return !option.contains('=') && TensorFile::hasEnding(option); }

  // Each file is opened once.
  Expected<TensorFile *> openArchive(StringRef path) {
    std::unique_ptr<TensorFile> &file = archives[path];
    if (!file) {
      Expected<std::unique_ptr<TensorFile>> opened = TensorFile::open(path);
      if (!opened)
        return opened.takeError();
      file = std::move(*opened);
    }
    return file.get();
  }

  // `q.npy`, `all.npz:key`, or `all.npz` for the key that is the argument's name.
  Expected<Tensor> readTensor(StringRef name, StringRef path) {
    auto [file, key] = path.rsplit(':');
    if (!path.contains(':') || !TensorFile::hasEnding(file))
      std::tie(file, key) = std::pair(path, name);
    if (!TensorFile::hasEnding(file))
      return readNpyFile(path);
    Expected<TensorFile *> archive = openArchive(file);
    if (!archive)
      return archive.takeError();
    if (!is_contained((*archive)->names(), key))
      return dataFault("has no tensor '" + printable(key) + "'" + hintOf(key, **archive));
    return (*archive)->read(key);
  }

  static std::string hintOf(StringRef key, const TensorFile &file) {
    SmallVector<StringRef> known(file.names().begin(), file.names().end());
    constexpr size_t most = 8;
    std::string list;
    for (StringRef name : ArrayRef(known).take_front(most))
      list += (list.empty() ? "; it has " : ", ") + printable(name);
    return didYouMean(key, known) + list + (known.size() > most ? ", ..." : "");
  }

  Error readInput(const std::string &option) {
    StringRef name, path;
    if (!splitAssignment(option, name, path) || path.empty())
      return badInput("--input " + option +
                      ": expected ARGUMENT=FILE, such as Q=q.npy, or a .npz or .safetensors file");
    Expected<unsigned> i = argument("--input " + option, name);
    if (!i)
      return i.takeError();
    if (tensors[*i])
      return badInput("--input " + option + ": argument " + name + " is given twice");
    Expected<Tensor> tensor = readTensor(name, path);
    return tensor ? take(option, *i, std::move(*tensor)) : inFile("--input " + option, tensor.takeError());
  }

  // Every argument whose name it holds.
  Error readArchive(const std::string &option) {
    Expected<TensorFile *> archive = openArchive(option);
    if (!archive)
      return inFile("--input " + option, archive.takeError());
    bool any = false;
    for (unsigned i = 0; i < names.size(); i++) {
      if (!is_contained((*archive)->names(), names[i]))
        continue;
      any = true;
      if (!archiveOf[i].empty())
        return badInput("--input " + option + ": argument " + names[i] + " is in " + archiveOf[i] + " already");
      if (tensors[i])
        continue;
      Expected<Tensor> tensor = (*archive)->read(names[i]);
      if (!tensor)
        return inFile("--input " + option, tensor.takeError());
      if (Error error = take(option, i, std::move(*tensor)))
        return error;
      archiveOf[i] = option;
    }
    if (!any)
      return badInput("--input " + option + ": no argument has the name of one of its tensors; graph @" +
                      graph.getSymName() + " has " + join(names, ", ") + hintOf("", **archive));
    return Error::success();
  }

  Error take(const std::string &option, unsigned i, Tensor tensor) {
    Element want = argumentElement(workspace, i);
    // Files have no i4: bytes of its range stand for it.
    if (want == Element::I4 && tensor.element == Element::I8) {
      for (int64_t entry = 0; entry < tensor.size(); entry++)
        if (int value = tensor.data<int8_t>()[entry]; value < -8 || value > 7)
          return badInput("--input " + option + ": " + (isArchive(option) ? "argument " + names[i] + ": " : "") +
                          "expected numbers from -8 to 7 for i4, found " + Twine(value) + " at " +
                          placeOf(tensor, entry));
      tensor.element = Element::I4;
    }
    if (tensor.element != want)
      return badInput("--input " + option + ": " + (isArchive(option) ? "argument " + names[i] + ": " : "") +
                      "expected element type " + reference::toString(want) + ", found " + describe(tensor) +
                      typeHint(i, tensor.element));
    TensorType type = graph.getArgumentType(i);
    for (auto [axis, dim] : enumerate(type.getDims()))
      if (mlir::StringAttr symbol = asSymbol(dim); symbol && axis < tensor.shape.size())
        sizes.try_emplace(symbol.getValue(), tensor.shape[axis]);
    tensors[i] = std::move(tensor);
    return Error::success();
  }

  // Where another type parameter would take the file as it is.
  std::string typeHint(unsigned i, Element found) {
    auto param = mlir::dyn_cast<ParamType>(graph.getArgumentType(i).getElementType());
    if (!param || found == Element::I1 || reference::isStorage(found))
      return "";
    for (mlir::Attribute a : graph.getTypeParams()) {
      auto declared = mlir::cast<TypeParamAttr>(a);
      bool isFloat = declared.getKind().getValue() == "float";
      if (declared.getName() == param.getName() && isFloat == reference::isFloat(found))
        return ("; --type " + param.getName().getValue() + "=" + reference::toString(found) + " takes it").str();
    }
    return "";
  }

  // A name alone, sizes alone, or both: `Q`, `n:6,d:4`, `Q=n:6,d:4`.
  Error readRandom(const std::string &option) {
    std::string text = "--random " + option;
    StringRef name, words = option;
    bool named = splitAssignment(option, name, words);
    if (!named && !words.contains(':')) {
      named = true;
      name = option;
    } else if (Error error = readSizes(graph, text, words, sizes)) {
      return error;
    }
    if (!named) {
      for (std::string &each : random)
        if (each.empty())
          each = text;
      return Error::success();
    }
    Expected<unsigned> i = argument(text, name);
    if (!i)
      return i.takeError();
    if (tensors[*i])
      return badInput(text + ": argument " + name + " is given by --input already");
    random[*i] = text;
    return Error::success();
  }

  Error makeRandom(unsigned i) {
    if (random[i].empty())
      return badInput("argument " + names[i] + " is not given: use --input " + names[i] + "=FILE or --random " +
                      randomExample(i));
    Expected<Tensor> tensor = makeRandomArgument(workspace, i, sizes, seed, random[i]);
    if (!tensor)
      return tensor.takeError();
    tensors[i] = std::move(*tensor);
    return Error::success();
  }

  // `Q=n:6,d:6`.
  std::string randomExample(unsigned i) {
    std::string text = names[i].str();
    StringSet<> named;
    for (DimAttr dim : graph.getArgumentType(i).getDims())
      for (mlir::Attribute atom : dim.getAtoms())
        if (StringRef symbol = mlir::cast<mlir::StringAttr>(atom).getValue(); named.insert(symbol).second)
          text += (named.size() == 1 ? "=" : ",") + symbol.str() + ":6";
    return text;
  }

  Workspace &workspace;
  GraphOp graph;
  SmallVector<StringRef> names;
  std::vector<std::optional<Tensor>> tensors;
  std::vector<std::string> archiveOf; // the file of several tensors that gave it, empty for none
  StringMap<std::unique_ptr<TensorFile>> archives;
  std::vector<std::string> random; // the option that makes it random, empty for none
  uint64_t seed = 0;
  Bindings sizes;
};
} // namespace

Expected<std::vector<Tensor>> readArguments(Workspace &workspace) { return ArgumentReader(workspace).run(); }
} // namespace nova::tool
