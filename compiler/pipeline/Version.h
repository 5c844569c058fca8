// The compiler's own version, the numeric contract it compiles for, and the format of its modules.
#ifndef NOVA_COMPILER_PIPELINE_VERSION_H
#define NOVA_COMPILER_PIPELINE_VERSION_H

namespace nova {
inline constexpr const char *compilerVersion = "0.1.0";
inline constexpr const char *contractName = "exact";
inline constexpr int moduleFormat = 6; // docs/module-format.md
} // namespace nova

#endif
