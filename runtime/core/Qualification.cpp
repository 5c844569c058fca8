//===- Qualification.cpp --------------------------------------------------===//

#include "runtime/core/Qualification.h"

#include <cmath>
#include <cstring>
#include <immintrin.h>
#include <limits>
#include <sys/mman.h>
#include <vector>

using namespace nova::runtime;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity(), kNaN = std::numeric_limits<float>::quiet_NaN();

/// A matrix in memory of which only what is touched is taken from the system, as its rows may lie far apart. It begins
/// where a page does, or one element after: tensors of callers need be aligned to their elements only.
class Matrix {
public:
  Matrix(int64_t rows, int64_t columns, int64_t stride) : rows(rows), columns(columns), stride(stride) {
    int64_t elements;
    if (__builtin_mul_overflow(rows, stride, &elements) || elements > INT64_MAX / 8)
      return;
    size = (static_cast<size_t>(elements) + 1) * sizeof(float);
    void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED)
      begin = static_cast<float *>(memory);
  }
  ~Matrix() {
    if (begin)
      munmap(begin, size);
  }
  Matrix(const Matrix &) = delete;
  Matrix &operator=(const Matrix &) = delete;

  explicit operator bool() const { return begin != nullptr; }
  float *data() const { return begin + shift; }
  float *row(int64_t r) const { return data() + r * stride; }
  /// Writes `x` behind every row, if there is something between it and the next one.
  void setBehindRows(float x) const {
    for (int64_t r = 0; stride > columns && r < rows; ++r)
      row(r)[columns] = x;
  }

  const int64_t rows, columns, stride;
  int shift = 0;

private:
  float *begin = nullptr;
  size_t size = 0;
};

/// splitmix64: the same numbers everywhere.
class Random {
public:
  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  /// In [1, 2), with every bit of the significand in use, negative every other time.
  float significand() {
    uint64_t bits = next();
    float x = 1.0f + static_cast<float>(bits >> 41) * 0x1p-23f;
    return bits & 1 ? -x : x;
  }
  int exponent(int low, int high) { return low + static_cast<int>(below(static_cast<uint64_t>(high - low + 1))); }
  bool oneIn(uint64_t count) { return below(count) == 0; }
  uint64_t below(uint64_t count) { return (next() >> 32) * count >> 32; } // count < 2^32

private:
  uint64_t state = 1;
};

enum class Numbers {
  Ordinary,   // sums in which every rounding shows
  Tiny,       // products below the normal numbers and below all numbers, also of one sign throughout a row
  Subnormals, // factors that are subnormal
  Special     // with zeros, infinities, NaNs and the largest numbers here and there
};

/// x * 2^exponent, rounded once; not std::ldexp, which would be a function of the math library.
float scaled(float x, int exponent) {
  uint64_t bits = static_cast<uint64_t>(exponent + 1023) << 52;
  double power;
  std::memcpy(&power, &bits, sizeof power);
  return static_cast<float>(static_cast<double>(x) * power);
}

float number(Numbers kind, int64_t row, Random &random) {
  float x = random.significand();
  switch (kind) {
  case Numbers::Ordinary:
    return scaled(x, random.exponent(-12, 12));
  case Numbers::Tiny: // in some rows all products are negative and vanish
    if (row % 4 == 0)
      return scaled(std::fabs(x), -90);
    return scaled(row % 4 == 1 ? -std::fabs(x) : x, random.exponent(-76, -62));
  case Numbers::Subnormals:
    return scaled(x, random.exponent(-149, -127));
  case Numbers::Special:
    if (random.oneIn(300)) {
      const float special[] = {kInfinity, -kInfinity, kNaN, 0.0f, -0.0f, std::numeric_limits<float>::max()};
      return special[random.below(6)];
    }
    return scaled(x, random.exponent(-3, 3));
  }
  return x;
}

void fill(const Matrix &matrix, Numbers kind, Random &random) {
  for (int64_t r = 0; r < matrix.rows; ++r)
    for (int64_t i = 0; i < matrix.columns; ++i)
      matrix.row(r)[i] = number(kind, r, random);
}

/// One row of `Width` columns of rule 2: fma in order of k from +0, and the sum added to the total. A column is on its
/// own, so that the compiler may take all of them at once.
template <int Width>
__attribute__((target("avx2,fma"))) void multiplyColumns(const float *a, const Matrix &b, int64_t column,
                                                         float *totals) {
  float sums[Width] = {};
  for (int64_t k = 0; k < b.rows; ++k) {
    const float *line = b.row(k) + column;
    for (int i = 0; i < Width; ++i)
      sums[i] = __builtin_fmaf(a[k], line[i], sums[i]);
  }
  for (int i = 0; i < Width; ++i)
    totals[column + i] += sums[i];
}

void multiplyRow(const float *a, const Matrix &b, float *totals) {
  int64_t column = 0;
  for (; column + 64 <= b.columns; column += 64)
    multiplyColumns<64>(a, b, column, totals);
  for (; column < b.columns; ++column)
    multiplyColumns<1>(a, b, column, totals);
}

bool sameBits(const float *x, const float *y, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    if (std::memcmp(x + i, y + i, sizeof *x) != 0 && !(std::isnan(x[i]) && std::isnan(y[i])))
      return false;
  return true;
}

/// The floating-point control that kernels run under.
class KernelControl {
public:
  KernelControl() : before(_mm_getcsr()) { _mm_setcsr(0x1f80); }
  ~KernelControl() { _mm_setcsr(before); }
  KernelControl(const KernelControl &) = delete;
  KernelControl &operator=(const KernelControl &) = delete;

private:
  unsigned before;
};

/// Matrices of one shape, tried with several kinds of numbers.
class Trial {
public:
  Trial(const Vendor &vendor, const ProductShape &shape)
      : vendor(vendor), shape(shape), a(kTileRows, shape.terms, shape.lda), b(shape.terms, shape.columns, shape.ldb),
        c(kTileRows, shape.columns, shape.ldc), totals(static_cast<size_t>(shape.columns)) {}

  Verdict run() {
    if (!a || !b || !c)
      return Verdict::Unknown;
    const struct {
      Numbers left, right;
      bool fresh;
    } kinds[] = {{Numbers::Ordinary, Numbers::Ordinary, true},   {Numbers::Ordinary, Numbers::Ordinary, false},
                 {Numbers::Tiny, Numbers::Tiny, true},           {Numbers::Tiny, Numbers::Tiny, false},
                 {Numbers::Subnormals, Numbers::Ordinary, true}, {Numbers::Ordinary, Numbers::Subnormals, false},
                 {Numbers::Special, Numbers::Special, true}};
    for (auto [left, right, fresh] : kinds)
      if (Verdict verdict = compare(left, right, fresh); verdict != Verdict::Canonical)
        return verdict;
    return Verdict::Canonical;
  }

private:
  /// `fresh`: the totals are +0, as before the first chunk.
  Verdict compare(Numbers left, Numbers right, bool fresh) {
    a.shift = b.shift = c.shift = fresh;
    fill(a, left, random);
    fill(b, right, random);
    for (int64_t k = 0; left == Numbers::Tiny && k < b.rows; ++k)
      for (int64_t i = 0; i < b.columns; i += 3) // columns of one sign: with a row of one sign, a sum of -0
        b.row(k)[i] = -std::fabs(b.row(k)[i]);
    // Rows and columns of zeros: what they meet counts all the same.
    for (int64_t k = 0; left == Numbers::Special && k < b.rows; ++k) {
      for (int64_t r = 5; r < kTileRows; r += 8)
        a.row(r)[k] = k % 3 ? 0.0f : -0.0f;
      for (int64_t i = 5; i < b.columns; i += 8)
        b.row(k)[i] = k % 2 ? 0.0f : -0.0f;
    }
    std::vector<float> before(totals.size() * kTileRows);
    for (int64_t r = 0; r < kTileRows; ++r)
      for (int64_t i = 0; i < shape.columns; ++i)
        before[static_cast<size_t>(r * shape.columns + i)] = c.row(r)[i] =
            fresh ? 0.0f : number(left == Numbers::Tiny ? Numbers::Tiny : Numbers::Ordinary, r, random);
    const float guard = 0x1.abcdep+5f; // in the first column that is not the product's
    c.setBehindRows(guard);
    a.setBehindRows(kNaN);
    b.setBehindRows(kNaN);
    if (!vendor.multiply(shape, a.data(), b.data(), c.data()))
      return Verdict::Unknown;
    for (int64_t r = 0; r < kTileRows; ++r) {
      std::memcpy(totals.data(), before.data() + r * shape.columns, totals.size() * sizeof(float));
      multiplyRow(a.row(r), b, totals.data());
      if (!sameBits(totals.data(), c.row(r), shape.columns) ||
          (shape.ldc > shape.columns && c.row(r)[shape.columns] != guard))
        return Verdict::Different;
    }
    return Verdict::Canonical;
  }

  const Vendor &vendor;
  const ProductShape &shape;
  Random random;
  Matrix a, b, c;
  std::vector<float> totals;
};

} // namespace

Verdict nova::runtime::qualify(const Vendor &vendor, const ProductShape &shape) {
  KernelControl control;
  return Trial(vendor, shape).run();
}
