// A graph's first line, for people.
#ifndef NOVA_TOOLS_NOVA_SIGNATURE_H
#define NOVA_TOOLS_NOVA_SIGNATURE_H

#include "dialects/graph/NovaDialect.h"
#include <string>

namespace nova::tool {
/// `graph @f<T: float = f64>(%Q: T[n, d]) -> T[n, d] where d >= 1`.
std::string signatureText(GraphOp graph);
} // namespace nova::tool

#endif
