#include "tools/source/StdLib.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

using namespace llvm;

namespace nova::tool {
std::string stdLibDir() {
  if (std::optional<std::string> given = sys::Process::GetEnv("NOVA_STD_LIB"))
    return *given;
  SmallString<256> path(sys::path::parent_path(sys::fs::getMainExecutable(nullptr, nullptr)));
  sys::path::append(path, "..", "share", "nova", "std_lib");
  return sys::fs::is_directory(path) ? std::string(path) : NOVA_STD_LIB_DIR;
}
} // namespace nova::tool
