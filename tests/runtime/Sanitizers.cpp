//===- Sanitizers.cpp - What ThreadSanitizer cannot see -------------------===//
//
// oneTBB is not instrumented, so the sanitizer does not know that a task is made before it is run. What its templates do
// is left out by the innermost frame, since its frames are around everything that a worker does; and so is the reading
// of a task's captures, by the move that wrote them. What a task runs is watched: Workers orders its memory by an atomic
// of its own.
//
//===----------------------------------------------------------------------===//

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
extern "C" const char *__tsan_default_suppressions() {
  return "called_from_lib:libtbb.so\n"
         "race_top:tbb::\n"
         "race:Team::callHelper(int)::'lambda'()::('lambda'()&&)\n";
}
#endif
#endif
