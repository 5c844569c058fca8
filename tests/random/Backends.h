// One graph on both backends: the interpreter, and the module compiled for this CPU, whole and in pieces.
#ifndef NOVA_TESTS_RANDOM_BACKENDS_H
#define NOVA_TESTS_RANDOM_BACKENDS_H

#include "compiler/reference/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "nova/nova.h"
#include <memory>
#include <string>
#include <vector>

namespace nova::test {
using Tensors = std::vector<reference::Tensor>;

/// Results, or why there are none.
struct Outcome {
  Tensors results;
  std::string error;
};

/// Empty where both give the same bits (or both find a division by zero or an index outside); else the first difference
/// in words.
std::string difference(const Outcome &expected, const Outcome &found);
/// The same for whole runs of one graph: they must fail in the same words.
std::string differenceOfRuns(const Outcome &expected, const Outcome &found);

class Backends {
public:
  /// Null with a reason where the text is no graph or does not compile. `along` names the sequence; empty: the leading
  /// axis of the first result, if the graph can be fed along it.
  static std::unique_ptr<Backends> make(const std::string &text, std::string &reason, const std::string &along = "");
  ~Backends();

  /// Whether the module can be fed rows in pieces.
  bool isSequence() const { return nova_module_is_sequence(module); }
  /// The number of rows of a whole run with these arguments; -1 where no argument has rows.
  int64_t rowsOf(const Tensors &arguments) const;

  Outcome interpret(const Tensors &arguments) const;
  /// Threads: 1 or 2.
  Outcome run(const Tensors &arguments, int threads, bool onednn = true) const;
  /// The same through a session, so many rows at a time.
  Outcome feed(const Tensors &arguments, const std::vector<int64_t> &pieces, int threads) const;

private:
  Backends() = default;
  struct Call {
    nova_session_t *session;
    const Tensors *arguments;
  };
  Outcome call(nova_session_t *session, const Tensors &arguments, nova_context_t *in) const;
  /// Several in one call of the runtime; arguments without rows are those of the first.
  std::vector<Outcome> callAll(const std::vector<Call> &calls, nova_context_t *in) const;
  std::string makeResults(nova_session_t *session, const std::vector<nova_tensor_t> &inputs, Tensors &results) const;
  std::string throughFile(nova_session_t *&session) const;
  Tensors rowsFrom(const Tensors &arguments, int64_t first, int64_t count) const;
  Outcome firstRows(Outcome &all, const Outcome &like) const;

  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> core, compiledCore; // that of the text, and that of its stored form
  nova_module_t *module = nullptr;
};
} // namespace nova::test

#endif
