// NumPy's .npy files: every layout is converted or refused, never guessed.
#ifndef NOVA_TOOLS_NOVA_NPY_H
#define NOVA_TOOLS_NOVA_NPY_H

#include "compiler/reference/Tensor.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace nova::tool {
/// The tensor in the bytes of a .npy file. Versions 1.0 to 3.0; f8, f4, f2, i8, i4, i1, bool and
/// bfloat16, which NumPy's files name V2; both byte orders and both orders
/// of axes are converted. The error says what was expected and found: not .npy, another element type, a header that is
/// no such dictionary, a shape that is no shape, too few or too many bytes; with the code errc::not_enough_memory, a
/// shape that the machine cannot hold. Any bytes are safe.
llvm::Expected<reference::Tensor> parseNpy(llvm::StringRef bytes);
/// Puts the next bytes into a buffer and tells how many; 0 at the end.
using ReadBytes = llvm::function_ref<llvm::Expected<size_t>(llvm::MutableArrayRef<char>)>;
/// parseNpy of what `next` gives, which may never end: no more is read than the header announces, and one byte that would
/// be too many.
llvm::Expected<reference::Tensor> readNpy(ReadBytes next);
/// Reads a file; of a pipe or a device no more than its header announces. The error's message does not repeat the path.
llvm::Expected<reference::Tensor> readNpyFile(llvm::StringRef path);
/// What stands before the data in a file of version 1.0, little-endian, C order.
std::string npyHeader(const reference::Tensor &tensor);
/// Writes such a file.
void writeNpy(const reference::Tensor &tensor, llvm::raw_ostream &os);
/// `f64[2, 3]`.
std::string describe(const reference::Tensor &tensor);
} // namespace nova::tool

#endif
