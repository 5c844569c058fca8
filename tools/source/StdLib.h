// Where the graphs of std_lib are.
#ifndef NOVA_TOOLS_SOURCE_STDLIB_H
#define NOVA_TOOLS_SOURCE_STDLIB_H

#include <string>

namespace nova::tool {
/// The folder that $NOVA_STD_LIB names, the one beside an installed program, or the one this program was built from.
std::string stdLibDir();
} // namespace nova::tool

#endif
