#include "tests/random/Backends.h"
#include "compiler/pipeline/Compiler.h"
#include "compiler/pipeline/DiagnosticPrinter.h"
#include "compiler/reference/Canonical.h"
#include "compiler/reference/Entries.h"
#include "compiler/reference/Interpreter.h"
#include "compiler/reference/Nibbles.h"
#include "llvm/Support/FileUtilities.h"
#include <algorithm>
#include <cstring>
#include <list>
#include <sstream>

using nova::reference::Element;
using nova::reference::Tensor;

namespace nova::test {
static const std::pair<nova_type_t, Element> types[] = {
    {NOVA_F64, Element::F64}, {NOVA_F32, Element::F32}, {NOVA_I64, Element::I64},
    {NOVA_I32, Element::I32}, {NOVA_I1, Element::I1},   {NOVA_BF16, Element::BF16},
    {NOVA_F16, Element::F16}, {NOVA_I8, Element::I8},   {NOVA_I4, Element::I4}};

// The message of a status, which is released; empty for success.
static std::string take(nova_status_t *status) {
  std::string message = status ? nova_status_message(status) : "";
  if (status && message.empty())
    message = nova_code_name(nova_status_code(status));
  nova_status_free(status);
  return message;
}

static nova_context_t *contextOf(int threads, bool onednn) {
  static nova_context_t *contexts[2][2] = {};
  nova_context_t *&context = contexts[threads - 1][onednn];
  if (!context) {
    nova_context_options_t options{sizeof(nova_context_options_t), threads, nullptr, nullptr,
                                   onednn ? NOVA_ONEDNN_ON : NOVA_ONEDNN_OFF};
    nova_status_free(nova_context_create(&options, &context));
  }
  return context;
}

namespace {
/// Tensors as libnova has them: of i4 packed copies.
struct Views {
  std::vector<nova_tensor_t> list;
  std::list<std::vector<char, reference::TensorAllocator<char>>> packed;

  explicit Views(const Tensors &tensors) {
    for (const Tensor &tensor : tensors) {
      nova_tensor_t view{};
      for (auto [type, element] : types)
        if (element == tensor.element)
          view.type = type;
      view.rank = tensor.shape.size();
      view.dims = tensor.shape.data();
      view.data = const_cast<char *>(tensor.bytes.data());
      if (tensor.element == Element::I4)
        view.data = packed.emplace_back(reference::packNibbles(tensor)).data();
      list.push_back(view);
    }
  }
  void fetch(Tensors &tensors) const {
    for (size_t i = 0; i < tensors.size(); i++)
      if (tensors[i].element == Element::I4)
        reference::unpackNibbles(static_cast<const char *>(list[i].data), tensors[i]);
  }
};
} // namespace

// Copies rows between a tensor and a part of it that begins at row `first`.
static void moveRows(Tensor &whole, Tensor &part, unsigned axis, int64_t first, bool intoPart) {
  int64_t outer = 1, inner = byteSize(whole.element), all = whole.shape[axis], count = part.shape[axis];
  for (unsigned k = 0; k < whole.shape.size(); k++)
    if (k != axis)
      (k < axis ? outer : inner) *= whole.shape[k];
  for (int64_t o = 0; o < outer && count * inner; o++) {
    char *in = whole.bytes.data() + (o * all + first) * inner, *out = part.bytes.data() + o * count * inner;
    intoPart ? std::memcpy(out, in, count * inner) : std::memcpy(in, out, count * inner);
  }
}

static std::string entryText(const Tensor &tensor, int64_t i) {
  std::ostringstream os;
  os.precision(17);
  reference::visitElement(tensor.element, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    if (reference::isFloat(tensor.element))
      os << reference::castTo<double>(tensor.data<T>()[i]);
    else
      os << reference::castTo<int64_t>(tensor.data<T>()[i]);
  });
  os << " (";
  size_t size = byteSize(tensor.element);
  for (size_t k = size; k-- > 0;)
    os << "0123456789abcdef"[uint8_t(tensor.bytes[i * size + k]) >> 4]
       << "0123456789abcdef"[tensor.bytes[i * size + k] & 15];
  os << ")";
  return os.str();
}

std::string difference(const Outcome &expected, const Outcome &found) {
  if (!expected.error.empty() || !found.error.empty()) {
    // One run may have several reasons to fail.
    auto fails = [](const std::string &error) {
      return error.find("division by zero") != std::string::npos ||
             error.find("is outside an axis") != std::string::npos;
    };
    return fails(expected.error) && fails(found.error)
               ? ""
               : "expected " + (expected.error.empty() ? "results" : expected.error) + ", found " +
                     (found.error.empty() ? "results" : found.error);
  }
  for (size_t r = 0; r < expected.results.size(); r++) {
    const Tensor &a = expected.results[r], &b = found.results[r];
    if (a.shape != b.shape || a.element != b.element)
      return "result " + std::to_string(r) + " has another shape or type";
    if (a.bytes == b.bytes)
      continue;
    size_t size = byteSize(a.element);
    int64_t first = -1, count = 0;
    for (int64_t i = 0; i < a.size(); i++)
      if (std::memcmp(a.bytes.data() + i * size, b.bytes.data() + i * size, size)) {
        first = first < 0 ? i : first;
        count++;
      }
    std::ostringstream os;
    os << "result " << r << " of shape [";
    for (int64_t dim : a.shape)
      os << dim << " ";
    os << "]: " << count << " of " << a.size() << " entries differ, first at " << first << ": expected "
       << entryText(a, first) << ", found " << entryText(b, first);
    return os.str();
  }
  return "";
}

std::string differenceOfRuns(const Outcome &expected, const Outcome &found) {
  if (!expected.error.empty() && !found.error.empty() && expected.error != found.error)
    return "expected the error " + expected.error + ", found " + found.error;
  return difference(expected, found);
}

std::unique_ptr<Backends> Backends::make(const std::string &text, std::string &reason, const std::string &along) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  std::unique_ptr<Backends> self(new Backends());
  self->context = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  SourceOptions source;
  source.sources = std::make_shared<llvm::SourceMgr>();
  llvm::raw_string_ostream said(reason);
  DiagnosticPrinter printer(*self->context, source.sources, said);
  std::unique_ptr<Program> program = Program::parse(*self->context, text, "random.nova", source);
  if (!program)
    return nullptr;
  self->core = buildCoreForm(program->getEntry(), {});
  if (!self->core)
    return nullptr;
  CompileOptions options;
  options.along = along;
  options.targets = {nova_target_supported("x86-64-v4") ? "x86-64-v4" : "x86-64-v3"};
  mlir::FailureOr<CompiledModule> compiled = compileGraph(program->getEntry(), options);
  mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> stored = compiledCoreForm(program->getEntry(), options);
  if (mlir::failed(compiled) || mlir::failed(stored))
    return nullptr;
  self->compiledCore = std::move(*stored);
  reason = take(nova_module_load_memory(compiled->bytes.data(), compiled->bytes.size(), nullptr, &self->module));
  return reason.empty() ? std::move(self) : nullptr;
}

Backends::~Backends() { nova_module_release(module); }

Outcome Backends::interpret(const Tensors &arguments) const {
  llvm::Expected<Tensors> results = nova::interpret(coreGraph(*core), arguments);
  if (results)
    return {std::move(*results), ""};
  // The order of lines in the text decides only which of several failures is found first.
  llvm::consumeError(results.takeError());
  results = nova::interpret(coreGraph(*compiledCore), arguments);
  return {{}, results ? "an error that depends on the order of lines" : llvm::toString(results.takeError())};
}

Outcome Backends::run(const Tensors &arguments, int threads, bool onednn) const {
  return call(nullptr, arguments, contextOf(threads, onednn));
}

Outcome Backends::call(nova_session_t *session, const Tensors &arguments, nova_context_t *in) const {
  return callAll({{session, &arguments}}, in).front();
}

std::vector<Outcome> Backends::callAll(const std::vector<Call> &calls, nova_context_t *in) const {
  std::vector<Views> inputs, outputs;
  std::vector<Outcome> outcomes(calls.size());
  std::vector<nova_run_t> runs;
  inputs.reserve(calls.size());
  outputs.reserve(calls.size());
  for (auto [call, outcome] : llvm::zip(calls, outcomes)) {
    std::vector<nova_tensor_t> &list = inputs.emplace_back(*call.arguments).list;
    for (size_t i = 0; i < list.size(); i++) {
      nova_port_t port;
      nova_status_free(nova_module_argument(module, i, &port));
      if (port.sequence_axis < 0) // what all runs have in common
        list[i] = inputs.front().list[i];
    }
    if (outcome.error = makeResults(call.session, list, outcome.results); !outcome.error.empty())
      return outcomes;
    std::vector<nova_tensor_t> &results = outputs.emplace_back(outcome.results).list;
    runs.push_back({module, nullptr, call.session, list.data(), list.size(), results.data(), results.size()});
  }
  std::string error = take(nova_run(in, runs.data(), runs.size()));
  for (auto [outcome, views] : llvm::zip(outcomes, outputs)) {
    outcome.error = error;
    views.fetch(outcome.results);
  }
  return outcomes;
}

// Results of the shapes that the module tells.
std::string Backends::makeResults(nova_session_t *session, const std::vector<nova_tensor_t> &inputs,
                                  Tensors &results) const {
  size_t count = nova_module_result_count(module);
  std::vector<nova_port_t> ports(count);
  std::vector<std::vector<int64_t>> shapes(count);
  std::vector<int64_t *> pointers;
  for (size_t i = 0; i < count; i++) {
    nova_status_free(nova_module_result(module, i, &ports[i]));
    shapes[i].resize(ports[i].rank);
    pointers.push_back(shapes[i].data());
  }
  if (std::string error =
          take(nova_module_infer(module, nullptr, session, inputs.data(), inputs.size(), pointers.data()));
      !error.empty())
    return error;
  for (size_t i = 0; i < count; i++) {
    results.emplace_back(Element::F64, reference::Shape());
    for (auto [type, element] : types)
      if (type == ports[i].type)
        results.back() = Tensor(element, shapes[i]);
    // Nothing that was there before may shine through.
    std::fill(results.back().bytes.begin(), results.back().bytes.end(), 0x5a);
  }
  return "";
}

int64_t Backends::rowsOf(const Tensors &arguments) const {
  for (size_t i = 0; i < arguments.size(); i++) {
    nova_port_t port;
    nova_status_free(nova_module_argument(module, i, &port));
    if (port.sequence_axis >= 0)
      return arguments[i].shape[port.sequence_axis];
  }
  return -1;
}

// Makes a session of what another one has written to a file.
std::string Backends::throughFile(nova_session_t *&session) const {
  llvm::SmallString<128> path;
  if (std::error_code error = llvm::sys::fs::createTemporaryFile("nova-session", "", path))
    return error.message();
  llvm::FileRemover remover(path);
  if (std::string error = take(nova_session_save(session, path.c_str())); !error.empty())
    return error;
  if (std::string error = take(nova_session_create(module, nullptr, &session)); !error.empty())
    return error;
  return take(nova_session_load(session, path.c_str()));
}

Tensors Backends::rowsFrom(const Tensors &arguments, int64_t first, int64_t count) const {
  Tensors rows;
  for (size_t i = 0; i < arguments.size(); i++) {
    nova_port_t port;
    nova_status_free(nova_module_argument(module, i, &port));
    rows.push_back(arguments[i]);
    if (port.sequence_axis < 0)
      continue;
    reference::Shape shape = arguments[i].shape;
    shape[port.sequence_axis] = count;
    Tensor from = arguments[i];
    rows.back() = Tensor(from.element, shape);
    moveRows(from, rows.back(), port.sequence_axis, first, true);
  }
  return rows;
}

// What a run of the first rows alone should have given, in the shapes of `like`.
Outcome Backends::firstRows(Outcome &all, const Outcome &like) const {
  Outcome first{like.results, ""};
  for (size_t i = 0; i < first.results.size(); i++) {
    nova_port_t port;
    nova_status_free(nova_module_result(module, i, &port));
    if (port.sequence_axis >= 0)
      moveRows(all.results[i], first.results[i], port.sequence_axis, 0, true);
  }
  return first;
}

Outcome Backends::feed(const Tensors &arguments, const std::vector<int64_t> &pieces, int threads) const {
  Outcome whole = run(arguments, threads); // for the shapes, also where it fails
  whole.error.clear();
  for (Tensor &result : whole.results)
    std::fill(result.bytes.begin(), result.bytes.end(), 0x5a);
  nova_session_t *session = nullptr;
  if (std::string error = take(nova_session_create(module, nullptr, &session)); !error.empty())
    return {{}, error};
  std::unique_ptr<nova_session_t, void (*)(nova_session_t *)> release(session, nova_session_free);
  int64_t past = 0;
  size_t fed = 0;
  for (int64_t rows : pieces) {
    Tensors inputs = rowsFrom(arguments, past, rows);
    std::vector<std::unique_ptr<nova_session_t, void (*)(nova_session_t *)>> twins;
    for (int twin = 0; twin < 3 && fed % 3 == 1 && rows > 0; twin++) {
      nova_session_t *fork = nullptr;
      if (std::string error = take(nova_session_fork(session, &fork)); !error.empty())
        return {{}, error};
      twins.emplace_back(fork, nova_session_free);
    }
    Outcome step = call(session, inputs, contextOf(threads, true));
    if (!step.error.empty())
      return step;
    // Now and then the session goes back and is fed the same again, or a fork of it goes on in its place.
    if (++fed % 3 == 1) {
      std::string error = take(nova_session_rewind(session, past));
      if (error.empty()) {
        Outcome again = call(session, inputs, contextOf(threads, true));
        if (std::string other = difference(step, again); !other.empty())
          return {{}, "fed again from row " + std::to_string(past) + ": " + other};
      } else if (error.find(" holds what follows from all rows") == std::string::npos) {
        return {{}, error};
      }
    }
    // Sessions that have seen the same are fed in one call, with as many rows, fewer, and one.
    std::vector<Tensors> fewer;
    std::vector<Call> calls;
    if (!twins.empty())
      for (int64_t count : {rows, (rows + 1) / 2, int64_t(1)})
        fewer.push_back(rowsFrom(arguments, past, count));
    for (auto [twin, rowsOfTwin] : llvm::zip(twins, fewer))
      calls.push_back({twin.get(), &rowsOfTwin});
    for (Outcome &found : callAll(calls, contextOf(threads, true)))
      if (std::string other = difference(firstRows(step, found), found); !other.empty())
        return {{}, "fed together from row " + std::to_string(past) + ": " + other};
    if (fed % 4 == 2) {
      if (std::string error = take(nova_session_fork(session, &session)); !error.empty())
        return {{}, error};
      release.reset(session);
    }
    if (fed % 5 == 3) {
      std::string error = throughFile(session);
      if (session != release.get())
        release.reset(session);
      if (!error.empty())
        return {{}, error};
    }
    for (size_t i = 0; i < step.results.size(); i++) {
      nova_port_t port;
      nova_status_free(nova_module_result(module, i, &port));
      if (port.sequence_axis < 0)
        whole.results[i] = step.results[i];
      else
        moveRows(whole.results[i], step.results[i], port.sequence_axis, past, false);
    }
    past += rows;
  }
  return whole;
}
} // namespace nova::test
