//===- Snapshot.cpp -------------------------------------------------------===//

#include "runtime/core/Snapshot.h"

#include <sys/mman.h>
#include <unistd.h>

using namespace nova::runtime;

std::shared_ptr<Snapshot> Snapshot::make(std::vector<Part> parts, std::shared_ptr<Budget> budget) {
  int file = memfd_create("nova-rows", MFD_CLOEXEC);
  if (file < 0)
    return nullptr;
  std::shared_ptr<Snapshot> snapshot(new Snapshot(file, std::move(parts), std::move(budget)));
  int64_t bytes = snapshot->offsetOf(static_cast<uint32_t>(snapshot->parts.size()), 0);
  return snapshot->reservation.resize(bytes) && ftruncate(file, bytes) == 0 ? snapshot : nullptr;
}

Snapshot::~Snapshot() { close(file); } // mappings stay

int64_t Snapshot::offsetOf(uint32_t state, int64_t matrix) const {
  int64_t offset = 0;
  for (uint32_t before = 0; before < state; ++before)
    offset += parts[before].prefix * parts[before].matrices;
  return state < parts.size() ? offset + matrix * parts[state].prefix : offset;
}

bool Snapshot::write(uint32_t state, int64_t matrix, const void *from) {
  const char *bytes = static_cast<const char *>(from);
  off_t offset = offsetOf(state, matrix);
  for (int64_t left = parts[state].prefix; left > 0;) {
    ssize_t written = pwrite(file, bytes, static_cast<size_t>(left), offset);
    if (written <= 0)
      return false;
    bytes += written;
    offset += written;
    left -= written;
  }
  return true;
}

bool Snapshot::map(uint32_t state, int64_t matrix, int64_t bytes, void *target) const {
  return mmap(target, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file,
              offsetOf(state, matrix)) != MAP_FAILED;
}
