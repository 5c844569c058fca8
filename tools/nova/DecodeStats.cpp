#include "tools/nova/DecodeStats.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <tuple>

using namespace llvm;

namespace nova::tool {
// The first contexts are told together, then each doubling.
constexpr int64_t firstSpan = 256;
constexpr size_t mostKernels = 12;

void DecodeStats::addCall(int64_t past, int64_t rows, double seconds, int64_t bytes) {
  if (spans.empty())
    spans.push_back({0, firstSpan});
  while (past >= spans.back().to)
    spans.push_back({spans.back().to, 2 * spans.back().to});
  Span &span = spans.back();
  span.rows += rows;
  span.calls++;
  span.seconds += seconds;
  span.bytes = bytes;
}

void DecodeStats::addKernel(std::string name, int64_t calls, double seconds) {
  kernels.push_back({std::move(name), calls, seconds});
}

std::vector<DecodeStats::Kernel> DecodeStats::slowestFirst() const {
  std::vector<Kernel> sorted = kernels;
  std::sort(sorted.begin(), sorted.end(),
            [](const Kernel &a, const Kernel &b) { return std::tie(b.seconds, a.name) < std::tie(a.seconds, b.name); });
  return sorted;
}

// `1.50 MiB`.
static std::string bytesText(int64_t bytes) {
  const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double size = double(bytes);
  unsigned unit = 0;
  for (; size >= 1024 && unit < 4; unit++)
    size /= 1024;
  std::string text;
  raw_string_ostream(text) << format(unit ? "%.2f " : "%.0f ", size) << units[unit];
  return text;
}

void DecodeStats::print(raw_ostream &os) const {
  os << "rows before              calls     rows    rows per second        cache\n";
  for (const Span &span : spans) {
    if (!span.calls)
      continue;
    double rate = span.seconds > 0 ? double(span.rows) / span.seconds : 0;
    os << formatv("{0,7} .. {1,-9} {2,9} {3,8} {4,18:f1} {5,12}\n", span.from, span.to - 1, span.calls, span.rows, rate,
                  bytesText(span.bytes));
  }
  double all = 0;
  for (const Kernel &kernel : kernels)
    all += kernel.seconds;
  std::vector<Kernel> sorted = slowestFirst();
  os << "kernel (see nova compile --emit=plan)     calls   milliseconds   share\n";
  for (const Kernel &kernel : ArrayRef(sorted).take_front(mostKernels))
    os << formatv("{0,-36} {1,10} {2,14:f3} {3,6:f1}%\n", kernel.name, kernel.calls, kernel.seconds * 1e3,
                  all > 0 ? 100 * kernel.seconds / all : 0);
  if (sorted.size() > mostKernels)
    os << "and " << sorted.size() - mostKernels << " more\n";
}

json::Object DecodeStats::toJson() const {
  json::Array contexts, times;
  for (const Span &span : spans)
    if (span.calls)
      contexts.push_back(json::Object{{"from", span.from},
                                      {"to", span.to - 1},
                                      {"calls", span.calls},
                                      {"rows", span.rows},
                                      {"seconds", span.seconds},
                                      {"cache_bytes", span.bytes}});
  for (const Kernel &kernel : slowestFirst())
    times.push_back(json::Object{{"kernel", kernel.name}, {"calls", kernel.calls}, {"seconds", kernel.seconds}});
  return json::Object{{"contexts", std::move(contexts)}, {"kernels", std::move(times)}};
}
} // namespace nova::tool
