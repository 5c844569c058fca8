//===- ModuleInstance.h - A module with its params --------------*- C++ -*-===//

#ifndef NOVA_RUNTIME_CORE_MODULEINSTANCE_H
#define NOVA_RUNTIME_CORE_MODULEINSTANCE_H

#include "runtime/core/Buffer.h"
#include "runtime/core/Module.h"

#include <memory>
#include <vector>

namespace nova::runtime {

/// The params of a module, in the caller's memory, and what the steps of `prepare` make of them. Immutable once these
/// have been run (Context::prepare); then any number of threads may use it.
class ModuleInstance {
public:
  /// Checks the params and gets the memory of the prepared buffers, zeroed.
  static Status bind(std::shared_ptr<const Module> module, const nova_tensor_t *params, size_t count,
                     std::shared_ptr<ModuleInstance> &instance);

  const std::shared_ptr<const Module> &module() const { return owner; }

  /// By position among the module's params; the sizes are copies.
  const nova_tensor_t *params() const { return tensors.data(); }

  /// The symbols that the params tell; 0 for the others.
  const std::vector<int64_t> &dims() const { return symbols; }

  /// The memory of the prepared buffer with this index among the module's.
  void *prepared(uint32_t index) const { return static_cast<char *>(memory.data()) + places[index].offset; }
  const Matrices &matrices(uint32_t index) const { return places[index].matrices; }

  /// The bytes that the steps of a stage may read or write of params and prepared buffers, for the estimate of its
  /// work.
  double traffic(Stage stage) const { return stage == Stage::Prepare ? prepareBytes : runBytes; }

private:
  struct Place {
    Matrices matrices;
    int64_t offset; // in the memory
  };

  void keep(const nova_tensor_t *params);
  Status placeBuffers();
  double bytesOf(Stage stage) const;

  std::shared_ptr<const Module> owner;
  std::vector<nova_tensor_t> tensors;
  std::vector<int64_t> sizes; // of the tensors, one after the other
  std::vector<int64_t> symbols;
  std::vector<Place> places;
  Buffer memory; // of all prepared buffers: large ones and many small ones have huge pages
  double prepareBytes = 0, runBytes = 0;
};

} // namespace nova::runtime

struct nova_instance_t {
  std::shared_ptr<const nova::runtime::ModuleInstance> instance;
};

#endif // NOVA_RUNTIME_CORE_MODULEINSTANCE_H
