//===- LoadedObject.h - A shared object mapped from memory ------*- C++ -*-===//

#ifndef NOVA_RUNTIME_CORE_LOADEDOBJECT_H
#define NOVA_RUNTIME_CORE_LOADEDOBJECT_H

#include "runtime/core/Status.h"

#include <string_view>

namespace nova::runtime {

/// Owns a shared object that the dynamic loader mapped from a sealed copy of given bytes: what was checked is what is
/// executed, whatever happens to the file they came from.
class LoadedObject {
public:
  LoadedObject() = default;
  LoadedObject(const LoadedObject &) = delete;
  LoadedObject &operator=(const LoadedObject &) = delete;
  ~LoadedObject();

  /// Maps the object; call it once. Failures are NOVA_IO_ERROR.
  Status open(std::string_view bytes);

  /// The address of an exported symbol, or null. The object must be open.
  void *find(const char *symbol) const;

private:
  void *handle = nullptr;
  int file = -1;
};

} // namespace nova::runtime

#endif // NOVA_RUNTIME_CORE_LOADEDOBJECT_H
