#include "tools/nova/Rows.h"
#include <algorithm>
#include <cstring>

using nova::reference::Tensor;

namespace nova::tool {
namespace {
// Around an axis a row-major tensor is `blocks` pieces, each of `size` runs of `run` bytes.
struct Layout {
  Layout(const Tensor &tensor, unsigned axis) : size(tensor.shape[axis]), run(byteSize(tensor.element)) {
    for (unsigned i = 0; i < axis; i++)
      blocks *= tensor.shape[i];
    for (size_t i = axis + 1; i < tensor.shape.size(); i++)
      run *= tensor.shape[i];
  }
  int64_t blocks = 1, size, run;
};
} // namespace

Tensor takeRows(const Tensor &from, unsigned axis, int64_t begin, int64_t count) {
  reference::Shape shape = from.shape;
  shape[axis] = count;
  Tensor part(from.element, shape);
  Layout layout(from, axis);
  if (!part.bytes.empty())
    for (int64_t b = 0; b < layout.blocks; b++)
      std::memcpy(&part.bytes[b * count * layout.run], &from.bytes[(b * layout.size + begin) * layout.run],
                  count * layout.run);
  return part;
}

void putRows(const Tensor &part, Tensor &whole, unsigned axis, int64_t begin) {
  Layout layout(whole, axis);
  int64_t count = part.shape[axis];
  if (!part.bytes.empty())
    for (int64_t b = 0; b < layout.blocks; b++)
      std::memcpy(&whole.bytes[(b * layout.size + begin) * layout.run], &part.bytes[b * count * layout.run],
                  count * layout.run);
}

std::optional<int64_t> Pieces::next() {
  if (left == 0 && begun)
    return std::nullopt;
  begun = true;
  int64_t rows = std::min(left, chunks.empty() ? 1 : chunks.front());
  if (chunks.size() > 1)
    chunks = chunks.drop_front();
  left -= rows;
  return rows;
}
} // namespace nova::tool
