//===- SessionFile.h - Sessions kept in files -------------------*- C++ -*-===//
//
// The rows that a session holds, dense and row-major, so that they are the same on every machine
// (docs/session-file.md).
//
//===----------------------------------------------------------------------===//

#ifndef NOVA_RUNTIME_CORE_SESSIONFILE_H
#define NOVA_RUNTIME_CORE_SESSIONFILE_H

#include "runtime/core/Session.h"

namespace nova::runtime {

/// Writes the file at once or not at all. Failures: NOVA_IO_ERROR; NOVA_MODULE_INVALID where the module does not say
/// how its states lie.
Status saveSession(const Session &session, const char *path);

/// Fills a session without rows. Failures, after which it has none: NOVA_IO_ERROR, NOVA_FILE_DAMAGED,
/// NOVA_INVALID_ARGUMENT for a file of another graph or other sizes, and those of making room.
Status loadSession(Session &session, const char *path);

} // namespace nova::runtime

#endif // NOVA_RUNTIME_CORE_SESSIONFILE_H
