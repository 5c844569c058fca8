#include "tools/nova/Table.h"
#include "compiler/reference/Entries.h"
#include "tools/nova/Npy.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include <charconv>
#include <cmath>

using namespace llvm;
using nova::reference::Element;
using nova::reference::Tensor;

namespace nova::tool {
static constexpr int64_t maxRows = 12, maxColumns = 8, maxMatrices = 3;

// Locale-independent, unlike printf. Six significant digits, or all that tell the number from its neighbours.
template <class Float> static std::string numberText(Float value, bool exact = false) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char buffer[32], *limit = buffer + sizeof buffer;
  auto [end, error] = exact ? std::to_chars(buffer, limit, value)
                            : std::to_chars(buffer, limit, double(value), std::chars_format::general, 6);
  return std::string(buffer, end);
}

// What is only kept is shown as the number it is widened to.
template <class T> static auto numberOf(T x) {
  if constexpr (reference::isStored<T>)
    return reference::widen(x);
  else
    return x;
}

static std::string entryText(const Tensor &tensor, int64_t i, bool exact = false) {
  if (tensor.element == Element::I1)
    return tensor.data<uint8_t>()[i] ? "true" : "false";
  return reference::visitElement(tensor.element, [&](auto tag) {
    auto value = numberOf(tensor.data<typename decltype(tag)::Type>()[i]);
    if constexpr (std::is_floating_point_v<decltype(value)>)
      return numberText(value, exact);
    else
      return std::to_string(value);
  });
}

std::string exactText(const Tensor &tensor, int64_t entry) { return entryText(tensor, entry, /*exact=*/true); }

// The entries with the least and the greatest number, and how many are NaN.
std::string rangeText(const Tensor &tensor) {
  return reference::visitElement(tensor.element, [&](auto tag) {
    const auto *data = tensor.data<typename decltype(tag)::Type>();
    auto number = [&](int64_t i) { return numberOf(data[i]); };
    int64_t least = -1, greatest = -1, nans = 0;
    for (int64_t i = 0, size = tensor.size(); i < size; i++) {
      if (number(i) != number(i)) {
        nans++;
        continue;
      }
      least = least < 0 || number(i) < number(least) ? i : least;
      greatest = greatest < 0 || number(i) > number(greatest) ? i : greatest;
    }
    std::string text = least < 0 ? "" : entryText(tensor, least) + " .. " + entryText(tensor, greatest);
    if (nans)
      text += (text.empty() ? "" : ", ") + std::to_string(nans) + " nan";
    return text;
  });
}

// 0 .. size, or its beginning and end around a -1.
static SmallVector<int64_t> shownIndices(int64_t size, int64_t limit) {
  SmallVector<int64_t> indices;
  int64_t head = size <= limit ? size : limit / 2;
  for (int64_t i = 0; i < head; i++)
    indices.push_back(i);
  if (head == size)
    return indices;
  indices.push_back(-1);
  for (int64_t i = size - limit / 2; i < size; i++)
    indices.push_back(i);
  return indices;
}

static void printMatrix(const Tensor &tensor, int64_t start, int64_t rows, int64_t columns, raw_ostream &os) {
  SmallVector<int64_t> shownRows = shownIndices(rows, maxRows), shownColumns = shownIndices(columns, maxColumns);
  std::vector<std::vector<std::string>> cells;
  size_t width = 3;
  for (int64_t r : shownRows) {
    cells.emplace_back();
    for (int64_t c : shownColumns) {
      cells.back().push_back(r < 0 || c < 0 ? "..." : entryText(tensor, start + r * columns + c));
      width = std::max(width, cells.back().back().size());
    }
  }
  for (const auto &row : cells) {
    os << " ";
    for (const std::string &cell : row)
      os << " " << right_justify(cell, width);
    os << "\n";
  }
}

void printTable(StringRef name, const Tensor &tensor, raw_ostream &os) {
  os << name << ": " << describe(tensor) << "\n";
  if (tensor.bytes.empty())
    return;
  size_t rank = tensor.shape.size();
  int64_t columns = rank ? tensor.shape[rank - 1] : 1, rows = rank > 1 ? tensor.shape[rank - 2] : 1;
  int64_t matrices = tensor.size() / (rows * columns);
  for (int64_t i = 0; i < std::min(matrices, maxMatrices); i++) {
    if (matrices > 1)
      os << "  (matrix " << i << " of " << matrices << ")\n";
    printMatrix(tensor, i * rows * columns, rows, columns, os);
  }
  if (matrices > maxMatrices)
    os << "  ...\n";
}

json::Array toJson(const Tensor &tensor) {
  json::Array values;
  reference::visitElement(tensor.element, [&](auto tag) {
    for (int64_t i = 0; i < tensor.size(); i++) {
      auto value = numberOf(tensor.data<typename decltype(tag)::Type>()[i]);
      if (tensor.element == Element::I1)
        values.push_back(value != 0);
      else if constexpr (!std::is_floating_point_v<decltype(value)>)
        values.push_back(int64_t(value));
      else if (std::isfinite(value))
        values.push_back(double(value));
      else
        values.push_back(numberText(value));
    }
  });
  return values;
}
} // namespace nova::tool
