//===- Module.h - Modules of graphs that a benchmark writes -----------------===//
#ifndef NOVA_BENCHMARKS_MODULE_H
#define NOVA_BENCHMARKS_MODULE_H

#include "benchmarks/Handles.h"

#include <string>

namespace nova::benchmarks {

/// The module of the last graph of `text`, which may call std_lib, compiled for all targets and loaded. Ends the
/// program where that fails.
Module compileText(const std::string &text);

} // namespace nova::benchmarks

#endif // NOVA_BENCHMARKS_MODULE_H
