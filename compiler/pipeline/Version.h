// The compiler's own version and the numeric contract it compiles for.
#ifndef NOVA_COMPILER_PIPELINE_VERSION_H
#define NOVA_COMPILER_PIPELINE_VERSION_H

namespace nova {
inline constexpr const char *compilerVersion = "0.1.0";
inline constexpr const char *contractName = "exact";
} // namespace nova

#endif
