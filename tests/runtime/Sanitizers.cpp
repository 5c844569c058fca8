//===- Sanitizers.cpp - What ThreadSanitizer cannot see -------------------===//
//
// oneTBB is not instrumented, so the sanitizer does not know that a task is made before it is run. Its own frames, and
// the reading of what the task was given, are therefore left out. Everything inside the task is watched: Workers orders
// its memory by an atomic of its own.
//
//===----------------------------------------------------------------------===//

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
extern "C" const char *__tsan_default_suppressions() {
  return "called_from_lib:libtbb.so\n"
         "race_top:tbb::\n"
         "race:tbb::detail::d1::fold_tree\n"
         "race:>::start_for(\n"
         "race_top:nova::runtime::Workers::run\n";
}
#endif
#endif
