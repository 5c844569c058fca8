// Runs a compiled causal attention from C: whole, fed in pieces, forked, and taken back. All ways give the same bits.
//
//     nova compile std_lib/nn/causal_attention.nova --type T=f32 -o attention.so
//     cc decode.c -lnova -o decode && ./decode attention.so
#include "nova/nova.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { Rows = 300, Width = 16, Prompt = 200 };

// Ends the program with the message of a failure.
static void check(nova_status_t *status) {
  if (!status)
    return;
  fprintf(stderr, "%s: %s\n", nova_code_name(nova_status_code(status)), nova_status_message(status));
  nova_status_free(status);
  exit(1);
}

static float Q[Rows][Width], K[Rows][Width], V[Rows][Width], whole[Rows][Width], pieces[Rows][Width];

// Rows `first` .. `first + count` of all tensors; results go to the same rows of `O`.
static void feed(nova_context_t *context, const nova_module_t *module, nova_session_t *session, int64_t first,
                 int64_t count, float (*O)[Width]) {
  const int64_t dims[2] = {count, Width};
  nova_tensor_t arguments[3] = {
      {NOVA_F32, 2, dims, Q[first]}, {NOVA_F32, 2, dims, K[first]}, {NOVA_F32, 2, dims, V[first]}};
  nova_tensor_t result = {NOVA_F32, 2, dims, O[first]};
  nova_run_t run = {module, NULL, session, arguments, 3, &result, 1};
  check(nova_run(context, &run, 1));
}

static void compare(const char *what) {
  if (memcmp(whole, pieces, sizeof whole) != 0) {
    printf("%s: other bits\n", what);
    exit(1);
  }
  printf("%s: the bits of the whole run\n", what);
  memset(pieces, 0, sizeof pieces);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s MODULE\n", argv[0]);
    return 2;
  }
  nova_module_t *module = NULL;
  nova_context_t *context = NULL;
  nova_session_t *session = NULL, *fork = NULL;
  check(nova_module_load_file(argv[1], NULL, &module));
  check(nova_context_create(NULL, &context));
  printf("%s on %s, %d threads\n", nova_module_graph(module), nova_module_target(module), nova_context_threads(context));

  srand(1);
  for (int i = 0; i < Rows; ++i)
    for (int j = 0; j < Width; ++j) {
      Q[i][j] = (float)rand() / (float)RAND_MAX - 0.5f;
      K[i][j] = (float)rand() / (float)RAND_MAX - 0.5f;
      V[i][j] = (float)rand() / (float)RAND_MAX - 0.5f;
    }
  feed(context, module, NULL, 0, Rows, whole);

  // The prompt at once, then row by row.
  check(nova_session_create(module, NULL, &session));
  feed(context, module, session, 0, Prompt, pieces);
  check(nova_session_fork(session, &fork));
  for (int i = Prompt; i < Rows; ++i)
    feed(context, module, session, i, 1, pieces);
  compare("prompt and single rows");

  // The fork goes on from the prompt, on its own.
  memcpy(pieces, whole, sizeof(float) * Prompt * Width);
  feed(context, module, fork, Prompt, Rows - Prompt, pieces);
  compare("a fork of the prompt");

  // Ten rows that are thrown away again.
  memcpy(pieces, whole, sizeof(float) * Prompt * Width);
  check(nova_session_rewind(session, Prompt));
  feed(context, module, session, 0, 10, pieces); // the wrong rows, behind the prompt
  check(nova_session_rewind(session, Prompt));
  memcpy(pieces, whole, sizeof(float) * Prompt * Width);
  for (int i = Prompt; i < Rows; i += 25)
    feed(context, module, session, i, 25, pieces);
  compare("ten rows taken back");

  nova_session_free(fork);
  nova_session_free(session);
  nova_context_free(context);
  nova_module_release(module);
  return 0;
}
