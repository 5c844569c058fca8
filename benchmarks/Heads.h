//===- Heads.h - Heads of attention as independent runs ---------------------===//
#ifndef NOVA_BENCHMARKS_HEADS_H
#define NOVA_BENCHMARKS_HEADS_H

#include "benchmarks/Handles.h"
#include "benchmarks/Numbers.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nova::benchmarks {

/// A shape of attention. `queries` heads share the keys and values of each of `heads`; `scale` makes the scores wider.
struct Cell {
  nova_type_t type;
  int64_t heads, rows, width;
  int64_t queries = 1;
  double scale = 1;
  bool freeOrder = false; // code that sums as it comes, to see what the canonical order costs

  /// KIND/TYPE/HEADSxROWSxWIDTH, where all heads that ask count.
  std::string name(const std::string &kind) const;
};

/// Q, K, V and O of every head, and runs over a window of their rows. `rows` of them exist. The module takes Q and
/// gives O as [n, d], or as [n, queries, d] where there are several.
class Heads {
public:
  Heads(nova_module_t *module, const Cell &cell, int64_t rows);

  /// Runs all heads over rows `first` .. `first + count`, as whole runs or extending `sessions`.
  void run(nova_context_t *context, int64_t first, int64_t count, const std::vector<Session> *sessions = nullptr);

  /// Ends the program unless row `row` of every O is what the formula gives in f64 over the rows `seen` of K and V.
  void check(int64_t row, const std::vector<int64_t> &seen) const;

private:
  std::vector<double> attend(int64_t head, int64_t query, int64_t row, const std::vector<int64_t> &seen) const;
  /// Where row `row` of a head begins, in Q and O or in K and V.
  int64_t asking(int64_t head, int64_t row) const { return (head * rows + row) * cell.queries * cell.width; }
  int64_t answering(int64_t head, int64_t row) const { return (head * rows + row) * cell.width; }

  Cell cell;
  int64_t rows;
  nova_module_t *module;
  Numbers Q, K, V, O;
  std::vector<int64_t> askingDims, answeringDims;
  std::vector<nova_tensor_t> tensors;
  std::vector<nova_run_t> runs;
};

} // namespace nova::benchmarks

#endif // NOVA_BENCHMARKS_HEADS_H
