// Faults of the file system, injected into the calls that a process makes below one folder.
#ifndef NOVA_TESTS_IDENTITY_FAULTINJECTION_H
#define NOVA_TESTS_IDENTITY_FAULTINJECTION_H

#include <string>

namespace nova::test {
enum class FaultKind {
  None,       // calls are only counted
  Once,       // one call fails
  Lasting,    // it and every later one
  Short,      // a read or write moves half of its bytes
  KillBefore, // the process is killed before the call
  KillAfter,  // and after it
};

struct FaultPlan {
  std::string below; // paths that begin with this are watched, and what is opened there
  FaultKind kind = FaultKind::None;
  long at = 0;      // which of the watched calls, from 1
  int code = 0;     // errno of a call that fails
  std::string call; // the name of the only calls that are watched, "" for all
};

/// From now on calls follow the plan. Linked into a program, or preloaded, where the plan comes from the environment:
/// NOVA_FAULT_BELOW, NOVA_FAULT_CODE, NOVA_FAULT_AT, NOVA_FAULT_CALL; such a fault lasts.
void injectFaults(const FaultPlan &plan);
/// How many calls the plan has watched.
long watchedCalls();
} // namespace nova::test

#endif
