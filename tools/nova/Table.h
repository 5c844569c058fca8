// Tensors on a terminal: small ones whole, large ones with their corners.
#ifndef NOVA_TOOLS_NOVA_TABLE_H
#define NOVA_TOOLS_NOVA_TABLE_H

#include "compiler/reference/Tensor.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace nova::tool {
/// Prints `name: f64[2, 3]` and the entries as a table of rows, six significant digits; of more than 12 rows or 8
/// columns the first and last are shown. More than two axes: one table per matrix, the first few.
void printTable(llvm::StringRef name, const reference::Tensor &tensor, llvm::raw_ostream &os);
/// One entry, floats with all digits that tell it from its neighbours.
std::string exactText(const reference::Tensor &tensor, int64_t entry);
/// `-1.5 .. 2.25, 3 nan`: the least and the greatest number, and how many entries are none; "" without entries.
std::string rangeText(const reference::Tensor &tensor);
/// The entries in row-major order: numbers, true and false; what JSON has no number for as "inf", "-inf", "nan".
llvm::json::Array toJson(const reference::Tensor &tensor);
} // namespace nova::tool

#endif
