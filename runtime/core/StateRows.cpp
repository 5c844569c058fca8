//===- StateRows.cpp ------------------------------------------------------===//

#include "runtime/core/StateRows.h"
#include "runtime/core/Buffer.h"

#include <algorithm>
#include <cstring>

using namespace nova::runtime;

// The columns of a panel fill a cache line where entries have 4 or 8 bytes.
static int64_t panelWidth(int64_t elementBytes) { return elementBytes == 8 ? 8 : 16; }

Status StateRows::make(const BufferSpec &state, const int64_t *dims, StateRows &rows) {
  rows.layout = state.layout;
  rows.elementBytes = static_cast<int64_t>(nova_type_size(state.type));
  int64_t sizes[2] = {1, 1}; // the first axis, and the others together
  for (size_t axis = 0; axis < state.dims.size(); ++axis) {
    int64_t size;
    if (!state.dims[axis].evaluate(dims, size) || size < 0)
      return fail(NOVA_MODULE_INVALID, "state ", state.name, ": its axis ", state.dims[axis].text(),
                  " has no size that can be");
    int64_t &of = sizes[axis > 0];
    of = multiplyBytes(of, size);
  }
  if (multiplyBytes(multiplyBytes(sizes[0], sizes[1]), rows.elementBytes) == INT64_MAX)
    return fail(NOVA_MODULE_INVALID, "state ", state.name, ": its matrices are larger than 63 bits hold");
  bool isTurned = state.layout == StateLayout::Panels; // the rows of the session are its columns
  rows.rowCount = sizes[isTurned];
  rows.columns = sizes[!isTurned];
  return Status::success();
}

template <typename Visit> void StateRows::eachPiece(int64_t row, Visit visit) const {
  const int64_t width = panelWidth(elementBytes);
  if (layout == StateLayout::Rows)
    return visit(row * bytesPerRow(), 0, bytesPerRow());
  if (layout == StateLayout::Panels) { // [panel of rows][column][lane]
    for (int64_t column = 0; column < columns; ++column)
      visit(((row / width * columns + column) * width + row % width) * elementBytes, column * elementBytes,
            elementBytes);
    return;
  }
  const int64_t panels = (columns + width - 1) / width; // [page of rows][panel of columns][row][lane]
  for (int64_t panel = 0; panel < panels; ++panel) {
    int64_t lanes = std::min(width, columns - panel * width);
    int64_t line = (row / kPageRows * panels + panel) * kPageRows + row % kPageRows;
    visit(line * width * elementBytes, panel * width * elementBytes, lanes * elementBytes);
  }
}

int64_t StateRows::prefixOf(int64_t rows) const {
  const int64_t width = panelWidth(elementBytes);
  if (layout == StateLayout::Rows)
    return rows * bytesPerRow();
  if (layout == StateLayout::Panels)
    return rows / width * width * bytesPerRow();
  return rows / kPageRows * kPageRows * ((columns + width - 1) / width * width * elementBytes);
}

void StateRows::read(const char *matrix, int64_t row, char *out) const {
  eachPiece(row, [&](int64_t there, int64_t here, int64_t bytes) {
    std::memcpy(out + here, matrix + there, static_cast<size_t>(bytes));
  });
}

void StateRows::write(char *matrix, int64_t row, const char *in) const {
  eachPiece(row, [&](int64_t there, int64_t here, int64_t bytes) {
    std::memcpy(matrix + there, in + here, static_cast<size_t>(bytes));
  });
}
