// Files that hold several tensors under names: .npz and safetensors.
#ifndef NOVA_TOOLS_NOVA_TENSORFILE_H
#define NOVA_TOOLS_NOVA_TENSORFILE_H

#include "compiler/reference/Tensor.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>

namespace nova::tool {
struct NamedTensor {
  std::string name;
  const reference::Tensor *tensor;
};

/// A file opened for reading. Opening reads names, types and places and refuses a file in which they are wrong: cut
/// off, a name twice or not UTF-8, places outside the file or that overlap. Data are read tensor by tensor. Errors say
/// what was expected and found, without the path; those with the code errc::not_enough_memory are the machine's. Any
/// bytes are safe, and no more memory is used than the file is long and the tensor that is read has bytes.
class TensorFile {
public:
  virtual ~TensorFile() = default;

  /// Does the name of a file promise one of the two formats (.npz, .safetensors)?
  static bool hasEnding(llvm::StringRef path);
  /// By the ending of `path`.
  static llvm::Expected<std::unique_ptr<TensorFile>> open(llvm::StringRef path);
  /// Writes a file of the format that `path` promises: one tensor or more, of distinct names. The bytes depend on names
  /// and tensors only.
  static llvm::Error write(llvm::StringRef path, llvm::ArrayRef<NamedTensor> tensors, llvm::raw_ostream &os);

  /// In the order of the file.
  llvm::ArrayRef<std::string> names() const { return list; }
  /// An error also for an element type that graphs lack.
  virtual llvm::Expected<reference::Tensor> read(llvm::StringRef name) = 0;

protected:
  std::vector<std::string> list;
};

llvm::Expected<std::unique_ptr<TensorFile>> openNpz(llvm::StringRef path);
/// Stored, not deflated, dated 1980: what np.savez writes.
llvm::Error writeNpz(llvm::ArrayRef<NamedTensor> tensors, llvm::raw_ostream &os);
llvm::Expected<std::unique_ptr<TensorFile>> openSafetensors(llvm::StringRef path);
/// Tensors of wide entries first, so that all are aligned.
llvm::Error writeSafetensors(llvm::ArrayRef<NamedTensor> tensors, llvm::raw_ostream &os);
} // namespace nova::tool

#endif
