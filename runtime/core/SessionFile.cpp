//===- SessionFile.cpp ----------------------------------------------------===//

#include "runtime/core/SessionFile.h"
#include "runtime/core/Digest.h"
#include "runtime/core/ManifestReader.h"
#include "runtime/core/StateRows.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace nova::runtime;

namespace {

constexpr std::string_view kMagic = "NOVASESS";
constexpr int64_t kFormat = 2;
constexpr uint64_t kMostHeader = 1 << 24;
constexpr size_t kPiece = 1 << 16; // rows are moved in pieces of about so many bytes

struct Closer {
  void operator()(FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<FILE, Closer>;

/// A state of a session and where it lies, without the rows before `first`, which nobody reads any more.
struct Part {
  const BufferSpec *spec;
  int64_t matrices, first;
  StateRows rows;

  int64_t count() const { return rows.count() - first; }
  int64_t bytes() const { return multiplyBytes(matrices, multiplyBytes(count(), rows.bytesPerRow())); }
};

/// The states of a session whose symbols, with its rows as the whole, are `dims`.
Status findParts(const Session &session, const int64_t *dims, std::vector<Part> &parts) {
  const Module &module = *session.module();
  const Manifest &manifest = module.manifest();
  for (size_t i = 0; i < manifest.buffers.size(); ++i) {
    const BufferSpec &spec = manifest.buffers[i];
    if (spec.kind != BufferKind::State)
      continue;
    if (!spec.isDescribed)
      return fail(NOVA_MODULE_INVALID, "the module does not say how the state ", spec.name,
                  " lies, so that its sessions cannot be kept; it must be compiled again");
    Part &part = parts.emplace_back(Part{&spec, 0, session.firstKept(i, dims), {}});
    if (Status status = module.countMatrices(i, dims, part.matrices))
      return status;
    if (Status status = StateRows::make(spec, dims, part.rows))
      return status;
  }
  return Status::success();
}

Reader::Json headerOf(const Session &session, const int64_t *dims, const std::vector<Part> &parts) {
  const Manifest &manifest = session.module()->manifest();
  const auto &[whole, rows, past] = manifest.sequence;
  Reader::Json sizes = Reader::Json::object(), states = Reader::Json::array();
  for (uint32_t symbol = 0; symbol < manifest.symbols.size(); ++symbol)
    if (session.length() > 0 && symbol != whole && symbol != rows && symbol != past)
      sizes[manifest.symbols[symbol]] = dims[symbol];
  for (const Part &part : parts)
    states.push_back({{"name", part.spec->name},
                      {"type", nova_type_name(part.spec->type)},
                      {"matrices", part.matrices},
                      {"first_row", part.first},
                      {"rows", part.count()},
                      {"row_bytes", part.rows.bytesPerRow()}});
  return {{"format", kFormat},        {"graph", manifest.graph},   {"semantic_hash", manifest.semanticHash},
          {"rows", session.length()}, {"sizes", std::move(sizes)}, {"states", std::move(states)}};
}

/// Calls move(matrix, first row, number of rows) for all of a state, in the order of the file.
template <typename Move> Status eachPiece(const Part &part, Move move) {
  int64_t perPiece = std::max<int64_t>(1, static_cast<int64_t>(kPiece) / std::max<int64_t>(1, part.rows.bytesPerRow()));
  for (int64_t matrix = 0; matrix < part.matrices && part.rows.bytesPerRow() > 0; ++matrix)
    for (int64_t row = part.first; row < part.rows.count(); row += perPiece)
      if (Status status = move(matrix, row, std::min(perPiece, part.rows.count() - row)))
        return status;
  return Status::success();
}

char *matrixOf(const Session &session, const Part &part, int64_t matrix) {
  return static_cast<char *>(session.state(part.spec->index)) + matrix * session.stateStride(part.spec->index);
}

/// A file that is written beside its place and moved there when it is complete.
class Draft {
public:
  explicit Draft(const char *path) : path(path), name(this->path + ".XXXXXX") {}
  ~Draft() {
    file.reset();
    if (made)
      unlink(name.c_str());
  }

  Status open() {
    int descriptor = mkostemp(name.data(), O_CLOEXEC);
    made = descriptor >= 0;
    if (made)
      file.reset(fdopen(descriptor, "wb"));
    if (made && !file)
      close(descriptor);
    return file ? Status::success() : trouble();
  }
  Status write(std::string_view bytes) {
    hasher.add(bytes);
    return std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size() ? Status::success() : trouble();
  }
  /// Adds the digest.
  Status finish() {
    DigestBytes digest = hasher.finish();
    bool good = std::fwrite(digest.data(), 1, digest.size(), file.get()) == digest.size() &&
                std::fflush(file.get()) == 0 && fsync(fileno(file.get())) == 0;
    if (!good || std::fclose(file.release()) != 0 || std::rename(name.c_str(), path.c_str()) != 0)
      return trouble();
    made = false;
    return Status::success();
  }

private:
  Status trouble() const { return fail(NOVA_IO_ERROR, "cannot write ", path, ": ", strerror(errno)); }

  std::string path, name;
  File file;
  bool made = false;
  Hasher hasher;
};

/// Reads a file and hashes what it reads.
class Source {
public:
  explicit Source(const char *path) : path(path) {}

  Status open() {
    // Something that is no file must not keep the process waiting.
    int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat facts;
    if (descriptor < 0)
      return trouble();
    file.reset(fdopen(descriptor, "rb"));
    if (!file)
      close(descriptor);
    if (!file || fstat(descriptor, &facts) != 0)
      return trouble();
    if (!S_ISREG(facts.st_mode))
      return fail(NOVA_IO_ERROR, "cannot read ", path, ": it is no file");
    size = static_cast<uint64_t>(facts.st_size);
    return Status::success();
  }
  Status read(char *bytes, size_t count) {
    if (std::fread(bytes, 1, count, file.get()) != count)
      return std::ferror(file.get()) ? trouble() : damaged("it is truncated");
    hasher.add({bytes, count});
    return Status::success();
  }
  /// Compares the digest that follows.
  Status finish() {
    DigestBytes found, expected = hasher.finish();
    if (std::fread(found.data(), 1, found.size(), file.get()) != found.size())
      return std::ferror(file.get()) ? trouble() : damaged("it is truncated");
    return found == expected ? Status::success() : damaged("its digest does not match its bytes");
  }
  template <typename... Parts> Status damaged(const Parts &...parts) const {
    return fail(NOVA_FILE_DAMAGED, path, ": ", parts...);
  }
  uint64_t bytes() const { return size; }

private:
  Status trouble() const { return fail(NOVA_IO_ERROR, "cannot read ", path, ": ", strerror(errno)); }

  std::string path;
  File file;
  uint64_t size = 0;
  Hasher hasher;
};

/// The header's JSON.
Status readHeader(Source &source, Reader::Json &header, uint64_t &bytesBefore) {
  char magic[kMagic.size()];
  uint64_t length;
  constexpr uint64_t kFixed = sizeof magic + sizeof length + kDigestSize;
  if (source.bytes() < kFixed)
    return source.damaged("expected the file of a session, found ", source.bytes(), " bytes");
  if (Status status = source.read(magic, sizeof magic))
    return status;
  if (std::string_view(magic, sizeof magic) != kMagic)
    return source.damaged("it is not the file of a session");
  if (Status status = source.read(reinterpret_cast<char *>(&length), sizeof length))
    return status;
  if (length > kMostHeader || length > source.bytes() - kFixed)
    return source.damaged("expected a header of at most ", std::min(kMostHeader, source.bytes() - kFixed),
                          " bytes, found ", length);
  std::string text(length, '\0');
  if (Status status = source.read(text.data(), text.size()))
    return status;
  header = Reader::Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (header.is_discarded())
    return source.damaged("its header is not JSON");
  bytesBefore = kFixed + length;
  return Status::success();
}

/// The symbols of the session in the file; throws ManifestError.
std::vector<int64_t> readSizes(const Session &session, Reader header) {
  const Manifest &manifest = session.module()->manifest();
  const auto &[whole, rows, past] = manifest.sequence;
  std::vector<int64_t> dims(manifest.symbols.size());
  int64_t format = header.member("format").integer(INT64_MIN, INT64_MAX);
  if (format != kFormat)
    header.member("format").complain("expected ", kFormat, ", found ", format);
  if (std::string hash = header.member("semantic_hash").text(); hash != manifest.semanticHash)
    header.member("semantic_hash")
        .complain("expected that of ", manifest.graph, ", ", manifest.semanticHash, ", found that of ",
                  header.member("graph").describe(), ", ", hash);
  dims[whole] = dims[rows] = header.member("rows").integer(0, INT64_MAX);
  Reader sizes = header.member("sizes");
  for (uint32_t symbol = 0; symbol < dims.size() && dims[whole] > 0; ++symbol) {
    if (symbol == whole || symbol == rows || symbol == past)
      continue;
    Reader size = sizes.member(manifest.symbols[symbol].c_str());
    dims[symbol] = size.integer(0, INT64_MAX);
    // The clauses, and all else that follows from params, hold for these sizes.
    if (session.instance() && manifest.paramSymbols[symbol] && session.instance()->dims()[symbol] != dims[symbol])
      size.complain("expected ", session.instance()->dims()[symbol], ", as the params of the session have it, found ",
                    dims[symbol]);
  }
  return dims;
}

void checkStates(Reader states, const std::vector<Part> &parts) {
  if (states.size() != parts.size())
    states.complain("expected ", parts.size(), " states, found ", states.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    Reader state = states.element(i);
    std::string type = state.member("type").text();
    if (type != nova_type_name(parts[i].spec->type))
      state.member("type").complain("expected ", nova_type_name(parts[i].spec->type), ", found ", type);
    for (auto [name, expected] :
         {std::pair("matrices", parts[i].matrices), std::pair("first_row", parts[i].first),
          std::pair("rows", parts[i].count()), std::pair("row_bytes", parts[i].rows.bytesPerRow())})
      if (int64_t found = state.member(name).integer(INT64_MIN, INT64_MAX); found != expected)
        state.member(name).complain("expected ", expected, ", found ", found);
  }
}

/// The rows of all states, for which there is room.
Status readRows(Source &source, const Session &session, const std::vector<Part> &parts) {
  std::string piece;
  for (const Part &part : parts) {
    auto move = [&](int64_t matrix, int64_t first, int64_t count) {
      piece.resize(static_cast<size_t>(count * part.rows.bytesPerRow()));
      if (Status status = source.read(piece.data(), piece.size()))
        return status;
      for (int64_t row = 0; row < count; ++row)
        part.rows.write(matrixOf(session, part, matrix), first + row, piece.data() + row * part.rows.bytesPerRow());
      return Status::success();
    };
    if (Status status = eachPiece(part, move))
      return status;
  }
  return Status::success();
}

} // namespace

Status nova::runtime::saveSession(const Session &session, const char *path) {
  std::vector<int64_t> dims = session.wholeDims();
  std::vector<Part> parts;
  if (session.length() > 0)
    if (Status status = findParts(session, dims.data(), parts))
      return status;
  std::string header = headerOf(session, dims.data(), parts).dump();
  uint64_t length = header.size();
  Draft draft(path);
  if (Status status = draft.open())
    return status;
  for (std::string_view bytes :
       {kMagic, std::string_view(reinterpret_cast<const char *>(&length), sizeof length), std::string_view(header)})
    if (Status status = draft.write(bytes))
      return status;
  std::string piece;
  for (const Part &part : parts) {
    auto move = [&](int64_t matrix, int64_t first, int64_t count) {
      piece.resize(static_cast<size_t>(count * part.rows.bytesPerRow()));
      for (int64_t row = 0; row < count; ++row)
        part.rows.read(matrixOf(session, part, matrix), first + row, piece.data() + row * part.rows.bytesPerRow());
      return draft.write(piece);
    };
    if (Status status = eachPiece(part, move))
      return status;
  }
  return draft.finish();
}

Status nova::runtime::loadSession(Session &session, const char *path) {
  Source source(path);
  if (Status status = source.open())
    return status;
  Reader::Json header;
  uint64_t bytesBefore;
  if (Status status = readHeader(source, header, bytesBefore))
    return status;
  std::vector<int64_t> dims;
  std::vector<Part> parts;
  int64_t expected = 0;
  try {
    dims = readSizes(session, Reader(header));
    if (dims[session.module()->manifest().sequence.whole] > 0)
      if (Status status = findParts(session, dims.data(), parts))
        return status;
    checkStates(Reader(header).member("states"), parts);
  } catch (const ManifestError &error) {
    return fail(NOVA_INVALID_ARGUMENT, path, ": ", error.text);
  }
  for (const Part &part : parts)
    expected = addBytes(expected, part.bytes());
  // Before any memory is taken: a header cannot ask for more than the file has.
  if (source.bytes() - bytesBefore != static_cast<uint64_t>(expected))
    return source.damaged("expected ", expected, " bytes of states, found ", source.bytes() - bytesBefore);
  if (!parts.empty())
    if (Status status = session.makeFirstRoom(dims.data(), Session::Keep::Needed))
      return status;
  Status status = readRows(source, session, parts);
  if (!status)
    status = source.finish();
  if (status) {
    session.release();
    return status;
  }
  session.adopt(dims.data());
  return Status::success();
}
