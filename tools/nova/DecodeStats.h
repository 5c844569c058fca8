// What `nova decode --stats` tells: the speed of rows and the size of the cache by the length of the context, and which
// kernels took the time.
#ifndef NOVA_TOOLS_NOVA_DECODESTATS_H
#define NOVA_TOOLS_NOVA_DECODESTATS_H

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace nova::tool {
class DecodeStats {
public:
  /// A call fed `rows` behind `past` others, after which the session has `bytes`.
  void addCall(int64_t past, int64_t rows, double seconds, int64_t bytes);
  /// Of all calls together, over all threads.
  void addKernel(std::string name, int64_t calls, double seconds);

  void print(llvm::raw_ostream &os) const;
  llvm::json::Object toJson() const;

private:
  /// Contexts of about one length.
  struct Span {
    int64_t from, to; // rows
    int64_t rows = 0, calls = 0, bytes = 0;
    double seconds = 0;
  };
  struct Kernel {
    std::string name;
    int64_t calls;
    double seconds;
  };
  std::vector<Kernel> slowestFirst() const;

  std::vector<Span> spans;
  std::vector<Kernel> kernels;
};
} // namespace nova::tool

#endif
