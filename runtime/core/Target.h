//===- Target.h - Which named targets this CPU runs -------------*- C++ -*-===//

#ifndef NOVA_RUNTIME_CORE_TARGET_H
#define NOVA_RUNTIME_CORE_TARGET_H

#include <string>
#include <string_view>
#include <vector>

namespace nova::runtime {

/// True if the CPU has every feature of the named target and the operating system saves its registers.
bool targetSupported(std::string_view target);

/// The index of the best supported target in `targets`, or -1.
int bestTarget(const std::vector<std::string> &targets);

} // namespace nova::runtime

#endif // NOVA_RUNTIME_CORE_TARGET_H
