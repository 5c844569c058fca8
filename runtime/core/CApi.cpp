//===- CApi.cpp - The C interface over the runtime's classes --------------===//

#include "runtime/core/Context.h"
#include "runtime/core/SessionFile.h"
#include "runtime/core/Target.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <sys/stat.h>

using namespace nova::runtime;

namespace {

/// Runs a body that returns a Status; no exception passes.
template <typename Body> nova_status_t *guarded(Body body) {
  try {
    return body().release();
  } catch (const std::bad_alloc &) {
    return Status::outOfMemory().release();
  } catch (...) {
    try {
      return fail(NOVA_INTERNAL, "an unexpected exception reached the interface").release();
    } catch (...) {
      return Status::outOfMemory().release();
    }
  }
}

Status nullArgument(const char *name) { return fail(NOVA_INVALID_ARGUMENT, name, " is null"); }

/// Options structs tell their own size; NULL gives the defaults.
template <typename Options> Status readOptions(const Options *options, Options &read) {
  if (!options)
    return Status::success();
  if (options->size != sizeof(Options))
    return fail(NOVA_INVALID_ARGUMENT, "options: expected size ", sizeof(Options), ", found ", options->size);
  read = *options;
  return Status::success();
}

/// Reads a whole regular file.
Status readFile(const char *path, std::string &bytes) {
  struct Closer {
    void operator()(FILE *file) const { std::fclose(file); }
  };
  std::unique_ptr<FILE, Closer> file(std::fopen(path, "rbe"));
  if (!file)
    return fail(NOVA_IO_ERROR, "cannot open ", path, ": ", strerror(errno));
  struct stat facts;
  if (fstat(fileno(file.get()), &facts) != 0)
    return fail(NOVA_IO_ERROR, "cannot read ", path, ": ", strerror(errno));
  if (S_ISDIR(facts.st_mode))
    return fail(NOVA_IO_ERROR, "cannot read ", path, ": it is a directory");
  bytes.reserve(static_cast<size_t>(facts.st_size > 0 ? facts.st_size : 0));
  char chunk[1 << 16];
  while (size_t got = std::fread(chunk, 1, sizeof chunk, file.get()))
    bytes.append(chunk, got);
  if (std::ferror(file.get()))
    return fail(NOVA_IO_ERROR, "cannot read ", path, ": ", strerror(errno));
  return Status::success();
}

Status loadModule(std::string_view bytes, const nova_module_options_t *options, nova_module_t **module) {
  nova_module_options_t read{sizeof read, nullptr};
  if (Status status = readOptions(options, read))
    return status;
  auto loaded = std::make_unique<nova_module_t>();
  if (Status status = Module::load(bytes, read.target, loaded->module))
    return status;
  *module = loaded.release();
  return Status::success();
}

const Manifest *manifestOf(const nova_module_t *module) { return module ? &module->module->manifest() : nullptr; }

Status describePort(const char *what, const std::vector<Port> &ports, size_t index, nova_port_t *described) {
  if (index >= ports.size())
    return fail(NOVA_INVALID_ARGUMENT, "expected an index below ", ports.size(), ", the number of ", what, ", found ",
                index);
  const Port &port = ports[index];
  *described = {port.name.c_str(),    port.type,   static_cast<int32_t>(port.dims.size()), port.sequenceAxis,
                port.dimTexts.data(), port.isParam};
  return Status::success();
}

Status createSession(const std::shared_ptr<const Module> &module, std::shared_ptr<const ModuleInstance> instance,
                     const nova_session_options_t *options, nova_session_t **session) {
  const Manifest &manifest = module->manifest();
  nova_session_options_t read = NOVA_SESSION_OPTIONS_INIT;
  if (Status status = readOptions(options, read))
    return status;
  if (!manifest.hasSequence)
    return fail(NOVA_INVALID_ARGUMENT, manifest.graph, " was compiled without a sequence to extend");
  if (manifest.params > 0 && !instance)
    return missingInstance(manifest);
  if (read.initial_rows < 0 || (read.max_rows >= 0 && read.initial_rows > read.max_rows))
    return fail(NOVA_INVALID_ARGUMENT, "initial_rows: expected 0 or more and at most max_rows, found ",
                read.initial_rows);
  *session = new nova_session_t{
      {module, std::move(instance), read.initial_rows, read.max_rows, read.budget ? read.budget->budget : nullptr}};
  return Status::success();
}

} // namespace

extern "C" const char *nova_version(void) { return NOVA_VERSION; }

extern "C" int32_t nova_target_supported(const char *target) { return target && targetSupported(target); }

extern "C" const char *nova_type_name(nova_type_t type) {
  switch (type) {
  case NOVA_F64:
    return "f64";
  case NOVA_F32:
    return "f32";
  case NOVA_I64:
    return "i64";
  case NOVA_I32:
    return "i32";
  case NOVA_I1:
    return "i1";
  case NOVA_BF16:
    return "bf16";
  case NOVA_F16:
    return "f16";
  case NOVA_I8:
    return "i8";
  case NOVA_I4:
    return "i4";
  }
  return nullptr;
}

extern "C" size_t nova_type_size(nova_type_t type) {
  switch (type) {
  case NOVA_F64:
  case NOVA_I64:
    return 8;
  case NOVA_F32:
  case NOVA_I32:
    return 4;
  case NOVA_BF16:
  case NOVA_F16:
    return 2;
  case NOVA_I8:
  case NOVA_I4:
  case NOVA_I1:
    return 1;
  }
  return 0;
}

extern "C" nova_status_t *nova_module_check_memory(const void *bytes, size_t size) {
  return guarded([&]() -> Status {
    if (!bytes)
      return nullArgument("bytes");
    Manifest manifest;
    std::string_view text;
    return Module::check({static_cast<const char *>(bytes), size}, manifest, text);
  });
}

extern "C" nova_status_t *nova_module_load_memory(const void *bytes, size_t size, const nova_module_options_t *options,
                                                  nova_module_t **module) {
  return guarded([&]() -> Status {
    if (!bytes || !module)
      return nullArgument(bytes ? "module" : "bytes");
    return loadModule({static_cast<const char *>(bytes), size}, options, module);
  });
}

extern "C" nova_status_t *nova_module_load_file(const char *path, const nova_module_options_t *options,
                                                nova_module_t **module) {
  return guarded([&]() -> Status {
    if (!path || !module)
      return nullArgument(path ? "module" : "path");
    std::string bytes;
    if (Status status = readFile(path, bytes))
      return status;
    if (Status status = loadModule(bytes, options, module))
      return fail(status.code(), path, ": ", status.message());
    return Status::success();
  });
}

extern "C" void nova_module_release(nova_module_t *module) { delete module; }

extern "C" const char *nova_module_manifest(const nova_module_t *module) {
  return module ? module->module->manifestText().c_str() : nullptr;
}

extern "C" const char *nova_module_graph(const nova_module_t *module) {
  return module ? manifestOf(module)->graph.c_str() : nullptr;
}

extern "C" const char *nova_module_version_hash(const nova_module_t *module) {
  return module ? manifestOf(module)->versionHash.c_str() : nullptr;
}

extern "C" const char *nova_module_target(const nova_module_t *module) {
  return module ? module->module->target().c_str() : nullptr;
}

extern "C" int32_t nova_module_is_sequence(const nova_module_t *module) {
  return module && manifestOf(module)->hasSequence;
}

extern "C" size_t nova_module_argument_count(const nova_module_t *module) {
  return module ? manifestOf(module)->arguments.size() : 0;
}

extern "C" size_t nova_module_param_count(const nova_module_t *module) {
  return module ? manifestOf(module)->params : 0;
}

extern "C" size_t nova_module_result_count(const nova_module_t *module) {
  return module ? manifestOf(module)->results.size() : 0;
}

extern "C" nova_status_t *nova_module_argument(const nova_module_t *module, size_t index, nova_port_t *port) {
  return guarded([&]() -> Status {
    if (!module || !port)
      return nullArgument(module ? "port" : "module");
    return describePort("arguments", manifestOf(module)->arguments, index, port);
  });
}

extern "C" nova_status_t *nova_module_result(const nova_module_t *module, size_t index, nova_port_t *port) {
  return guarded([&]() -> Status {
    if (!module || !port)
      return nullArgument(module ? "port" : "module");
    return describePort("results", manifestOf(module)->results, index, port);
  });
}

extern "C" nova_status_t *nova_instance_create(nova_context_t *context, const nova_module_t *module,
                                               const nova_tensor_t *params, size_t num_params,
                                               nova_instance_t **instance) {
  return guarded([&]() -> Status {
    if (!context || !module || !instance)
      return nullArgument(!context ? "context" : !module ? "module" : "instance");
    std::shared_ptr<ModuleInstance> bound;
    if (Status status = ModuleInstance::bind(module->module, params, num_params, bound))
      return status;
    if (Status status = context->context.prepare(*bound))
      return status;
    *instance = new nova_instance_t{std::move(bound)};
    return Status::success();
  });
}

extern "C" void nova_instance_release(nova_instance_t *instance) { delete instance; }

extern "C" nova_status_t *nova_budget_create(int64_t max_bytes, nova_budget_t **budget) {
  return guarded([&]() -> Status {
    if (!budget)
      return nullArgument("budget");
    if (max_bytes < 0)
      return fail(NOVA_INVALID_ARGUMENT, "max_bytes: expected 0 or more, found ", max_bytes);
    *budget = new nova_budget_t{std::make_shared<Budget>(max_bytes)};
    return Status::success();
  });
}

extern "C" int64_t nova_budget_taken(const nova_budget_t *budget) { return budget ? budget->budget->taken() : 0; }

extern "C" void nova_budget_release(nova_budget_t *budget) { delete budget; }

extern "C" nova_status_t *nova_session_create(nova_module_t *module, const nova_session_options_t *options,
                                              nova_session_t **session) {
  return guarded([&]() -> Status {
    if (!module || !session)
      return nullArgument(module ? "session" : "module");
    return createSession(module->module, nullptr, options, session);
  });
}

extern "C" nova_status_t *nova_session_create_for_instance(nova_instance_t *instance,
                                                           const nova_session_options_t *options,
                                                           nova_session_t **session) {
  return guarded([&]() -> Status {
    if (!instance || !session)
      return nullArgument(instance ? "session" : "instance");
    return createSession(instance->instance->module(), instance->instance, options, session);
  });
}

extern "C" int64_t nova_session_length(const nova_session_t *session) {
  return session ? session->session.length() : 0;
}

extern "C" void nova_session_reset(nova_session_t *session) {
  if (session)
    session->session.reset();
}

/// Keeps a session from being run while `work` changes or reads it.
template <typename Work> static Status withSession(nova_session_t *session, Work work) {
  if (!session->session.claim())
    return fail(NOVA_INVALID_ARGUMENT, "the session takes part in a call");
  struct Unclaim { // also when memory runs out
    Session &session;
    ~Unclaim() { session.unclaim(); }
  } unclaim{session->session};
  return work();
}

extern "C" int64_t nova_session_bytes(const nova_session_t *session) {
  return session ? session->session.bytesHeld() : 0;
}

extern "C" nova_status_t *nova_session_rewind(nova_session_t *session, int64_t length) {
  return guarded([&]() -> Status {
    if (!session)
      return nullArgument("session");
    return withSession(session, [&] { return session->session.rewind(length); });
  });
}

extern "C" nova_status_t *nova_session_fork(nova_session_t *session, nova_session_t **fork) {
  return guarded([&]() -> Status {
    if (!session || !fork)
      return nullArgument(session ? "fork" : "session");
    std::unique_ptr<nova_session_t> made(new nova_session_t{session->session.emptyLike()});
    if (Status status = withSession(session, [&] { return made->session.copyFrom(session->session); }))
      return status;
    *fork = made.release();
    return Status::success();
  });
}

extern "C" nova_status_t *nova_session_save(nova_session_t *session, const char *path) {
  return guarded([&]() -> Status {
    if (!session || !path)
      return nullArgument(session ? "path" : "session");
    return withSession(session, [&] { return saveSession(session->session, path); });
  });
}

extern "C" nova_status_t *nova_session_load(nova_session_t *session, const char *path) {
  return guarded([&]() -> Status {
    if (!session || !path)
      return nullArgument(session ? "path" : "session");
    return withSession(session, [&] {
      if (session->session.length() > 0)
        return fail(NOVA_INVALID_ARGUMENT, "expected a session without rows, found one with ",
                    session->session.length());
      return loadSession(session->session, path);
    });
  });
}

extern "C" void nova_session_free(nova_session_t *session) { delete session; }

extern "C" nova_status_t *nova_onednn_describe(nova_onednn_info_t *info) {
  return guarded([&]() -> Status {
    if (!info)
      return nullArgument("info");
    if (info->size != sizeof *info)
      return fail(NOVA_INVALID_ARGUMENT, "info: expected size ", sizeof *info, ", found ", info->size);
    const Vendor &vendor = oneDnn();
    LibraryTiles::Count count = libraryTiles().count();
    *info = {sizeof *info,           vendor.name.c_str(), vendor.cpu.c_str(),
             vendor.trouble.c_str(), count.qualified,     count.refused};
    return Status::success();
  });
}

extern "C" nova_status_t *nova_onednn_remember(const char *path) {
  return guarded([&]() -> Status {
    libraryTiles().remember(path ? path : "");
    return Status::success();
  });
}

extern "C" nova_status_t *nova_onednn_qualify(int64_t terms, int64_t columns, int32_t *qualified) {
  return guarded([&]() -> Status {
    constexpr int64_t kMost = 1 << 16;
    if (!qualified)
      return nullArgument("qualified");
    for (int64_t size : {terms, columns})
      if (size < 1 || size > kMost)
        return fail(NOVA_INVALID_ARGUMENT, "expected sizes in 1 .. ", kMost, ", found ", size);
    *qualified = libraryTiles().isQualified({terms, columns, terms, columns, columns});
    return Status::success();
  });
}

extern "C" nova_status_t *nova_context_create(const nova_context_options_t *options, nova_context_t **context) {
  return guarded([&]() -> Status {
    if (!context)
      return nullArgument("context");
    nova_context_options_t read{sizeof read, 0, nullptr, nullptr, NOVA_ONEDNN_ON};
    if (Status status = readOptions(options, read))
      return status;
    if (read.threads < 0 || read.threads > kMostThreads)
      return fail(NOVA_INVALID_ARGUMENT, "threads: expected 0 .. ", kMostThreads, ", found ", read.threads);
    if (read.onednn != NOVA_ONEDNN_ON && read.onednn != NOVA_ONEDNN_OFF)
      return fail(NOVA_INVALID_ARGUMENT, "onednn: expected NOVA_ONEDNN_ON or NOVA_ONEDNN_OFF, found ",
                  static_cast<int64_t>(read.onednn));
    LibraryTiles *tiles = read.onednn == NOVA_ONEDNN_ON ? &libraryTiles() : nullptr;
    *context = new nova_context_t{{read.threads, read.parallel_for, read.parallel_for_user, tiles}};
    return Status::success();
  });
}

extern "C" int32_t nova_context_threads(const nova_context_t *context) {
  return context ? context->context.threads() : 0;
}

extern "C" void nova_context_trim(nova_context_t *context) {
  if (context)
    context->context.trim();
}

extern "C" void nova_context_cancel(nova_context_t *context) {
  if (context)
    context->context.cancel(true);
}

extern "C" void nova_context_resume(nova_context_t *context) {
  if (context)
    context->context.cancel(false);
}

extern "C" void nova_context_measure(nova_context_t *context, int32_t on) {
  if (context)
    context->context.measure(on != 0);
}

extern "C" size_t nova_context_kernel_times(const nova_context_t *context, nova_kernel_time_t *times, size_t room) {
  if (!context)
    return 0;
  size_t count = 0;
  for (const auto &[kernel, time] : context->context.kernelTimes()) {
    if (count < room && times)
      times[count] = {kernel.c_str(), time.calls, time.nanoseconds};
    ++count;
  }
  return count;
}

extern "C" void nova_context_free(nova_context_t *context) { delete context; }

extern "C" nova_status_t *nova_run(nova_context_t *context, const nova_run_t *runs, size_t count) {
  return guarded([&]() -> Status {
    if (!context || (count > 0 && !runs))
      return nullArgument(context ? "runs" : "context");
    return count == 0 ? Status::success() : context->context.run(runs, count);
  });
}

extern "C" nova_status_t *nova_module_infer(const nova_module_t *module, const nova_instance_t *instance,
                                            const nova_session_t *session, const nova_tensor_t *arguments,
                                            size_t num_arguments, int64_t *const *result_dims) {
  return guarded([&]() -> Status {
    RunTarget target;
    if (Status status = findTarget(module, instance, session ? &session->session : nullptr, target))
      return status;
    const Manifest &manifest = target.module->manifest();
    std::vector<int64_t> dims(manifest.symbols.size());
    SessionSizes sizes{};
    if (session)
      sizes = session->session.sizes();
    if (Status status = checkArguments(manifest, session ? &sizes : nullptr, target.params(), arguments, num_arguments,
                                       DataCheck::Ignored, dims.data()))
      return status;
    std::vector<int64_t> sizesInOrder;
    for (size_t i = 0; i < manifest.results.size(); ++i) {
      size_t rank = manifest.results[i].dims.size();
      if (rank > 0 && (!result_dims || !result_dims[i]))
        return nullArgument("result_dims");
      for (size_t axis = 0; axis < rank; ++axis) {
        sizesInOrder.push_back(0);
        if (Status status = resultSize(manifest, session != nullptr, i, axis, dims.data(), sizesInOrder.back()))
          return status;
      }
    }
    const int64_t *next = sizesInOrder.data();
    for (size_t i = 0; i < manifest.results.size(); ++i)
      for (size_t axis = 0; axis < manifest.results[i].dims.size(); ++axis)
        result_dims[i][axis] = *next++;
    return Status::success();
  });
}
