// Work in a child process, which may be killed.
#ifndef NOVA_TESTS_IDENTITY_CHILDPROCESS_H
#define NOVA_TESTS_IDENTITY_CHILDPROCESS_H

#include <functional>
#include <sys/types.h>

namespace nova::test {
/// Starts a process that ends with what `work` returns, at most 255. A signal ends it when it takes longer than a
/// minute.
pid_t start(const std::function<int()> &work);
/// Waits for its end: the exit status, or minus the signal that ended it.
int finish(pid_t child);
} // namespace nova::test

#endif
