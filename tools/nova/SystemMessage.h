// What the system says of a failed call, in the form of our messages.
#ifndef NOVA_TOOLS_NOVA_SYSTEMMESSAGE_H
#define NOVA_TOOLS_NOVA_SYSTEMMESSAGE_H

#include <string>
#include <system_error>

namespace nova::tool {
/// The system's words for `code`, beginning with a small letter.
std::string systemMessage(std::error_code code);
} // namespace nova::tool

#endif
