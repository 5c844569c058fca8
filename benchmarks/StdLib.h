//===- StdLib.h - Graphs of std_lib, compiled in process ---------------------===//
#ifndef NOVA_BENCHMARKS_STDLIB_H
#define NOVA_BENCHMARKS_STDLIB_H

#include "benchmarks/Handles.h"
#include "compiler/pipeline/Compiler.h"

#include <memory>
#include <string>
#include <vector>

namespace nova::benchmarks {

/// The bytes of the module of std.nn.`function` for element type `type` ("f32", "f64"), with the code of every CPU
/// target, or of `target` alone. `freeOrder` is that of CompileOptions. Ends the program when the graph does not
/// compile.
std::vector<char> compileStdLib(const std::string &function, const std::string &type, const std::string &target = "",
                                bool freeOrder = false);

/// Reads and checks std.nn.`function`. Ends the program when the graph is refused.
std::unique_ptr<Program> loadStdLib(mlir::MLIRContext &context, const std::string &function);

/// The options that compile a function for element type `type` and, unless empty, `target` alone.
CompileOptions stdLibOptions(const std::string &type, const std::string &target);

/// The module, compiled at the first call for a function, type and order and kept until the program ends.
nova_module_t *stdLibModule(const std::string &function, const std::string &type, bool freeOrder = false);

} // namespace nova::benchmarks

#endif // NOVA_BENCHMARKS_STDLIB_H
