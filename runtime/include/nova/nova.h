//===- nova.h - The C interface of libnova --------------------------------===//
//
// libnova loads compiled modules and runs them: whole runs, and runs that extend a session by new rows. It contains no
// compiler. Conventions that hold for every function here:
//
// - Errors: a function that can fail returns a `nova_status_t *`; NULL is success. The caller owns a returned status
//   and releases it with nova_status_free. No C++ exception leaves the library, and no input makes it abort.
// - Out-parameters are written last and only on success; on failure they keep what they held.
// - Null: passing NULL where a pointer is required gives NOVA_INVALID_ARGUMENT. Functions that return a value instead
//   of a status return 0 or NULL for a NULL handle. Every `_free` and `_release` function accepts NULL.
// - Option structs begin with `size`, which the caller sets to sizeof of the struct; NULL stands for the defaults.
// - Threads: a module, and an instance of one, is immutable and may be used by any number of threads at once. Calls on
//   one context are serialised by the library; calls on different contexts run concurrently. A session may be used by
//   one call at a time. A status belongs to the thread that holds it.
//
//===----------------------------------------------------------------------===//

#ifndef NOVA_NOVA_H
#define NOVA_NOVA_H

#include <stddef.h>
#include <stdint.h>

#define NOVA_API __attribute__((visibility("default")))
#define NOVA_MUST_CHECK __attribute__((warn_unused_result))
#ifdef __cplusplus
#define NOVA_ENUM(name) enum name : int32_t /* so that a value out of range is refused, not undefined */
#else
#define NOVA_ENUM(name) enum name
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* --- Status ------------------------------------------------------------------------------------------------------- */

/** What kind of thing went wrong. The values are stable. */
typedef NOVA_ENUM(nova_code_t){
    NOVA_OK = 0,
    NOVA_INVALID_ARGUMENT = 1,    /* a null pointer, a wrong count, overlapping memory: the call itself is wrong */
    NOVA_SHAPE_MISMATCH = 2,      /* rank, element type, a size or a `where` clause does not hold */
    NOVA_MODULE_DAMAGED = 3,      /* not a module, truncated, or its digest does not match its bytes */
    NOVA_MODULE_INVALID = 4,      /* intact bytes whose manifest or symbols break the module format */
    NOVA_TARGET_UNSUPPORTED = 5,  /* this CPU runs none of the targets, or the named one is absent */
    NOVA_IO_ERROR = 6,            /* a file could not be read, or the object could not be mapped */
    NOVA_OUT_OF_MEMORY = 7,       /* memory could not be had; the call had no effect on results or session length */
    NOVA_DIVISION_BY_ZERO = 8,    /* an integer division by zero; no result was written */
    NOVA_CAPACITY_EXCEEDED = 9,   /* a session would outgrow its max_rows, or its budget */
    NOVA_INTERNAL = 10,           /* a fault of the library */
    NOVA_INDEX_OUT_OF_RANGE = 11, /* an index outside the axis that it looks up; no result was written */
    NOVA_FILE_DAMAGED = 12,       /* the file of a session is none, is truncated, or its digest does not match */
    NOVA_CANCELLED = 13           /* nova_context_cancel ended the call; no session changed */
} nova_code_t;

/** A failure: a code and a message. NULL is success. */
typedef struct nova_status_t nova_status_t;

/** The code of `status`; NOVA_OK for NULL. */
NOVA_API nova_code_t nova_status_code(const nova_status_t *status);

/** The message of `status`: lower case, no full stop, UTF-8. "" for NULL. Owned by the status. */
NOVA_API const char *nova_status_message(const nova_status_t *status);

/** A code's name, such as "shape mismatch". Never NULL; static memory. */
NOVA_API const char *nova_code_name(nova_code_t code);

/** Releases a status. NULL is allowed. */
NOVA_API void nova_status_free(nova_status_t *status);

/* --- Library and CPU ---------------------------------------------------------------------------------------------- */

/** The library's version, "major.minor.patch". Static memory. */
NOVA_API const char *nova_version(void);

/** 1 if this CPU and operating system can run code of `target` ("x86-64-v3" or "x86-64-v4"), else 0; 0 for an unknown
 *  name or NULL. */
NOVA_API int32_t nova_target_supported(const char *target);

/* --- oneDNN ------------------------------------------------------------------------------------------------------- */

/** Contractions in f32 may be carried by oneDNN where it gives the same bits; which shapes it does that for is tried
 * when they are met for the first time. libnova is not linked to oneDNN: it loads the library when a module could use
 * it, the file that the environment variable NOVA_ONEDNN names ("off": none), else where the system finds it. Without
 * one, everything runs on generated code. */
typedef struct nova_onednn_info_t {
  size_t size;         /* sizeof(nova_onednn_info_t) */
  const char *name;    /* "oneDNN 3.2.0", or "" where there is none */
  const char *cpu;     /* the instruction set that it uses, as it calls it, or "" */
  const char *trouble; /* why it is not used, or "" */
  int64_t qualified;   /* products that are known to give the same bits */
  int64_t refused;     /* products that are known not to */
} nova_onednn_info_t;

/** Describes the oneDNN of this process, which is loaded if it was not. The texts are static memory. Errors:
 *  NOVA_INVALID_ARGUMENT for NULL or another size. */
NOVA_API NOVA_MUST_CHECK nova_status_t *nova_onednn_describe(nova_onednn_info_t *info);

/** Names the file in which is remembered, for all contexts of this process and for other processes, what oneDNN was
 * found to do; NULL or "" for none, as at first. A file that is damaged, or of another machine or version, counts as
 * none and is replaced; one that cannot be read or written costs time and nothing else. Whoever can write the file can
 * say that bits are equal. */
NOVA_API NOVA_MUST_CHECK nova_status_t *nova_onednn_remember(const char *path);

/** Tries oneDNN on C[64, columns] = A[64, terms] * B[terms, columns], dense, or remembers; `*qualified` becomes 1 if
 * every bit is right, else 0, as without oneDNN. Errors: NOVA_INVALID_ARGUMENT for sizes outside 1 .. 65536 or NULL. */
NOVA_API NOVA_MUST_CHECK nova_status_t *nova_onednn_qualify(int64_t terms, int64_t columns, int32_t *qualified);

/* --- Tensors ------------------------------------------------------------------------------------------------------ */

/** Element types. An i1 is one byte, 0 or 1. The values are stable. */
typedef NOVA_ENUM(nova_type_t){
    NOVA_F64 = 0, NOVA_F32 = 1, NOVA_I64 = 2, NOVA_I32 = 3, NOVA_I1 = 4, NOVA_BF16 = 5, /* the upper half of an f32 */
    NOVA_F16 = 6,                                                                       /* IEEE 754 binary16 */
    NOVA_I8 = 7,  NOVA_I4 = 8 /* -8 .. 7, two to a byte, the first in its low half; each row of the last axis begins at
                                 a byte */
} nova_type_t;

/** The type's name ("f64") and its size in bytes (1 for i4); NULL and 0 for a value that is no type. */
NOVA_API const char *nova_type_name(nova_type_t type);
NOVA_API size_t nova_type_size(nova_type_t type);

/** A dense row-major tensor in the caller's memory. `dims` has `rank` entries and may be NULL for rank 0 (one element).
 *  `data` is aligned to the element size and may be NULL only if the tensor has no elements. */
typedef struct nova_tensor_t {
  nova_type_t type;
  int32_t rank;
  const int64_t *dims;
  void *data;
} nova_tensor_t;

/* --- Modules ------------------------------------------------------------------------------------------------------ */

/** A loaded module. Reference-counted: instances and sessions keep their module alive. */
typedef struct nova_module_t nova_module_t;

typedef struct nova_module_options_t {
  size_t size;        /* sizeof(nova_module_options_t) */
  const char *target; /* a target to insist on, or NULL for the best that this CPU runs */
} nova_module_options_t;

/** Checks a module without executing anything of it: the ELF structure, the digest over all bytes, the manifest.
 *  Errors: NOVA_MODULE_DAMAGED, NOVA_MODULE_INVALID. Does not keep `bytes`. */
NOVA_API NOVA_MUST_CHECK nova_status_t *nova_module_check_memory(const void *bytes, size_t size);

/** Loads a module from memory: checks it as nova_module_check_memory does, chooses a target, and only then maps the
 *  very bytes that were checked. Does not keep `bytes`. The caller owns `*module` (nova_module_release).
 *  Errors: as the check, NOVA_TARGET_UNSUPPORTED, NOVA_IO_ERROR, NOVA_OUT_OF_MEMORY. */
NOVA_API NOVA_MUST_CHECK nova_status_t *
nova_module_load_memory(const void *bytes, size_t size, const nova_module_options_t *options, nova_module_t **module);

/** Loads a module from a file. The file is read once; later changes to it have no effect. Errors: as
 *  nova_module_load_memory; NOVA_IO_ERROR also for a missing file or a directory. */
NOVA_API NOVA_MUST_CHECK nova_status_t *nova_module_load_file(const char *path, const nova_module_options_t *options,
                                                              nova_module_t **module);

/** Ends the handle: no call may name it again. The code and the facts of the module stay until its last instance and
 * its last session go, which may still be run and extended (nova_run_t with a NULL module). NULL is allowed. */
NOVA_API void nova_module_release(nova_module_t *module);

/** The module's facts, owned by the module; "" or NULL is never given for a module. The hashes are lower-case hex. */
NOVA_API const char *nova_module_manifest(const nova_module_t *module); /* the manifest's JSON text */
NOVA_API const char *nova_module_graph(const nova_module_t *module);
NOVA_API const char *nova_module_version_hash(const nova_module_t *module);
NOVA_API const char *nova_module_target(const nova_module_t *module); /* the target that was chosen */

/** 1 if the module can extend a session, else 0. */
NOVA_API int32_t nova_module_is_sequence(const nova_module_t *module);

/** One argument or result of a module. The strings belong to the module. */
typedef struct nova_port_t {
  const char *name;
  nova_type_t type;
  int32_t rank;
  int32_t sequence_axis;        /* the axis that grows with a session, or -1 */
  const char *const *dim_texts; /* `rank` texts such as "n" or "H * D" */
  int32_t is_param;             /* 1 for an argument that nova_instance_create binds, else 0 */
} nova_port_t;

/** The number of arguments, params included, of those that are params, and of results. */
NOVA_API size_t nova_module_argument_count(const nova_module_t *module);
NOVA_API size_t nova_module_param_count(const nova_module_t *module);
NOVA_API size_t nova_module_result_count(const nova_module_t *module);

/** Describes argument (or result) `index`. Errors: NOVA_INVALID_ARGUMENT for an index out of range. */
NOVA_API NOVA_MUST_CHECK nova_status_t *nova_module_argument(const nova_module_t *module, size_t index,
                                                             nova_port_t *port);
NOVA_API NOVA_MUST_CHECK nova_status_t *nova_module_result(const nova_module_t *module, size_t index,
                                                           nova_port_t *port);

/* --- Instances of modules ----------------------------------------------------------------------------------------- */

/** Threads and working memory. Memory is kept between calls, so repeated calls do not allocate. */
typedef struct nova_context_t nova_context_t;

/** A module with its params (weights), and what follows from them alone (packed weights). Reference-counted: sessions
 *  keep their instance alive. Any number of instances of a module, with other params, may exist at once. */
typedef struct nova_instance_t nova_instance_t;

/** Binds the params of a module, which are given in its order of arguments, and computes what follows from them alone,
 *  on the threads of `context`. The context is not kept. The memory of the params is borrowed: it must stay valid and
 *  unchanged until the instance and its last session have gone; `dims` is copied. The memory of what is computed is the
 *  instance's. Needed for modules with params, allowed for all. The caller owns `*instance` (nova_instance_release).
 *  Errors: NOVA_INVALID_ARGUMENT, NOVA_SHAPE_MISMATCH (also for a `where` clause that the params alone decide),
 *  NOVA_DIVISION_BY_ZERO in what follows from the params, NOVA_OUT_OF_MEMORY, NOVA_CANCELLED. */
NOVA_API NOVA_MUST_CHECK nova_status_t *nova_instance_create(nova_context_t *context, const nova_module_t *module,
                                                             const nova_tensor_t *params, size_t num_params,
                                                             nova_instance_t **instance);

/** Ends the handle: no call may name it again. Params and prepared memory are used until its last session goes, which
 *  may still be extended (nova_run_t with a NULL instance). NULL is allowed. */
NOVA_API void nova_instance_release(nova_instance_t *instance);

/* --- Sessions ----------------------------------------------------------------------------------------------------- */

/** The state of one sequence that is fed in pieces: it holds `length` rows. Where every later row looks back no further
 * than a window, rows before it are given up, so that memory does not grow with the length. */
typedef struct nova_session_t nova_session_t;

/** A limit on the memory that any number of sessions, of any modules, have for their rows, together with their forks
 * and what these share. Reference-counted: its sessions keep it alive. May be used by any number of threads at once. */
typedef struct nova_budget_t nova_budget_t;

/** Makes a budget of so many bytes. The caller owns `*budget` (nova_budget_release). Errors: NOVA_INVALID_ARGUMENT for
 * less than 0 or NULL. */
NOVA_API NOVA_MUST_CHECK nova_status_t *nova_budget_create(int64_t max_bytes, nova_budget_t **budget);

/** The bytes that sessions have taken, with the room for rows to come; 0 for NULL. */
NOVA_API int64_t nova_budget_taken(const nova_budget_t *budget);

/** Ends the handle; sessions go on. NULL is allowed. */
NOVA_API void nova_budget_release(nova_budget_t *budget);

typedef struct nova_session_options_t {
  size_t size;           /* sizeof(nova_session_options_t) */
  int64_t initial_rows;  /* rows to make room for at the first extend; 0 for a small default */
  int64_t max_rows;      /* rows the session may hold; negative for no limit */
  nova_budget_t *budget; /* what its memory, and that of its forks, is taken from; NULL for no limit */
} nova_session_options_t;

#define NOVA_SESSION_OPTIONS_INIT {sizeof(nova_session_options_t), 0, -1, NULL}

/** Makes an empty session of a module with a sequence and without params. Memory is taken at the first extend, when the
 * sizes are known. The session keeps the module alive. The caller owns `*session` (nova_session_free). Errors:
 * NOVA_INVALID_ARGUMENT if the module has no sequence, or has params, or initial_rows is negative or above max_rows. */
NOVA_API NOVA_MUST_CHECK nova_status_t *
nova_session_create(nova_module_t *module, const nova_session_options_t *options, nova_session_t **session);

/** The same for an instance, with params or without: every run of the session uses the instance's params. The session
 *  keeps the instance and its module alive. */
NOVA_API NOVA_MUST_CHECK nova_status_t *nova_session_create_for_instance(nova_instance_t *instance,
                                                                         const nova_session_options_t *options,
                                                                         nova_session_t **session);

/** The number of rows the session holds. */
NOVA_API int64_t nova_session_length(const nova_session_t *session);

/** The bytes of state that the rows take which the session keeps, with what pads them; 0 for NULL. */
NOVA_API int64_t nova_session_bytes(const nova_session_t *session);

/** Forgets all rows and all sizes; keeps the memory. NULL is allowed. */
NOVA_API void nova_session_reset(nova_session_t *session);

/** Forgets all rows but the first `length`, as if the others had never been fed: what is fed next follows those, with
 * the bits of a session that had seen nothing else. Sizes and memory stay. Costs nothing. Errors: NOVA_INVALID_ARGUMENT
 * for a length outside 0 .. nova_session_length, for NULL, for a session that takes part in a call on another thread,
 * and, unless all or none of the rows are forgotten, where a state holds only what follows from all rows (the carry of
 * a scan along the sequence), or where rows were given up that the rows to come could read: of a state that is only
 * read through a window so many of the last rows are kept that a session can go back by 256 from the most that it held,
 * but not always behind where it was loaded from a file. Nothing has changed then. */
NOVA_API NOVA_MUST_CHECK nova_status_t *nova_session_rewind(nova_session_t *session, int64_t length);

/** Makes a session that holds the same rows and goes on from them on its own, with the same limits. Where there are
 * many rows, the first fork copies them once, and all forks of the session and of each other have that memory in common
 * until one of them writes there; else they are copied. The caller owns `*fork` (nova_session_free). Errors:
 * NOVA_INVALID_ARGUMENT for NULL and for a session that takes part in a call on another thread; NOVA_CAPACITY_EXCEEDED
 * for a budget; NOVA_OUT_OF_MEMORY. */
NOVA_API NOVA_MUST_CHECK nova_status_t *nova_session_fork(nova_session_t *session, nova_session_t **fork);

/** Writes the rows that the session holds to a file, which takes the place of one that is there, at once or not at all.
 * What is in it depends neither on the machine nor on how the rows were fed. Errors: NOVA_INVALID_ARGUMENT for NULL and
 * for a session that takes part in a call on another thread; NOVA_IO_ERROR; NOVA_MODULE_INVALID for a module of a
 * compiler that did not yet tell how its states lie. */
NOVA_API NOVA_MUST_CHECK nova_status_t *nova_session_save(nova_session_t *session, const char *path);

/** Fills a session that holds no rows with those of a file that was saved for the same graph, on this machine or
 * another: what is fed next follows them with the same bits. Of params only the sizes are compared. After an error the
 * session holds no rows. Errors: NOVA_INVALID_ARGUMENT also for a session that holds rows and for the file of another
 * graph or of other sizes; NOVA_FILE_DAMAGED; NOVA_IO_ERROR; NOVA_CAPACITY_EXCEEDED; NOVA_OUT_OF_MEMORY, never for more
 * than about what the file has; NOVA_MODULE_INVALID as above. */
NOVA_API NOVA_MUST_CHECK nova_status_t *nova_session_load(nova_session_t *session, const char *path);

/** Releases a session. NULL is allowed. */
NOVA_API void nova_session_free(nova_session_t *session);

/* --- Contexts and runs -------------------------------------------------------------------------------------------- */

/** A caller's way to run work in parallel: call body(argument, w) once for every w in 0 .. workers, on any threads, in
 *  any order, and return when all have returned. No two calls of one parallel_for may share a w. */
typedef void (*nova_parallel_for_t)(void *user, int32_t workers, void (*body)(void *argument, int32_t worker),
                                    void *argument);

/** Whether a context uses oneDNN where it can. The values are stable. */
typedef NOVA_ENUM(nova_onednn_t){NOVA_ONEDNN_ON = 0, NOVA_ONEDNN_OFF = 1} nova_onednn_t;

typedef struct nova_context_options_t {
  size_t size;                      /* sizeof(nova_context_options_t) */
  int32_t threads;                  /* threads to use, the calling one included; 0 for one per available core */
  nova_parallel_for_t parallel_for; /* NULL for the library's own threads */
  void *parallel_for_user;
  nova_onednn_t onednn; /* results are the same bits either way */
} nova_context_options_t;

/** Makes a context. The caller owns `*context` (nova_context_free). Errors: NOVA_INVALID_ARGUMENT for a thread count
 *  outside 0 .. 4096; NOVA_OUT_OF_MEMORY. */
NOVA_API NOVA_MUST_CHECK nova_status_t *nova_context_create(const nova_context_options_t *options,
                                                            nova_context_t **context);

/** The number of threads the context uses. */
NOVA_API int32_t nova_context_threads(const nova_context_t *context);

/** Gives the context's idle working memory back to the system. NULL is allowed. */
NOVA_API void nova_context_trim(nova_context_t *context);

/** Ends the call in progress on the context, and every further one, as soon as the blocks of rows that are being
 * computed are done: they fail with NOVA_CANCELLED. No session's length changes, and what the results hold is
 * unspecified. A call
 * that was done already, or that has nothing to compute, may still succeed. Returns at once; any thread may call it,
 * also while the context is in use. NULL is allowed. */
NOVA_API void nova_context_cancel(nova_context_t *context);

/** Calls on the context are run again, after nova_context_cancel; one that is in progress may still fail. NULL is
 * allowed. */
NOVA_API void nova_context_resume(nova_context_t *context);

/** Begins to measure the kernels of all calls on the context from here on (`on` 1), or ends it (0); what was measured
 *  before is forgotten. Costs about 50 nanoseconds for each kernel's call. NULL is allowed. */
NOVA_API void nova_context_measure(nova_context_t *context, int32_t on);

/** What a kernel has taken, over all threads. */
typedef struct nova_kernel_time_t {
  const char
      *kernel; /* as `nova compile --emit=plan` calls it; valid until nova_context_measure or nova_context_free */
  int64_t calls;
  int64_t nanoseconds;
} nova_kernel_time_t;

/** Writes what was measured to at most `room` entries of `times`, by name, and returns how many there are; no call on
 * the context may be in progress. 0 for NULL. */
NOVA_API size_t nova_context_kernel_times(const nova_context_t *context, nova_kernel_time_t *times, size_t room);

/** Releases a context; no call on it may be in progress. NULL is allowed. */
NOVA_API void nova_context_free(nova_context_t *context);

/** One run of a module. Without a session it is a whole run. With a session the run extends it by m rows, where m is
 *  the size of every argument's and result's sequence axis, m >= 0. Arguments, which are those that are no params, and
 *  results are in the module's order. Results are written by the call and may overlap no argument, no param and no
 * other result of the same call. */
typedef struct nova_run_t {
  const nova_module_t *module; /* may be NULL where there is an instance or a session: it is theirs */
  const nova_instance_t
      *instance;           /* NULL for a module without params, or where there is a session: it is the session's */
  nova_session_t *session; /* NULL, or a session of this module and this instance */
  const nova_tensor_t *arguments;
  size_t num_arguments;
  const nova_tensor_t *results;
  size_t num_results;
} nova_run_t;

/** Executes `count` independent runs (heads, batches, sessions) as one unit of parallel work. A session may occur once.
 *  Every run is checked before any is started: after NOVA_INVALID_ARGUMENT, NOVA_SHAPE_MISMATCH,
 *  NOVA_CAPACITY_EXCEEDED or NOVA_OUT_OF_MEMORY no result was written and no session's rows changed; memory that some
 *  of the sessions have got already stays theirs, for the call to be tried again. After
 *  NOVA_DIVISION_BY_ZERO or NOVA_INDEX_OUT_OF_RANGE no session's length changed and no result of a module that can fail
 *  was written.
 *  After NOVA_CANCELLED no session's length changed.
 *  Runs that follow each other in the list, extend sessions of one instance by 1 .. 63 rows each, and share the memory
 * of all arguments without a sequence axis, are one ragged batch where the module allows it: steps that work row by row
 * run over the rows of all of them, so weights are read once. The bits of the results depend neither on the number of
 * threads nor on what else is in the list. */
NOVA_API NOVA_MUST_CHECK nova_status_t *nova_run(nova_context_t *context, const nova_run_t *runs, size_t count);

/** Tells the shapes of the results for these arguments, which are those that are no params; their `data` is not looked
 *  at. `module`, `instance` and `session` as in nova_run_t.
 *  `result_dims[i]` points to room for as many sizes as result i has axes (it may be NULL for rank 0). Errors: as the
 *  checks of nova_run. */
NOVA_API NOVA_MUST_CHECK nova_status_t *nova_module_infer(const nova_module_t *module, const nova_instance_t *instance,
                                                          const nova_session_t *session, const nova_tensor_t *arguments,
                                                          size_t num_arguments, int64_t *const *result_dims);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // NOVA_NOVA_H
