//===- LoadedObject.cpp ---------------------------------------------------===//

#include "runtime/core/LoadedObject.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace nova::runtime;

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U // Linux 6.3
#endif

/// An anonymous file that may be mapped for execution. Older kernels do not know the flag that asks for it.
static int createAnonymousFile() {
  int file = memfd_create("nova-module", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);
  if (file < 0 && errno == EINVAL)
    file = memfd_create("nova-module", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  return file;
}

static bool writeAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

Status LoadedObject::open(std::string_view bytes) {
  file = createAnonymousFile();
  if (file < 0)
    return fail(NOVA_IO_ERROR, "cannot make an anonymous file for the module: ", strerror(errno));
  if (!writeAll(file, bytes) || fcntl(file, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return fail(NOVA_IO_ERROR, "cannot write the module to an anonymous file: ", strerror(errno));
  // The loader takes objects of one path for the same object, so the descriptor, and with it the path, stays taken for
  // as long as the object is loaded.
  std::string path = concat("/proc/self/fd/", file);
  handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return fail(NOVA_IO_ERROR, "the dynamic loader refuses the module: ", dlerror());
  return Status::success();
}

void *LoadedObject::find(const char *symbol) const { return dlsym(handle, symbol); }

LoadedObject::~LoadedObject() {
  if (handle)
    dlclose(handle);
  if (file >= 0)
    close(file);
}
