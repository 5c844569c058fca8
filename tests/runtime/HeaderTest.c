//===- HeaderTest.c - nova.h is plain C -----------------------------------===//
//
// Compiled as strict C99. Uses the interface as a C program would; HeaderTest.cpp calls it.
//
//===----------------------------------------------------------------------===//

#include "nova/nova.h"

#include <string.h>

// Runs a module with one f32 matrix argument and one of the same shape as result. Returns 0, or the code of the
// failure.
int headerTestRun(const void *bytes, size_t size, int64_t rows, int64_t columns, float *in, float *out) {
  nova_module_options_t options = {sizeof options, NULL};
  nova_module_t *module = NULL;
  nova_context_t *context = NULL;
  nova_status_t *status = nova_module_load_memory(bytes, size, &options, &module);
  int64_t dims[2], resultDims[2] = {0, 0};
  int64_t *shapes[1];
  nova_code_t code;
  dims[0] = rows;
  dims[1] = columns;
  shapes[0] = resultDims;
  if (!status)
    status = nova_context_create(NULL, &context);
  if (!status) {
    nova_tensor_t argument, result;
    nova_run_t run;
    memset(&run, 0, sizeof run);
    argument.type = NOVA_F32;
    argument.rank = 2;
    argument.dims = dims;
    argument.data = in;
    status = nova_module_infer(module, NULL, NULL, &argument, 1, shapes);
    result = argument;
    result.dims = resultDims;
    result.data = out;
    run.module = module;
    run.arguments = &argument;
    run.num_arguments = 1;
    run.results = &result;
    run.num_results = 1;
    if (!status)
      status = nova_run(context, &run, 1);
  }
  code = nova_status_code(status);
  nova_status_free(status);
  nova_context_free(context);
  nova_module_release(module);
  return (int)code;
}
