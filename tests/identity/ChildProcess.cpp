#include "tests/identity/ChildProcess.h"
#include <sys/wait.h>
#include <unistd.h>

namespace nova::test {
pid_t start(const std::function<int()> &work) {
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(work());
  }
  return child;
}

int finish(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}
} // namespace nova::test
