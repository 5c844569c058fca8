//===- LibraryTiles.h - Which contractions a vendor's product may carry -------===//
//
// A library tile computes the totals of a contraction for 64 rows. There is one for a shape if the vendor's products
// that it consists of have given the canonical bits (Qualification.h). What was found is remembered: in the process,
// and in a file, if there is one.
//
//===----------------------------------------------------------------------===//

#ifndef NOVA_RUNTIME_CORE_LIBRARYTILES_H
#define NOVA_RUNTIME_CORE_LIBRARYTILES_H

#include "runtime/core/OneDnn.h"

#include <map>
#include <mutex>
#include <string>

namespace nova::runtime {

/// A contraction as a module describes it: C[rows, columns] = A[rows, terms] * B[terms, columns], rows lda, ldb and ldc
/// elements apart. The order of the members is that of docs/module-format.md.
struct ContractionShape {
  int64_t terms, columns, lda, ldb, ldc;
};

/// What a kernel is handed over. It knows no more of it than the first member.
struct LibraryTile {
  /// Computes the totals of 64 rows; 0 if it could not, then C holds anything.
  int32_t (*run)(const LibraryTile *self, const float *a, const float *b, float *c);
  const Vendor *vendor;
  ContractionShape shape;
  int64_t pieceColumns; // of one product
};

/// Thread-safe.
class LibraryTiles {
public:
  explicit LibraryTiles(const Vendor &vendor) : vendor(&vendor) {}
  /// Of a vendor that is loaded when it is asked for the first time.
  explicit LibraryTiles(const Vendor &(*load)()) : load(load) {}

  /// The tile for this shape, valid as long as this object; null where generated code runs instead. Tries what it does
  /// not know, which takes some ten milliseconds. Allocates only for new shapes.
  const LibraryTile *find(const ContractionShape &shape);

  /// Whether the vendor's products give the canonical bits for this shape.
  bool isQualified(const ContractionShape &shape);

  /// Uses what was found before from `path`, and writes there what is found from now on; "" for no file. A file of
  /// another vendor, version or machine, or one that is damaged, counts as none and is replaced.
  void remember(const std::string &path);

  /// The products that are known to give the canonical bits, and those that are known not to.
  struct Count {
    int64_t qualified = 0, refused = 0;
  };
  Count count();

private:
  bool wake();
  void recall();
  bool qualifies(const ContractionShape &shape, int64_t pieceColumns);
  bool qualifies(const ProductShape &shape);
  void save();

  std::mutex mutex;
  const Vendor &(*load)() = nullptr;
  const Vendor *vendor = nullptr; // null until it is loaded
  std::map<ProductShape, bool> products;
  std::map<ProductShape, LibraryTile> tiles; // by the whole contraction; `run` is null where there is none
  std::string path;
  bool isRead = true, isSaved = true; // the file
};

/// Those of the process, over oneDnn(). Never destroyed, as modules may be run until the process ends.
LibraryTiles &libraryTiles();

} // namespace nova::runtime

#endif // NOVA_RUNTIME_CORE_LIBRARYTILES_H
