//===- StandIns.cpp -------------------------------------------------------===//

#include "tests/runtime/StandIns.h"

#include <algorithm>
#include <cmath>
#include <immintrin.h>

using namespace nova::runtime;

namespace nova::test {

std::atomic<int> rightCalls{0};

namespace {

/// The sum over k of one entry: a, and b with rows `ldb` apart.
using Sum = float (*)(int64_t terms, const float *a, const float *b, int64_t ldb);
/// What becomes of a total and a sum.
using Add = float (*)(float total, float sum);

__attribute__((target("fma"))) float inOrder(int64_t terms, const float *a, const float *b, int64_t ldb) {
  float sum = 0;
  for (int64_t k = 0; k < terms; ++k)
    sum = __builtin_fmaf(a[k], b[k * ldb], sum);
  return sum;
}
__attribute__((target("fma"))) float backwards(int64_t terms, const float *a, const float *b, int64_t ldb) {
  float sum = 0;
  for (int64_t k = terms - 1; k >= 0; --k)
    sum = __builtin_fmaf(a[k], b[k * ldb], sum);
  return sum;
}
__attribute__((target("fma"))) float inHalves(int64_t terms, const float *a, const float *b, int64_t ldb) {
  int64_t half = terms / 2;
  return inOrder(half, a, b, ldb) + inOrder(terms - half, a + half, b + half * ldb, ldb);
}
__attribute__((target("fma"))) float inTwoLanes(int64_t terms, const float *a, const float *b, int64_t ldb) {
  float even = 0, odd = 0;
  for (int64_t k = 0; k < terms; ++k)
    (k % 2 ? odd : even) = __builtin_fmaf(a[k], b[k * ldb], k % 2 ? odd : even);
  return even + odd;
}
float withoutFma(int64_t terms, const float *a, const float *b, int64_t ldb) {
  float sum = 0;
  for (int64_t k = 0; k < terms; ++k)
    sum += a[k] * b[k * ldb];
  return sum;
}
float inDouble(int64_t terms, const float *a, const float *b, int64_t ldb) {
  double sum = 0;
  for (int64_t k = 0; k < terms; ++k)
    sum += static_cast<double>(a[k]) * static_cast<double>(b[k * ldb]);
  return static_cast<float>(sum);
}
__attribute__((target("fma"))) float withoutZeros(int64_t terms, const float *a, const float *b, int64_t ldb) {
  float sum = 0;
  for (int64_t k = 0; k < terms; ++k)
    if (a[k] != 0) // 0 * infinity is NaN
      sum = __builtin_fmaf(a[k], b[k * ldb], sum);
  return sum;
}
__attribute__((target("fma"))) float withoutNaN(int64_t terms, const float *a, const float *b, int64_t ldb) {
  float sum = inOrder(terms, a, b, ldb);
  return std::isnan(sum) ? 0 : sum;
}
__attribute__((target("fma"))) float fromInfinity(int64_t terms, const float *a, const float *b, int64_t ldb) {
  float sum = inOrder(terms, a, b, ldb);
  return std::isinf(sum) ? std::copysign(3.40282347e38f, sum) : sum;
}
/// Rounds subnormal results (0x8000) or factors (0x0040) to 0.
template <unsigned Control> float flushed(int64_t terms, const float *a, const float *b, int64_t ldb) {
  unsigned before = _mm_getcsr();
  _mm_setcsr(before | Control);
  volatile float sum = inOrder(terms, a, b, ldb);
  _mm_setcsr(before);
  return sum;
}
__attribute__((target("fma"))) float pastTheEnd(int64_t terms, const float *a, const float *b, int64_t ldb) {
  // One term more, as a loop unrolled by two would take it; 0 where it should not count.
  return terms % 2 ? __builtin_fmaf(a[terms], 0.0f, inOrder(terms, a, b, ldb)) : inOrder(terms, a, b, ldb);
}

float plainly(float total, float sum) { return total + sum; }
/// The first sum becomes the total, and brings its -0 along.
float copied(float total, float sum) { return total == 0 ? sum : total + sum; }

template <Sum Terms, Add Into> bool multiply(const ProductShape &shape, const float *a, const float *b, float *c) {
  for (int64_t r = 0; r < kTileRows; ++r)
    for (int64_t i = 0; i < shape.columns; ++i)
      c[r * shape.ldc + i] = Into(c[r * shape.ldc + i], Terms(shape.terms, a + r * shape.lda, b + i, shape.ldb));
  return true;
}

/// As inOrder, all columns of a row at once.
__attribute__((target("avx2,fma"))) bool counted(const ProductShape &shape, const float *a, const float *b, float *c) {
  ++rightCalls;
  std::vector<float> sums(static_cast<size_t>(shape.columns));
  for (int64_t r = 0; r < kTileRows; ++r) {
    std::fill(sums.begin(), sums.end(), 0.0f);
    for (int64_t k = 0; k < shape.terms; ++k)
      for (int64_t i = 0; i < shape.columns; ++i)
        sums[static_cast<size_t>(i)] =
            __builtin_fmaf(a[r * shape.lda + k], b[k * shape.ldb + i], sums[static_cast<size_t>(i)]);
    for (int64_t i = 0; i < shape.columns; ++i)
      c[r * shape.ldc + i] += sums[static_cast<size_t>(i)];
  }
  return true;
}

/// The sum begins with the total, as in a product that was asked to add.
__attribute__((target("fma"))) bool fromTotal(const ProductShape &shape, const float *a, const float *b, float *c) {
  for (int64_t r = 0; r < kTileRows; ++r)
    for (int64_t i = 0; i < shape.columns; ++i)
      for (int64_t k = 0; k < shape.terms; ++k)
        c[r * shape.ldc + i] = __builtin_fmaf(a[r * shape.lda + k], b[k * shape.ldb + i], c[r * shape.ldc + i]);
  return true;
}

/// Writes whole vectors.
bool tooWide(const ProductShape &shape, const float *a, const float *b, float *c) {
  multiply<inOrder, plainly>(shape, a, b, c);
  for (int64_t r = 0; r < kTileRows && shape.ldc > shape.columns; ++r)
    c[r * shape.ldc + shape.columns] = 0;
  return true;
}

/// Right but for its last row.
bool lastRowOtherwise(const ProductShape &shape, const float *a, const float *b, float *c) {
  const int64_t last = kTileRows - 1;
  multiply<inOrder, plainly>(shape, a, b, c);
  for (int64_t i = 0; i < shape.columns; ++i)
    c[last * shape.ldc + i] = backwards(shape.terms, a + last * shape.lda, b + i, shape.ldb);
  return true;
}

bool nothing(const ProductShape &, const float *, const float *, float *) { return false; }

Vendor vendor(const char *name, bool (*multiply)(const ProductShape &, const float *, const float *, float *)) {
  Vendor made;
  made.multiply = multiply;
  made.name = name;
  made.identity = made.name + ", a stand-in";
  return made;
}

} // namespace

Vendor rightVendor() { return vendor("right", counted); }
Vendor failingVendor() { return vendor("failing", nothing); }

const std::vector<Vendor> &wrongVendors() {
  static const std::vector<Vendor> vendors = {vendor("backwards", multiply<backwards, plainly>),
                                              vendor("in halves", multiply<inHalves, plainly>),
                                              vendor("in two lanes", multiply<inTwoLanes, plainly>),
                                              vendor("without fma", multiply<withoutFma, plainly>),
                                              vendor("in double", multiply<inDouble, plainly>),
                                              vendor("without zeros", multiply<withoutZeros, plainly>),
                                              vendor("without NaN", multiply<withoutNaN, plainly>),
                                              vendor("without infinity", multiply<fromInfinity, plainly>),
                                              vendor("flushes results", multiply<flushed<0x8000>, plainly>),
                                              vendor("flushes factors", multiply<flushed<0x0040>, plainly>),
                                              vendor("reads past the terms", multiply<pastTheEnd, plainly>),
                                              vendor("copies the first sum", multiply<inOrder, copied>),
                                              vendor("begins with the total", fromTotal),
                                              vendor("writes past the columns", tooWide),
                                              vendor("another last row", lastRowOtherwise)};
  return vendors;
}

} // namespace nova::test
