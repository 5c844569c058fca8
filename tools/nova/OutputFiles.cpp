#include "tools/nova/OutputFiles.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace nova::tool {
static Error fault(StringRef path, std::string message) {
  if (!message.empty())
    message[0] = toLower(message[0]);
  return createStringError(inconvertibleErrorCode(), path + ": " + message);
}

OutputFiles::~OutputFiles() {
  for (Pending &entry : pending)
    if (entry.file)
      consumeError(entry.file->discard());
}

std::string OutputFiles::problemWith(StringRef path) {
  if (sys::fs::is_directory(path))
    return "is a directory, expected a file to write";
  StringRef folder = sys::path::parent_path(path);
  return folder.empty() || sys::fs::is_directory(folder) ? "" : "no folder " + folder.str();
}

static Error writeTo(int fd, StringRef path, function_ref<void(raw_ostream &)> content) {
  raw_fd_ostream os(fd, /*shouldClose=*/false);
  content(os);
  os.flush();
  if (!os.has_error())
    return Error::success();
  std::error_code code = os.error();
  os.clear_error(); // else the destructor ends the program
  return fault(path, code.message());
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
  Expected<sys::fs::TempFile> file = sys::fs::TempFile::create(path + ".%%%%%%%%.part", sys::fs::all_read | sys::fs::owner_write);
  if (!file)
    return fault(path, toString(file.takeError()));
  entry.file.emplace(std::move(*file));
  return writeTo(entry.file->FD, path, content);
}

Error OutputFiles::commit() {
  for (Pending &entry : pending) {
    if (entry.file) {
      // A failed rename discards the file itself.
      sys::fs::TempFile file = std::move(*entry.file);
      entry.file.reset();
      if (Error error = file.keep(entry.path))
        return fault(entry.path, toString(std::move(error)));
      continue;
    }
    int fd;
    if (std::error_code code = sys::fs::openFileForWrite(entry.path, fd))
      return fault(entry.path, code.message());
    Error error = writeTo(fd, entry.path, [&](raw_ostream &os) { os << entry.direct; });
    if (std::error_code code = sys::fs::closeFile(fd); code && !error)
      return fault(entry.path, code.message());
    if (error)
      return error;
  }
  pending.clear();
  return Error::success();
}
} // namespace nova::tool
