//===- Module.h - A loaded module -------------------------------*- C++ -*-===//

#ifndef NOVA_RUNTIME_CORE_MODULE_H
#define NOVA_RUNTIME_CORE_MODULE_H

#include "runtime/core/Buffer.h"
#include "runtime/core/LibraryTiles.h"
#include "runtime/core/LoadedObject.h"
#include "runtime/core/Manifest.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nova::runtime {

/// A tile function: see docs/module-format.md.
using Kernel = int32_t (*)(void *const *buffers, const int64_t *dims, int64_t row0, int64_t rows, void *scratch);
/// The bytes of a buffer for these symbols.
using BytesFunction = int64_t (*)(const int64_t *dims);
/// The bytes of a step's scratch for these symbols and this many rows.
using ScratchFunction = int64_t (*)(const int64_t *dims, int64_t blockRows);

/// Writes the shapes of a step's contractions that library tiles may carry.
using ShapesFunction = void (*)(const int64_t *dims, ContractionShape *shapes);

/// The functions of a step for the chosen target.
struct StepCode {
  Kernel kernel;
  ScratchFunction scratch; // or null
  ShapesFunction shapes;   // or null
};

/// The memory of a temporary, a state or a prepared buffer: `count` matrices, each `stride` bytes after the one before.
struct Matrices {
  int64_t count;
  int64_t stride; // a multiple of kBufferAlignment

  /// INT64_MAX, which cannot be had, for what is more than 63 bits hold.
  int64_t bytes() const { return multiplyBytes(count, stride); }
};

/// A checked and loaded module. Immutable after load; any number of threads may use it.
class Module {
public:
  /// Checks bytes without executing any: the file's structure, its digest, the manifest.
  static Status check(std::string_view bytes, Manifest &manifest, std::string_view &manifestText);

  /// Checks, chooses a target (`target`, or the best one if null), loads, and resolves every name.
  static Status load(std::string_view bytes, const char *target, std::shared_ptr<const Module> &module);

  const Manifest &manifest() const { return description; }
  const std::string &manifestText() const { return text; }
  const std::string &target() const { return description.targets[targetIndex]; }

  /// By step of a stage.
  const std::vector<StepCode> &code(Stage stage) const { return stage == Stage::Prepare ? prepareCode : stepCode; }
  /// By buffer: the function for those that consist of matrices, else null.
  const std::vector<BytesFunction> &bytes() const { return bytesFunctions; }
  /// By buffer: the data of constants, else null.
  const std::vector<void *> &constants() const { return constantData; }

  /// How many matrices a temporary, a state or a prepared buffer has, 0 or more.
  Status countMatrices(size_t buffer, const int64_t *dims, int64_t &count) const;

  /// What a temporary, a state or a prepared buffer needs; an unrepresentable size is a NOVA_OUT_OF_MEMORY that names
  /// the buffer.
  Status findMatrices(size_t buffer, const int64_t *dims, Matrices &matrices) const;

private:
  Status resolve();
  Status resolveSteps(const std::vector<Step> &steps, std::vector<StepCode> &codes) const;
  Status find(const std::string &symbol, void *&address) const;

  Manifest description;
  std::string text;
  size_t targetIndex = 0;
  LoadedObject object;
  std::vector<StepCode> prepareCode, stepCode;
  std::vector<BytesFunction> bytesFunctions;
  std::vector<void *> constantData;
};

} // namespace nova::runtime

struct nova_module_t {
  std::shared_ptr<const nova::runtime::Module> module;
};

#endif // NOVA_RUNTIME_CORE_MODULE_H
