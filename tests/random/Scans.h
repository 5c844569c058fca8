// What the tests of scans with and without a carry have in common.
#ifndef NOVA_TESTS_RANDOM_SCANS_H
#define NOVA_TESTS_RANDOM_SCANS_H

#include "tests/random/Backends.h"
#include "tests/random/GraphText.h"

namespace nova::test {
/// A division by zero that no entry or run wants alone may be wanted by what is computed once for all of them.
bool sharedDivision(const Outcome &expected, const Outcome &found);

/// Compiled code beside the interpreter's outcome: with one thread and two, and where rows can be fed, in pieces. The
/// first difference in words, or "".
std::string compareCompiled(Draw &draw, const Backends &backends, const Tensors &arguments, const Outcome &interpreted);
} // namespace nova::test

#endif
