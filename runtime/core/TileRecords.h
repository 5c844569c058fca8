//===- TileRecords.h - What was found about a vendor's products -*- C++ -*-===//
//
// A small text file, so that a process need not try again what another has tried: a line that names the form, a line
// that names vendor and machine, a line for every product, and the SHA-256 of all of these.
//
//===----------------------------------------------------------------------===//

#ifndef NOVA_RUNTIME_CORE_TILERECORDS_H
#define NOVA_RUNTIME_CORE_TILERECORDS_H

#include "runtime/core/OneDnn.h"

#include <map>
#include <string>

namespace nova::runtime {

using TileRecords = std::map<ProductShape, bool>;

/// The records of `identity` in the file; none if it is not there, is damaged, or is of another identity.
TileRecords readTileRecords(const std::string &path, const std::string &identity);

/// Replaces the file, whole or not at all. Where that fails nothing is lost but time.
void writeTileRecords(const std::string &path, const std::string &identity, const TileRecords &records);

} // namespace nova::runtime

#endif // NOVA_RUNTIME_CORE_TILERECORDS_H
