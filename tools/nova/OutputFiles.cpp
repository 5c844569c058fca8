#include "tools/nova/OutputFiles.h"
#include "tools/nova/SystemMessage.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include <algorithm>

using namespace llvm;

namespace nova::tool {
static Error fault(StringRef path, const Twine &message) {
  return createStringError(inconvertibleErrorCode(), path + ": " + message);
}

static Error fault(StringRef path, std::error_code code) { return fault(path, systemMessage(code)); }

OutputFiles::~OutputFiles() {
  for (Pending &entry : pending)
    discard(entry);
}

void OutputFiles::discard(Pending &entry) {
  if (entry.temporary.empty())
    return;
  (void)sys::fs::remove(entry.temporary);
  sys::DontRemoveFileOnSignal(entry.temporary);
  entry.temporary.clear();
}

std::string OutputFiles::problemWith(StringRef path) {
  if (sys::fs::is_directory(path))
    return "is a directory, expected a file to write";
  StringRef folder = sys::path::parent_path(path);
  return folder.empty() || sys::fs::is_directory(folder) ? "" : "no folder " + folder.str();
}

// Writes and closes.
static Error writeTo(int fd, StringRef path, function_ref<void(raw_ostream &)> content) {
  raw_fd_ostream os(fd, /*shouldClose=*/false);
  content(os);
  os.flush();
  std::error_code code = os.error();
  os.clear_error(); // else the destructor ends the program
  std::error_code closed = sys::fs::closeFile(fd);
  if (code || closed)
    return fault(path, code ? code : closed);
  return Error::success();
}

// A new file beside `path`. LLVM's TempFile would take every % in the path for a placeholder.
static std::error_code createBeside(StringRef path, std::string &name, int &fd) {
  std::error_code code;
  for (int tries = 0; tries < 64; tries++) {
    SmallString<128> full = sys::path::parent_path(path);
    sys::path::append(full, "nova-" + utohexstr(sys::Process::GetRandomNumber(), /*LowerCase=*/true) + ".part");
    name = full.str();
    code = sys::fs::openFileForWrite(name, fd, sys::fs::CD_CreateNew, sys::fs::OF_None,
                                     sys::fs::all_read | sys::fs::owner_write);
    if (code != std::errc::file_exists)
      break;
  }
  return code;
}

std::string OutputFiles::placeOf(StringRef path) {
  SmallString<128> real;
  if (!sys::fs::real_path(path, real))
    return real.str().str();
  StringRef folder = sys::path::parent_path(path);
  if (sys::fs::real_path(folder.empty() ? "." : folder, real))
    return path.str();
  sys::path::append(real, sys::path::filename(path));
  return real.str().str();
}

Error OutputFiles::add(StringRef path, function_ref<void(raw_ostream &)> content) {
  sys::fs::file_status status;
  bool exists = !sys::fs::status(path, status);
  if (std::string problem = problemWith(path); !problem.empty())
    return fault(path, problem);
  Pending &entry = pending.emplace_back();
  entry.path = path.str();
  if (exists && !sys::fs::is_regular_file(status)) {
    raw_string_ostream os(entry.direct);
    content(os);
    return Error::success();
  }
  entry.path = placeOf(path);
  std::string name;
  int fd;
  if (std::error_code code = createBeside(entry.path, name, fd))
    return fault(path, code);
  entry.temporary = name;
  // Whoever could read or run the old file can the new one.
  if (exists)
    (void)sys::fs::setPermissions(fd, status.permissions());
  std::string ignored; // a signal handler that cannot be installed costs the removal only
  (void)sys::RemoveFileOnSignal(name, &ignored);
  return writeTo(fd, path, content);
}

Error OutputFiles::commitOne(Pending &entry) {
  if (entry.temporary.empty()) {
    int fd;
    if (std::error_code code = sys::fs::openFileForWrite(entry.path, fd))
      return fault(entry.path, code);
    return writeTo(fd, entry.path, [&](raw_ostream &os) { os << entry.direct; });
  }
  // What is mounted can only be written over.
  std::error_code code = sys::fs::rename(entry.temporary, entry.path);
  if (code)
    code = sys::fs::copy_file(entry.temporary, entry.path);
  if (code)
    return fault(entry.path, code);
  return Error::success();
}

Error OutputFiles::commit() {
  // What is written directly may fail half-way; no file is in its place by then.
  std::partition(pending.begin(), pending.end(), [](const Pending &entry) { return entry.temporary.empty(); });
  for (Pending &entry : pending) {
    if (Error error = commitOne(entry))
      return error;
    discard(entry);
  }
  pending.clear();
  return Error::success();
}
} // namespace nova::tool
