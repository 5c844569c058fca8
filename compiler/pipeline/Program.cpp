#include "compiler/pipeline/Program.h"
#include "compiler/pipeline/CallCheck.h"
#include "compiler/pipeline/SourceFile.h"
#include "compiler/pipeline/SourceScan.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace nova {
// The core form and the derived graphs have more words than the language.
static bool isLanguage(OperationName name) { return name.getStringRef() != DimValueOp::getOperationName(); }

std::vector<std::string> languageOperations(MLIRContext &context) {
  context.getOrLoadDialect<NovaDialect>();
  std::vector<std::string> names;
  for (RegisteredOperationName op : context.getRegisteredOperations())
    if (op.getDialectNamespace() == NovaDialect::getDialectNamespace() && isLanguage(op) &&
        op.getStringRef() != GraphOp::getOperationName() && op.getStringRef() != ReturnOp::getOperationName())
      names.push_back(op.stripDialect().str());
  llvm::sort(names);
  return names;
}

static LogicalResult checkIsSource(GraphOp graph) {
  for (Operation &op : graph.getBlock()) {
    StringRef word = op.getName().stripDialect();
    if (!isLanguage(op.getName()))
      return op.emitError("operation ") << word << " is not one of this version's language";
    auto reduction = dyn_cast<ReductionOp>(op);
    auto sum = dyn_cast<CumulativeSumOp>(op);
    if ((reduction && reduction.getHidden()) || (sum && sum.getHidden()) ||
        (isa<MatmulOp>(op) && op.getNumOperands() > 2))
      return op.emitError("only the core form names hidden entries; write where with a constant instead");
    if (auto iota = dyn_cast<IotaOp>(op); iota && iota.getFromAttr())
      return op.emitError("only derived graphs have an iota that begins elsewhere; add to it instead");
  }
  return success();
}

// `a.b.c` is `a/b/c.nova` below an include folder; std_lib is itself the folder `std`.
std::vector<std::string> candidateFiles(StringRef graph, const SourceOptions &options) {
  auto below = [](StringRef folder, StringRef name) {
    std::string file = name.str();
    std::replace(file.begin(), file.end(), '.', '/');
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, file + ".nova");
    return std::string(path);
  };
  std::vector<std::string> paths;
  for (const std::string &folder : options.includeDirs)
    paths.push_back(below(folder, graph));
  if (StringRef rest = graph; !options.stdLibDir.empty() && rest.consume_front("std."))
    paths.push_back(below(options.stdLibDir, rest));
  return paths;
}

namespace {
// Reads files into one module until every callee is there.
class Loader {
public:
  Loader(MLIRContext &context, const SourceOptions &options, llvm::SourceMgr &sources, ModuleOp module)
      : context(context), options(options), sources(sources), module(module) {}

  LogicalResult run(std::unique_ptr<llvm::MemoryBuffer> text, std::vector<GraphOp> &own) {
    StringRef name = text->getBufferIdentifier();
    Location start = FileLineColLoc::get(&context, name, 0, 0);
    if (failed(read(std::move(text), own)))
      return failure();
    if (own.empty())
      return emitError(start) << "no graph in this file";
    for (GraphOp graph : own)
      if (failed(checkIsSource(graph)))
        return failure();
    if (failed(resolveCalls()) || failed(verify(module)) || failed(checkCallTree(module)))
      return failure();
    for (GraphOp graph : graphs)
      for (Invocation call : graph.getBlock().getOps<Invocation>())
        if (failed(checkCall(call, graph, byName.lookup(call.getCallee()))))
          return failure();
    return success();
  }

private:
  Location locationAt(unsigned buffer, size_t offset) {
    const llvm::MemoryBuffer *text = sources.getMemoryBuffer(buffer);
    auto [line, column] = sources.getLineAndColumn(SMLoc::getFromPointer(text->getBufferStart() + offset), buffer);
    return FileLineColLoc::get(&context, text->getBufferIdentifier(), line, column);
  }

  // Appends the file's graphs to the module and to `added`.
  LogicalResult read(std::unique_ptr<llvm::MemoryBuffer> text, std::vector<GraphOp> &added) {
    StringRef contents = text->getBuffer(), name = text->getBufferIdentifier();
    unsigned id = sources.AddNewSourceBuffer(std::move(text), SMLoc());
    SourceScan scan = scanSource(contents);
    if (scan.fault)
      return emitError(locationAt(id, scan.fault->offset)) << scan.fault->message;
    // MLIR's parser wants a source manager whose main buffer is the file: a view of the same text.
    llvm::SourceMgr view;
    view.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(contents, name), SMLoc());
    Block block;
    ParserConfig config(&context, /*verifyAfterParse=*/false);
    if (failed(parseSourceFile(view, &block, config)))
      return failure();
    SmallVector<GraphOp> found(block.getOps<GraphOp>());
    for (auto [i, graph] : llvm::enumerate(found))
      if (failed(add(graph, i < scan.docs.size() ? StringRef(scan.docs[i]) : "", added)))
        return failure();
    return success();
  }

  LogicalResult add(GraphOp graph, StringRef doc, std::vector<GraphOp> &added) {
    auto [it, fresh] = byName.try_emplace(graph.getSymName(), graph);
    if (!fresh) {
      InFlightDiagnostic diagnostic = graph.emitError() << "graph @" << graph.getSymName() << " is defined twice";
      diagnostic.attachNote(it->second.getLoc()) << "the first definition is here";
      return diagnostic;
    }
    if (!doc.empty())
      graph.setDocAttr(StringAttr::get(&context, doc));
    graph->moveBefore(module.getBody(), module.getBody()->end());
    graphs.push_back(graph);
    added.push_back(graph);
    return success();
  }

  // Graphs that are found are appended to `graphs`, so the loop reaches their calls too.
  LogicalResult resolveCalls() {
    for (size_t i = 0; i < graphs.size(); i++)
      for (Invocation call : graphs[i].getBlock().getOps<Invocation>())
        if (!byName.count(call.getCallee()) && failed(find(call)))
          return failure();
    return success();
  }

  LogicalResult find(Invocation call) {
    StringRef name = call.getCallee();
    std::vector<std::string> paths = candidateFiles(name, options);
    for (const std::string &path : paths) {
      if (!llvm::sys::fs::exists(path))
        continue;
      llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> text = readSourceFile(path);
      if (!text)
        return call->emitError() << "graph @" << name << ": file " << path << ": " << llvm::toString(text.takeError());
      std::vector<GraphOp> added;
      if (failed(read(std::move(*text), added)))
        return failure();
      if (!byName.count(name))
        return call->emitError() << "file " << path << " does not define graph @" << name;
      return success();
    }
    InFlightDiagnostic diagnostic = call->emitError() << "graph @" << name << " is not defined in this file";
    if (!paths.empty())
      diagnostic << ", and there is no file " << llvm::join(paths, " or ");
    return diagnostic;
  }

  MLIRContext &context;
  const SourceOptions &options;
  llvm::SourceMgr &sources;
  ModuleOp module;
  std::vector<GraphOp> graphs;
  llvm::StringMap<GraphOp> byName;
};
} // namespace

std::unique_ptr<Program> Program::parseBuffer(MLIRContext &context, std::unique_ptr<llvm::MemoryBuffer> text,
                                              const SourceOptions &options) {
  std::unique_ptr<Program> program(new Program);
  program->sources = options.sources ? options.sources : std::make_shared<llvm::SourceMgr>();
  context.getOrLoadDialect<NovaDialect>();
  program->module = ModuleOp::create(FileLineColLoc::get(&context, text->getBufferIdentifier(), 0, 0));
  Loader loader(context, options, *program->sources, *program->module);
  if (failed(loader.run(std::move(text), program->own)))
    return nullptr;
  return program;
}

std::unique_ptr<Program> Program::load(MLIRContext &context, StringRef path, const SourceOptions &options) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> text = readSourceFile(path);
  if (!text) {
    emitError(FileLineColLoc::get(&context, path == "-" ? "<stdin>" : path, 0, 0)) << llvm::toString(text.takeError());
    return nullptr;
  }
  return parseBuffer(context, std::move(*text), options);
}

std::unique_ptr<Program> Program::parse(MLIRContext &context, StringRef text, StringRef name,
                                        const SourceOptions &options) {
  return parseBuffer(context, llvm::MemoryBuffer::getMemBufferCopy(text, name), options);
}

GraphOp Program::getEntry(StringRef name) {
  if (name.empty())
    return own.back();
  return dyn_cast_or_null<GraphOp>(SymbolTable::lookupSymbolIn(*module, name));
}
} // namespace nova
