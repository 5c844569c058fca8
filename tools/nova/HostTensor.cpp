#include "tools/nova/HostTensor.h"
#include "compiler/reference/Memory.h"
#include "tools/nova/Failure.h"

using namespace llvm;
using nova::reference::Element;
using nova::reference::Shape;
using nova::reference::Tensor;

namespace nova::tool {
Expected<Tensor> makeTensor(const Twine &what, Element element, const Shape &shape) {
  if (std::string problem = reference::memoryProblem(element, shape); !problem.empty())
    return environmentFailure(what + ": " + problem);
  try {
    return Tensor(element, shape);
  } catch (const std::bad_alloc &) {
    return environmentFailure(what + ": " + reference::allocationProblem(element, shape));
  }
}
} // namespace nova::tool
