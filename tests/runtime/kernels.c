//===- kernels.c - Tile functions for the runtime's tests -----------------===//
//
// Compiled into a shared object in the module format, whose manifest section is left blank: tests write a manifest into
// it and seal it (TestModule.h). The kernels are small and their results depend on everything the runtime must get
// right: the order of steps, the blocks' rows, the symbols, the memory of temporaries and states.
//
//===----------------------------------------------------------------------===//

#include <stdint.h>

// Room for a manifest (blanks are nothing in JSON) and for the digest; not loaded, only read from the file.
__asm__(".section .nova.manifest,\"\",@progbits\n.fill 65536, 1, 32\n"
        ".section .nova.digest,\"\",@progbits\n.fill 32, 1, 0\n.text\n");

typedef void *const *Buffers;
typedef const int64_t *Dims;

// Symbols n, d: out[i][j] = 2 * in[i][j] + i.
int32_t scale_v3(Buffers buffers, Dims dims, int64_t row0, int64_t rows, void *scratch) {
  const float *in = buffers[0];
  float *out = buffers[1];
  for (int64_t i = row0; i < row0 + rows; ++i)
    for (int64_t j = 0; j < dims[1]; ++j)
      out[i * dims[1] + j] = 2.0f * in[i * dims[1] + j] + (float)i;
  return 0;
}

// Other code under another name, so that a test sees which target was chosen.
int32_t scale_v4(Buffers buffers, Dims dims, int64_t row0, int64_t rows, void *scratch) {
  return scale_v3(buffers, dims, row0, rows, scratch);
}

// Symbols n, d: sums[i] = sum of row i, added up in scratch.
int32_t rowsum(Buffers buffers, Dims dims, int64_t row0, int64_t rows, void *scratch) {
  const double *in = buffers[0];
  double *sums = buffers[1], *own = scratch;
  for (int64_t i = 0; i < rows; ++i) {
    own[i] = 0;
    for (int64_t j = 0; j < dims[1]; ++j)
      own[i] += in[(row0 + i) * dims[1] + j];
  }
  for (int64_t i = 0; i < rows; ++i)
    sums[row0 + i] = own[i];
  return 0;
}

// prefix[i] = sums[0] + ... + sums[i]: needs every block of the step before.
int32_t prefix(Buffers buffers, Dims dims, int64_t row0, int64_t rows, void *scratch) {
  const double *sums = buffers[0];
  double *out = buffers[1];
  for (int64_t i = row0; i < row0 + rows; ++i) {
    out[i] = 0;
    for (int64_t k = 0; k <= i; ++k)
      out[i] += sums[k];
  }
  return 0;
}

// total[0] = prefix[n - 1], by a step of one row.
int32_t last(Buffers buffers, Dims dims, int64_t row0, int64_t rows, void *scratch) {
  const double *in = buffers[0];
  double *out = buffers[1];
  out[0] = dims[0] > 0 ? in[dims[0] - 1] : 0;
  return 0;
}

// Symbols n, d, B, H: total[0] = the sum of the last prefixes of all instances.
int32_t alltotals(Buffers buffers, Dims dims, int64_t row0, int64_t rows, void *scratch) {
  const double *prefix = buffers[0];
  double *total = buffers[1];
  int64_t n = dims[0];
  total[0] = 0;
  for (int64_t i = 0; n > 0 && i < dims[2] * dims[3]; ++i)
    total[0] += prefix[i * n + n - 1];
  return 0;
}

// out[i] = in[i] + total[0].
int32_t addtotal(Buffers buffers, Dims dims, int64_t row0, int64_t rows, void *scratch) {
  const double *in = buffers[0], *total = buffers[1];
  double *out = buffers[2];
  for (int64_t i = row0; i < row0 + rows; ++i)
    out[i] = in[i] + total[0];
  return 0;
}

int64_t bytes_one(Dims dims) { return 8; }
int64_t bytes_n(Dims dims) { return dims[0] * 8; }
int64_t scratch_rows(Dims dims, int64_t rows) { return rows * 8; }

// Symbols n, d, m, t: the new rows join the state.
int32_t append(Buffers buffers, Dims dims, int64_t row0, int64_t rows, void *scratch) {
  const double *in = buffers[0];
  double *state = buffers[1];
  int64_t d = dims[1], t = dims[3];
  for (int64_t i = row0; i < row0 + rows; ++i)
    for (int64_t j = 0; j < d; ++j)
      state[(t + i) * d + j] = in[i * d + j];
  return 0;
}

// out[i] = sum of the state's rows 0 .. t + i, in order, plus the weight.
int32_t running(Buffers buffers, Dims dims, int64_t row0, int64_t rows, void *scratch) {
  const double *state = buffers[0], *weight = buffers[1];
  double *out = buffers[2];
  int64_t d = dims[1], t = dims[3];
  for (int64_t i = row0; i < row0 + rows; ++i)
    for (int64_t j = 0; j < d; ++j) {
      double sum = 0;
      for (int64_t k = 0; k <= t + i; ++k)
        sum += state[k * d + j];
      out[i * d + j] = sum + weight[j];
    }
  return 0;
}

int64_t bytes_state(Dims dims) { return dims[0] * dims[1] * 8; }

// Symbol n: quotient and remainder; fails on a zero divisor after earlier rows have been written.
int32_t divide(Buffers buffers, Dims dims, int64_t row0, int64_t rows, void *scratch) {
  const int64_t *a = buffers[0], *b = buffers[1];
  int64_t *quotient = buffers[2], *rest = buffers[3];
  for (int64_t i = row0; i < row0 + rows; ++i) {
    if (b[i] == 0)
      return 1;
    quotient[i] = a[i] / b[i];
    rest[i] = a[i] % b[i];
  }
  return 0;
}

// out[i] = a[b[i]], where b[i] is within a; its scratch tells where not.
int32_t lookup(Buffers buffers, Dims dims, int64_t row0, int64_t rows, void *scratch) {
  const int64_t *a = buffers[0], *b = buffers[1];
  int64_t *out = buffers[2];
  for (int64_t i = row0; i < row0 + rows; ++i) {
    if (b[i] < 0 || b[i] >= dims[0]) {
      ((int64_t *)scratch)[2] = b[i];
      ((int64_t *)scratch)[3] = dims[0];
      return 2;
    }
    out[i] = a[b[i]];
  }
  return 0;
}

// out[i] = in[i]; a number -1 - k fails at fault k. Tells the first of the lowest fault.
int32_t faulty(Buffers buffers, Dims dims, int64_t row0, int64_t rows, void *scratch) {
  const int64_t *in = buffers[0];
  int64_t *out = buffers[1];
  int32_t failed = 0;
  for (int64_t i = row0; i < row0 + rows; ++i) {
    out[i] = in[i];
    int32_t fault = (int32_t)(-1 - in[i]);
    if (fault < 0 || (failed && fault >= ((int32_t *)scratch)[3]))
      continue;
    failed = 1;
    ((int32_t *)scratch)[3] = fault;
    ((int64_t *)scratch)[8] = 0; // the position begins here: an axis that the instance moves along, and the row
    ((int64_t *)scratch)[9] = i;
  }
  return failed;
}
int64_t scratch_faulty(Dims dims, int64_t rows) { return 128; }

// A step that cannot go wrong, behind one that can.
int32_t increment(Buffers buffers, Dims dims, int64_t row0, int64_t rows, void *scratch) {
  int64_t *values = buffers[0];
  for (int64_t i = row0; i < row0 + rows; ++i)
    values[i] += 1;
  return 0;
}

// Symbols n, c, k: turned[j][i] = W[i][j] for the rows j of the turned matrix.
int32_t turn(Buffers buffers, Dims dims, int64_t row0, int64_t rows, void *scratch) {
  const double *in = buffers[0];
  double *turned = buffers[1];
  int64_t c = dims[1], k = dims[2];
  for (int64_t j = row0; j < row0 + rows; ++j)
    for (int64_t i = 0; i < c; ++i)
      turned[j * c + i] = in[i * k + j];
  return 0;
}

// out[i][j] = the product of row i of the input and row j of the turned matrix, plus bias[j].
int32_t linear(Buffers buffers, Dims dims, int64_t row0, int64_t rows, void *scratch) {
  const double *in = buffers[0], *turned = buffers[1], *bias = buffers[2];
  double *out = buffers[3];
  int64_t c = dims[1], k = dims[2];
  for (int64_t i = row0; i < row0 + rows; ++i)
    for (int64_t j = 0; j < k; ++j) {
      double sum = bias[j];
      for (int64_t l = 0; l < c; ++l)
        sum += in[i * c + l] * turned[j * c + l];
      out[i * k + j] = sum;
    }
  return 0;
}

int64_t bytes_turned(Dims dims) { return dims[1] * dims[2] * 8; }
int64_t bytes_d(Dims dims) { return dims[1] * 8; }

// Symbols n, k, c: out = A[n, k] * B[k, c] in f32, by the step's library tile where it was given one for 64 rows;
// carried tells for every row whether it was.
struct library_tile {
  int32_t (*run)(const struct library_tile *self, const float *a, const float *b, float *c);
};
#if defined(__clang__)
// The runtime, which is C++, has its own type for the same structure.
__attribute__((no_sanitize("function")))
#endif
int32_t
product(Buffers buffers, Dims dims, int64_t row0, int64_t rows, void *scratch) {
  int64_t k = dims[1], c = dims[2];
  const float *a = (const float *)buffers[0] + row0 * k, *b = buffers[1];
  float *out = (float *)buffers[2] + row0 * c;
  int64_t *carried = buffers[3];
  const struct library_tile *const *tiles = ((void **)scratch)[4];
  int32_t done = tiles && tiles[0] && rows == 64 ? tiles[0]->run(tiles[0], a, b, out) : 0;
  for (int64_t i = 0; i < rows; ++i) {
    carried[row0 + i] = done;
    for (int64_t j = 0; !done && j < c; ++j) {
      float sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += a[i * k + l] * b[l * c + j];
      out[i * c + j] = sum;
    }
  }
  return 0;
}
int64_t scratch_product(Dims dims, int64_t rows) { return 64; }
void shapes_product(Dims dims, int64_t *shapes) {
  int64_t shape[] = {dims[1], dims[2], dims[1], dims[2], dims[2]};
  for (int i = 0; i < 5; ++i)
    shapes[i] = shape[i];
}

// Counts its calls in memory that begins as zeros.
int32_t tally(Buffers buffers, Dims dims, int64_t row0, int64_t rows, void *scratch) {
  ++*(int64_t *)buffers[0];
  return 0;
}

int32_t copyone(Buffers buffers, Dims dims, int64_t row0, int64_t rows, void *scratch) {
  *(int64_t *)buffers[1] = *(const int64_t *)buffers[0];
  return 0;
}

// out[i] = 2 * in[i].
int32_t twice(Buffers buffers, Dims dims, int64_t row0, int64_t rows, void *scratch) {
  const double *in = buffers[0];
  double *out = buffers[1];
  for (int64_t i = row0; i < row0 + rows; ++i)
    out[i] = 2 * in[i];
  return 0;
}

// Symbols n, d, m, t, L. A carry of d numbers: at the very first row 1, 2, ..., else what was kept.
int32_t begin(Buffers buffers, Dims dims, int64_t row0, int64_t rows, void *scratch) {
  const double *kept = buffers[0];
  double *carry = buffers[1];
  for (int64_t j = row0; j < row0 + rows; ++j)
    carry[j] = dims[3] == 0 ? (double)(j + 1) : kept[j];
  return 0;
}

// carry = carry / 2 + row; row = carry: over columns. Fails at a column that holds -1000.
int32_t recur(Buffers buffers, Dims dims, int64_t row0, int64_t rows, void *scratch) {
  double *row = buffers[0], *carry = buffers[1];
  for (int64_t j = row0; j < row0 + rows; ++j) {
    if (row[j] == -1000)
      return 1;
    row[j] = carry[j] = carry[j] / 2 + row[j];
  }
  return 0;
}

// out[i] = in[i].
int32_t keep(Buffers buffers, Dims dims, int64_t row0, int64_t rows, void *scratch) {
  const double *in = buffers[0];
  double *out = buffers[1];
  for (int64_t i = row0; i < row0 + rows; ++i)
    out[i] = in[i];
  return 0;
}

// Symbols n, d, m, t: out[i] = m, so that each row tells how many went with it.
int32_t together(Buffers buffers, Dims dims, int64_t row0, int64_t rows, void *scratch) {
  int64_t *out = buffers[0];
  for (int64_t i = row0; i < row0 + rows; ++i)
    out[i] = dims[2];
  return 0;
}

int64_t bytes_md(Dims dims) { return dims[2] * dims[1] * 8; }

// place[i] = the position of row i, as the runtime says it goes on; count[i] = the rows of the launch.
int32_t places(Buffers buffers, Dims dims, int64_t row0, int64_t rows, void *scratch) {
  int64_t *place = buffers[0], *count = buffers[1];
  int64_t each = *(const int64_t *)((const char *)scratch + 40);
  for (int64_t i = row0; i < row0 + rows; ++i) {
    place[i] = i * each;
    count[i] = rows;
  }
  return 0;
}
int64_t scratch_places(Dims dims, int64_t rows) { return 64; }

// Adds a table inside the module.
const double table[4] = {0.5, 1.5, 2.5, 3.5};
int32_t addtable(Buffers buffers, Dims dims, int64_t row0, int64_t rows, void *scratch) {
  const double *in = buffers[0], *constants = buffers[1];
  double *out = buffers[2];
  for (int64_t i = row0; i < row0 + rows; ++i)
    out[i] = in[i] + constants[i % 4];
  return 0;
}

// Sizes that cannot be had.
int64_t bytes_huge(Dims dims) { return INT64_C(1) << 60; }
int64_t bytes_negative(Dims dims) { return -1; }
int64_t bytes_most(Dims dims) { return INT64_MAX; }
int64_t scratch_huge(Dims dims, int64_t rows) { return INT64_C(1) << 60; }
int64_t scratch_negative(Dims dims, int64_t rows) { return -1; }

// Room for one row until the sixth, then none: a state that fails to grow.
int64_t bytes_growing(Dims dims) { return dims[0] > 100 ? INT64_C(1) << 60 : dims[0] * dims[1] * 8; }

// Tells in out[i] how scratch and a temporary came: aligned, and zero when new (8 bytes for each row).
int32_t inspect(Buffers buffers, Dims dims, int64_t row0, int64_t rows, void *scratch) {
  const unsigned char *temporary = buffers[0];
  int64_t *out = buffers[1];
  for (int64_t i = row0; i < row0 + rows; ++i) {
    int64_t nonzero = 0;
    for (int64_t k = 8 * i; k < 8 * i + 8; ++k)
      nonzero += temporary[k] != 0;
    out[i] = (int64_t)((uintptr_t)temporary % 64) + (int64_t)((uintptr_t)scratch % 64) + nonzero;
  }
  return 0;
}
