// .npz: a ZIP archive with one .npy file per tensor. libzip reads and writes the archive.
#include "tools/nova/DataFault.h"
#include "tools/nova/Npy.h"
#include "tools/nova/TensorFile.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include <zip.h>

using namespace llvm;
using nova::reference::Tensor;

namespace nova::tool {
// libzip's words begin with a capital letter.
static std::string messageOf(zip_error_t *error) {
  std::string text = zip_error_strerror(error);
  if (!text.empty())
    text[0] = toLower(text[0]);
  return text;
}
static Error faultOf(zip_error_t *error) {
  return zip_error_code_zip(error) == ZIP_ER_MEMORY ? memoryFault(messageOf(error)) : dataFault(messageOf(error));
}

namespace {
class NpzFile : public TensorFile {
public:
  explicit NpzFile(zip_t *archive) : archive(archive) {}
  ~NpzFile() override { zip_discard(archive); }

  Error readNames(uint64_t fileSize);
  Expected<Tensor> read(StringRef name) override;

private:
  zip_t *archive;
  StringMap<zip_uint64_t> entries;
};
} // namespace

Error NpzFile::readNames(uint64_t fileSize) {
  uint64_t packed = 0;
  for (zip_int64_t i = 0, count = zip_get_num_entries(archive, 0); i < count; i++) {
    zip_stat_t stat;
    if (zip_stat_index(archive, i, ZIP_FL_ENC_RAW, &stat))
      return faultOf(zip_get_error(archive));
    StringRef name = stat.name;
    if (!json::isUTF8(name))
      return dataFault("expected names in UTF-8, found '" + printable(name) + "'");
    name.consume_back(".npy");
    if (!entries.try_emplace(name, i).second)
      return dataFault("the name '" + printable(name) + "' is given twice");
    list.push_back(name.str());
    // Entries that share bytes make a small file unfold without end.
    if (stat.comp_size > fileSize || (packed += stat.comp_size) > fileSize)
      return dataFault("its entries have more bytes than the file: they overlap or are cut off");
  }
  return Error::success();
}

Expected<Tensor> NpzFile::read(StringRef name) {
  auto found = entries.find(name);
  if (found == entries.end())
    return dataFault("has no entry '" + printable(name) + "'");
  zip_stat_t stat;
  if (zip_stat_index(archive, found->second, 0, &stat))
    return faultOf(zip_get_error(archive));
  std::string entry = "entry " + printable(name) + ": ";
  if (stat.encryption_method != ZIP_EM_NONE)
    return dataFault(entry + "is encrypted");
  if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE)
    return dataFault(entry + "expected data that are stored or deflated, found compression method " +
                     Twine(stat.comp_method));
  zip_file_t *file = zip_fopen_index(archive, found->second, 0);
  if (!file)
    return dataFault(entry + messageOf(zip_get_error(archive)));
  auto close = make_scope_exit([&] { zip_fclose(file); });
  auto next = [&](MutableArrayRef<char> bytes) -> Expected<size_t> {
    zip_int64_t count = zip_fread(file, bytes.data(), bytes.size());
    if (count < 0)
      return faultOf(zip_file_get_error(file));
    return count;
  };
  Expected<Tensor> tensor = readNpy(next);
  if (tensor)
    return tensor;
  return handleErrors(tensor.takeError(), [&](const ErrorInfoBase &info) {
    return createStringError(info.convertToErrorCode(), entry + info.message());
  });
}

Expected<std::unique_ptr<TensorFile>> openNpz(StringRef path) {
  sys::fs::file_status status;
  if (std::error_code code = sys::fs::status(path, status))
    return dataFault(code);
  if (!sys::fs::is_regular_file(status))
    return dataFault("expected a file: entries are read in any order");
  int code = 0;
  zip_t *archive = zip_open(path.str().c_str(), ZIP_RDONLY | ZIP_CHECKCONS, &code);
  if (!archive) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    auto done = make_scope_exit([&] { zip_error_fini(&error); });
    if (code == ZIP_ER_NOZIP)
      return dataFault("expected a .npz file, found other bytes");
    if (code == ZIP_ER_EXISTS)
      return dataFault("a name is given twice");
    return faultOf(&error);
  }
  auto file = std::make_unique<NpzFile>(archive);
  if (Error error = file->readNames(status.getSize()))
    return std::move(error);
  return file;
}

// Adds one entry whose bytes are those of the tensor, not a copy.
static Error addEntry(zip_t *archive, const NamedTensor &named, const std::string &header) {
  // libzip only reads; its structure serves other uses too.
  zip_buffer_fragment_t fragments[] = {
      {reinterpret_cast<zip_uint8_t *>(const_cast<char *>(header.data())), header.size()},
      {reinterpret_cast<zip_uint8_t *>(const_cast<char *>(named.tensor->bytes.data())), named.tensor->bytes.size()}};
  zip_source_t *source = zip_source_buffer_fragment(archive, fragments, named.tensor->bytes.empty() ? 1 : 2, 0);
  if (!source)
    return faultOf(zip_get_error(archive));
  zip_int64_t index = zip_file_add(archive, (named.name + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    return faultOf(zip_get_error(archive));
  }
  constexpr zip_uint16_t firstOfJanuary1980 = 1 << 5 | 1;
  if (zip_set_file_compression(archive, index, ZIP_CM_STORE, 0) ||
      zip_file_set_dostime(archive, index, 0, firstOfJanuary1980, 0))
    return faultOf(zip_get_error(archive));
  return Error::success();
}

static Error copyTo(raw_ostream &os, zip_source_t *source) {
  if (zip_source_open(source))
    return faultOf(zip_source_error(source));
  auto close = make_scope_exit([&] { zip_source_close(source); });
  std::vector<char> piece(1 << 16);
  for (;;) {
    zip_int64_t count = zip_source_read(source, piece.data(), piece.size());
    if (count < 0)
      return faultOf(zip_source_error(source));
    if (count == 0)
      return Error::success();
    os.write(piece.data(), count);
  }
}

Error writeNpz(ArrayRef<NamedTensor> tensors, raw_ostream &os) {
  zip_error_t error;
  zip_error_init(&error);
  auto done = make_scope_exit([&] { zip_error_fini(&error); });
  zip_source_t *image = zip_source_buffer_create(nullptr, 0, 1, &error);
  if (!image)
    return faultOf(&error);
  auto release = make_scope_exit([&] { zip_source_free(image); });
  zip_t *archive = zip_open_from_source(image, ZIP_TRUNCATE, &error);
  if (!archive)
    return faultOf(&error);
  zip_source_keep(image); // the archive gives its own share back
  std::vector<std::string> headers;
  for (const NamedTensor &named : tensors)
    headers.push_back(npyHeader(*named.tensor));
  for (auto [named, header] : zip_equal(tensors, headers))
    if (Error fault = addEntry(archive, named, header)) {
      zip_discard(archive);
      return fault;
    }
  if (zip_close(archive)) {
    Error fault = faultOf(zip_get_error(archive));
    zip_discard(archive);
    return fault;
  }
  return copyTo(os, image);
}
} // namespace nova::tool
