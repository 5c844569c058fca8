//===- OneDnn.h - oneDNN's matrix product, where there is one ---*- C++ -*-===//
//
// oneDNN is looked for when a product could be used for the first time, and loaded then: libnova is not linked to it,
// and without it works the same with generated code. Only OneDnn.cpp knows its interface.
//
//===----------------------------------------------------------------------===//

#ifndef NOVA_RUNTIME_CORE_ONEDNN_H
#define NOVA_RUNTIME_CORE_ONEDNN_H

#include <cstdint>
#include <string>

namespace nova::runtime {

/// Rows of a library tile. One height is one way through a vendor's code.
constexpr int64_t kTileRows = 64;
/// Terms of a chunk (docs/arithmetic.md, contractions).
constexpr int64_t kChunkTerms = 256;

/// The sizes of one product C[kTileRows, columns] += A[kTileRows, terms] * B[terms, columns] of rows that lie lda, ldb
/// and ldc elements apart: everything that a vendor's choice of code may depend on.
struct ProductShape {
  int64_t terms, columns, lda, ldb, ldc;
  bool operator<(const ProductShape &other) const;
};

/// A vendor's product in f32.
struct Vendor {
  /// Adds A * B to C on the calling thread alone. False if it could not: C then holds anything.
  bool (*multiply)(const ProductShape &shape, const float *a, const float *b, float *c) = nullptr;
  std::string name;     // "oneDNN 3.2.0", "" where none was found
  std::string cpu;      // the instruction set that it uses: "avx2"
  std::string identity; // one line of all that its bits may depend on
  std::string trouble;  // why there is no `multiply`, or ""
};

/// The oneDNN of this process: the file that $NOVA_ONEDNN names, none if that is "off", else where the system finds it.
/// Loaded by the first call. Thread-safe.
const Vendor &oneDnn();

} // namespace nova::runtime

#endif // NOVA_RUNTIME_CORE_ONEDNN_H
