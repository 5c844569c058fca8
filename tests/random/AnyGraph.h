// Random graphs over all operations, element types and ranks 0 to 4.
#ifndef NOVA_TESTS_RANDOM_ANYGRAPH_H
#define NOVA_TESTS_RANDOM_ANYGRAPH_H

#include "tests/random/GraphText.h"

namespace nova::test {
GraphText anyGraph(Draw &draw);
} // namespace nova::test

#endif
