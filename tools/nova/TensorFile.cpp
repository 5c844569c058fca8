#include "tools/nova/TensorFile.h"

using namespace llvm;

namespace nova::tool {
static bool isSafetensors(StringRef path) { return path.ends_with(".safetensors"); }

bool TensorFile::hasEnding(StringRef path) { return path.ends_with(".npz") || isSafetensors(path); }

Expected<std::unique_ptr<TensorFile>> TensorFile::open(StringRef path) {
  return isSafetensors(path) ? openSafetensors(path) : openNpz(path);
}

Error TensorFile::write(StringRef path, ArrayRef<NamedTensor> tensors, raw_ostream &os) {
  return isSafetensors(path) ? writeSafetensors(tensors, os) : writeNpz(tensors, os);
}
} // namespace nova::tool
