// Random graphs whose rows depend on earlier rows only: they can be fed in any pieces.
#ifndef NOVA_TESTS_RANDOM_CAUSALGRAPH_H
#define NOVA_TESTS_RANDOM_CAUSALGRAPH_H

#include "tests/random/GraphText.h"

namespace nova::test {
GraphText causalGraph(Draw &draw);
} // namespace nova::test

#endif
