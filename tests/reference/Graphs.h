//===- Graphs.h - Core-form graphs and tensors for tests ---------------------===//
#ifndef NOVA_TESTS_REFERENCE_GRAPHS_H
#define NOVA_TESTS_REFERENCE_GRAPHS_H

#include "compiler/reference/Interpreter.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace nova::reference {

/// The element type of a C++ type of entries.
template <class T> Element elementFor();
template <> inline Element elementFor<double>() { return Element::F64; }
template <> inline Element elementFor<float>() { return Element::F32; }
template <> inline Element elementFor<int64_t>() { return Element::I64; }
template <> inline Element elementFor<int32_t>() { return Element::I32; }
template <> inline Element elementFor<uint8_t>() { return Element::I1; }

template <class T> Tensor tensor(std::vector<int64_t> shape, const std::vector<T> &values) {
  Tensor result(elementFor<T>(), std::move(shape));
  EXPECT_EQ(result.size(), static_cast<int64_t>(values.size()));
  std::copy(values.begin(), values.end(), result.data<T>());
  return result;
}

template <class T> std::vector<T> entries(const Tensor &x) {
  EXPECT_EQ(x.element, elementFor<T>());
  return std::vector<T>(x.data<T>(), x.data<T>() + x.size());
}

/// Parses graphs with a context of its own and runs the first of the text.
class Graph {
public:
  explicit Graph(const std::string &text) {
    mlir::DialectRegistry registry;
    registerGraphDialect(registry);
    context.appendDialectRegistry(registry);
    context.printOpOnDiagnostic(false);
    module = mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(&context));
    if (!module)
      throw std::runtime_error("cannot parse: " + text);
  }

  GraphOp get() { return *module->getOps<GraphOp>().begin(); }

  /// The results; a failure of the test on an error.
  std::vector<Tensor> run(const std::vector<Tensor> &arguments, const Bindings &known = {}) {
    auto results = interpret(get(), arguments, known);
    if (results)
      return std::move(*results);
    ADD_FAILURE() << llvm::toString(results.takeError());
    return {};
  }

  /// The error's text; "" and a failure of the test where there is none.
  std::string error(const std::vector<Tensor> &arguments) {
    auto results = interpret(get(), arguments);
    if (!results)
      return llvm::toString(results.takeError());
    ADD_FAILURE() << "expected an error";
    return "";
  }

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace nova::reference

#endif // NOVA_TESTS_REFERENCE_GRAPHS_H
