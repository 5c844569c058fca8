//===- LibraryTiles.cpp ---------------------------------------------------===//

#include "runtime/core/LibraryTiles.h"
#include "runtime/core/Qualification.h"
#include "runtime/core/TileRecords.h"

#include <algorithm>
#include <cstring>

using namespace nova::runtime;

/// Columns of one product at most: bounds the time that its trial takes.
constexpr int64_t kMostColumns = 768;
/// Below these a product takes longer than generated code (docs/performance.md).
constexpr int64_t kFewestColumns = 128, kFewestTerms = 64;

/// Pieces of nearly equal width, a multiple of a cache line but for the last.
static int64_t pieceColumnsOf(int64_t columns) {
  int64_t pieces = (columns - 1) / kMostColumns + 1;
  return ((columns - 1) / pieces / 16 + 1) * 16;
}

/// Calls `each` with every product of the contraction and the offsets of its factors and its result, until it returns
/// false.
template <typename Each> static bool forEachProduct(const ContractionShape &shape, int64_t pieceColumns, Each each) {
  for (int64_t column = 0; column < shape.columns; column += pieceColumns)
    for (int64_t k = 0; k < shape.terms; k += kChunkTerms) {
      ProductShape product{std::min(kChunkTerms, shape.terms - k), std::min(pieceColumns, shape.columns - column),
                           shape.lda, shape.ldb, shape.ldc};
      if (!each(product, k, k * shape.ldb + column, column))
        return false;
    }
  return true;
}

static int32_t runTile(const LibraryTile *self, const float *a, const float *b, float *c) {
  const ContractionShape &shape = self->shape;
  for (int64_t r = 0; r < kTileRows; ++r)
    std::memset(c + r * shape.ldc, 0, static_cast<size_t>(shape.columns) * sizeof *c);
  return forEachProduct(shape, self->pieceColumns,
                        [&](const ProductShape &product, int64_t atA, int64_t atB, int64_t atC) {
                          return self->vendor->multiply(product, a + atA, b + atB, c + atC);
                        });
}

bool LibraryTiles::qualifies(const ProductShape &shape) {
  if (auto known = products.find(shape); known != products.end())
    return known->second;
  Verdict verdict = qualify(*vendor, shape);
  if (verdict == Verdict::Unknown)
    return false; // another time it may be another thing
  isSaved = false;
  return products[shape] = verdict == Verdict::Canonical;
}

bool LibraryTiles::qualifies(const ContractionShape &shape, int64_t pieceColumns) {
  // Strides of less than a row are nobody's.
  if (shape.lda < shape.terms || shape.ldb < shape.columns || shape.ldc < shape.columns)
    return false;
  // The products differ in their last chunk and their last piece alone.
  bool all = true;
  for (int64_t terms : {std::min(shape.terms, kChunkTerms), (shape.terms - 1) % kChunkTerms + 1})
    for (int64_t columns : {std::min(shape.columns, pieceColumns), (shape.columns - 1) % pieceColumns + 1})
      all = all && qualifies(ProductShape{terms, columns, shape.lda, shape.ldb, shape.ldc});
  return all;
}

const LibraryTile *LibraryTiles::find(const ContractionShape &shape) {
  if (shape.columns < kFewestColumns || shape.terms < kFewestTerms)
    return nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  if (!wake())
    return nullptr;
  ProductShape key{shape.terms, shape.columns, shape.lda, shape.ldb, shape.ldc};
  auto known = tiles.find(key);
  if (known == tiles.end()) {
    int64_t pieceColumns = pieceColumnsOf(shape.columns);
    bool qualified = qualifies(shape, pieceColumns);
    save();
    known = tiles.emplace(key, LibraryTile{qualified ? runTile : nullptr, vendor, shape, pieceColumns}).first;
  }
  return known->second.run ? &known->second : nullptr;
}

bool LibraryTiles::isQualified(const ContractionShape &shape) {
  std::lock_guard<std::mutex> lock(mutex);
  if (shape.terms < 1 || shape.columns < 1 || !wake())
    return false;
  bool qualified = qualifies(shape, pieceColumnsOf(shape.columns));
  save();
  return qualified;
}

void LibraryTiles::remember(const std::string &newPath) {
  std::lock_guard<std::mutex> lock(mutex);
  path = newPath;
  isRead = path.empty();
  isSaved = products.empty();
}

/// Whether there is a product; knows then what was found before.
bool LibraryTiles::wake() {
  if (!vendor)
    vendor = &load();
  if (!vendor->multiply)
    return false;
  if (!isRead)
    recall();
  return true;
}

void LibraryTiles::recall() {
  for (auto [shape, qualified] : readTileRecords(path, vendor->identity))
    products.try_emplace(shape, qualified);
  isRead = true;
}

void LibraryTiles::save() {
  if (isSaved || path.empty())
    return;
  recall(); // what other processes have written meanwhile is kept
  writeTileRecords(path, vendor->identity, products);
  isSaved = true;
}

LibraryTiles::Count LibraryTiles::count() {
  std::lock_guard<std::mutex> lock(mutex);
  Count count;
  if (!wake())
    return count;
  for (auto [shape, qualified] : products)
    ++(qualified ? count.qualified : count.refused);
  return count;
}

LibraryTiles &nova::runtime::libraryTiles() {
  static LibraryTiles *tiles = new LibraryTiles(oneDnn);
  return *tiles;
}
