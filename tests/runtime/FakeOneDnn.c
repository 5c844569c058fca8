//===- FakeOneDnn.c - Libraries that say they are oneDNN ------------------===//
//
// Built once for each of the macros below, which say what is wrong with it.
//
//===----------------------------------------------------------------------===//

#include <dnnl.h>

#ifdef NEWER
#define MAJOR (DNNL_VERSION_MAJOR + 1)
#define MINOR 0
#else
#define MAJOR DNNL_VERSION_MAJOR
#define MINOR 99
#endif

const dnnl_version_t *dnnl_version(void) {
#if defined(THREADS)
  const unsigned runtime = DNNL_RUNTIME_TBB;
#elif defined(OPENMP)
  const unsigned runtime = DNNL_RUNTIME_OMP;
#else
  const unsigned runtime = DNNL_RUNTIME_SEQ;
#endif
  static dnnl_version_t version;
  version.major = MAJOR;
  version.minor = MINOR;
  version.hash = "0";
  version.cpu_runtime = runtime;
  return &version;
}

dnnl_cpu_isa_t dnnl_get_effective_cpu_isa(void) { return dnnl_cpu_isa_avx2; }

dnnl_status_t dnnl_sgemm(char transa, char transb, dnnl_dim_t m, dnnl_dim_t n, dnnl_dim_t k, float alpha,
                         const float *a, dnnl_dim_t lda, const float *b, dnnl_dim_t ldb, float beta, float *c,
                         dnnl_dim_t ldc) {
#ifdef FAILS
  return dnnl_out_of_memory;
#endif
  for (dnnl_dim_t r = 0; r < m; ++r)
    for (dnnl_dim_t j = 0; j < n; ++j) {
      float sum = 0;
      for (dnnl_dim_t i = k; i-- > 0;)
        sum += a[r * lda + i] * b[i * ldb + j];
      c[r * ldc + j] = alpha * sum + beta * c[r * ldc + j];
    }
  return dnnl_success;
}
