//===- Heads.cpp ------------------------------------------------------------===//

#include "benchmarks/Heads.h"

#include <algorithm>
#include <cmath>

namespace nova::benchmarks {

std::string Cell::name(const std::string &kind) const {
  return kind + "/" + nova_type_name(type) + "/" + std::to_string(heads * queries) + "x" + std::to_string(rows) + "x" +
         std::to_string(width);
}

Heads::Heads(nova_module_t *module, const Cell &cell, int64_t rows)
    : cell(cell), rows(rows), module(module), Q(cell.type, asking(cell.heads, 0), 0, cell.scale),
      K(cell.type, answering(cell.heads, 0), 1), V(cell.type, answering(cell.heads, 0), 2),
      O(cell.type, asking(cell.heads, 0), 3), tensors(4 * cell.heads), runs(cell.heads) {}

void Heads::run(nova_context_t *context, int64_t first, int64_t count, const std::vector<Session> *sessions) {
  answeringDims = {count, cell.width};
  askingDims = answeringDims;
  if (cell.queries > 1)
    askingDims.insert(askingDims.begin() + 1, cell.queries);
  int32_t rank = int32_t(askingDims.size());
  for (int64_t head = 0; head < cell.heads; ++head) {
    nova_tensor_t *parts = &tensors[4 * head];
    parts[0] = {cell.type, rank, askingDims.data(), Q.at(asking(head, first))};
    parts[1] = {cell.type, 2, answeringDims.data(), K.at(answering(head, first))};
    parts[2] = {cell.type, 2, answeringDims.data(), V.at(answering(head, first))};
    parts[3] = {cell.type, rank, askingDims.data(), O.at(asking(head, first))};
    runs[head] = {module, nullptr, sessions ? (*sessions)[head].get() : nullptr, parts, 3, parts + 3, 1};
  }
  require(nova_run(context, runs.data(), runs.size()));
}

std::vector<double> Heads::attend(int64_t head, int64_t query, int64_t row, const std::vector<int64_t> &seen) const {
  int64_t from = asking(head, row) + query * cell.width;
  std::vector<double> weights, result(cell.width);
  for (int64_t key : seen) {
    double score = 0;
    for (int64_t c = 0; c < cell.width; ++c)
      score += Q[from + c] * K[answering(head, key) + c];
    weights.push_back(score / std::sqrt(double(cell.width)));
  }
  double greatest = *std::max_element(weights.begin(), weights.end()), total = 0;
  for (double &weight : weights)
    total += weight = std::exp(weight - greatest);
  for (size_t i = 0; i < seen.size(); ++i)
    for (int64_t c = 0; c < cell.width; ++c)
      result[c] += weights[i] / total * V[answering(head, seen[i]) + c];
  return result;
}

void Heads::check(int64_t row, const std::vector<int64_t> &seen) const {
  for (int64_t head = 0; head < cell.heads; ++head)
    for (int64_t query = 0; query < cell.queries; ++query) {
      std::vector<double> expected = attend(head, query, row, seen);
      for (int64_t c = 0; c < cell.width; ++c)
        requireNear(O[asking(head, row) + query * cell.width + c], expected[c], cell.type);
    }
}

} // namespace nova::benchmarks
