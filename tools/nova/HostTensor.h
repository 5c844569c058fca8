// Tensors of the sizes that a user asked for.
#ifndef NOVA_TOOLS_NOVA_HOSTTENSOR_H
#define NOVA_TOOLS_NOVA_HOSTTENSOR_H

#include "compiler/reference/Tensor.h"
#include "llvm/Support/Error.h"

namespace nova::tool {
/// A tensor of zeros. Without memory for it a Failure of the environment that begins with `what` and tells its type and
/// its size.
llvm::Expected<reference::Tensor> makeTensor(const llvm::Twine &what, reference::Element element,
                                             const reference::Shape &shape);
} // namespace nova::tool

#endif
