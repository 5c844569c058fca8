// safetensors: eight bytes with the length of a JSON header, the header, the data.
#include "tools/nova/DataFault.h"
#include "tools/nova/TensorFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstring>

using namespace llvm;
using nova::reference::Element;
using nova::reference::Shape;
using nova::reference::Tensor;

namespace nova::tool {
static constexpr size_t lengthBytes = 8;
// The bound of the format's own library.
static constexpr uint64_t maxHeaderBytes = 100'000'000;
static constexpr size_t maxAxes = 64;

static constexpr std::pair<StringLiteral, Element> elements[] = {
    {"F64", Element::F64}, {"F32", Element::F32},   {"I64", Element::I64}, {"I32", Element::I32},
    {"BOOL", Element::I1}, {"BF16", Element::BF16}, {"F16", Element::F16}, {"I8", Element::I8}};

// Bits of an entry of every type that the format names; 0 for another word.
static int64_t entryBits(StringRef type) {
  return StringSwitch<int64_t>(type)
      .Cases("F64", "I64", "U64", "C64", 64)
      .Cases("F32", "I32", "U32", 32)
      .Cases("F16", "BF16", "I16", "U16", 16)
      .Cases("BOOL", "I8", "U8", "F8_E4M3", "F8_E5M2", "F8_E8M0", 8)
      .Cases("F6_E2M3", "F6_E3M2", 6)
      .Case("F4", 4)
      .Default(0);
}

namespace {
struct Entry {
  std::string type;
  Shape shape;
  uint64_t begin, end; // in the data
};

class SafetensorsFile : public TensorFile {
public:
  explicit SafetensorsFile(std::unique_ptr<MemoryBuffer> file) : file(std::move(file)) {}

  Error readHeader();
  Expected<Tensor> read(StringRef name) override;

private:
  Error readEntries(const json::Object &header);
  Error listByPlace();

  std::unique_ptr<MemoryBuffer> file; // mapped, where the system can
  StringRef data;
  StringMap<Entry> entries;
};

// What a JSON library passes over: how deep it nests and how many members the objects of each depth have.
struct JsonShape {
  explicit JsonShape(StringRef text) {
    unsigned depth = 0;
    for (size_t i = 0; i < text.size(); i++) {
      char c = text[i];
      if (c == '"') {
        for (i++; i < text.size() && text[i] != '"'; i++)
          i += text[i] == '\\';
      } else if (c == '{' || c == '[') {
        deepest = std::max(deepest, ++depth);
      } else if (c == '}' || c == ']') {
        depth -= depth > 0;
      } else if (c == ':' && depth < std::size(members)) {
        members[depth]++;
      }
    }
  }
  unsigned deepest = 0;
  size_t members[3] = {};
};
} // namespace

static Expected<Entry> readEntry(StringRef name, const json::Value &value) {
  std::string where = "tensor '" + printable(name) + "': ";
  const json::Object *object = value.getAsObject();
  const json::Array *shape = object ? object->getArray("shape") : nullptr;
  const json::Array *places = object ? object->getArray("data_offsets") : nullptr;
  std::optional<StringRef> type = object ? object->getString("dtype") : std::nullopt;
  if (!shape || !places || !type || object->size() != 3 || places->size() != 2)
    return dataFault(where + "expected dtype, shape and two data_offsets");
  Entry entry;
  entry.type = type->str();
  int64_t bits = entryBits(*type), count = 1, total = 0;
  if (bits == 0)
    return dataFault(where + "unknown dtype '" + printable(*type) + "'");
  if (shape->size() > maxAxes)
    return dataFault(where + "expected at most " + Twine(maxAxes) + " axes, found " + Twine(shape->size()));
  for (const json::Value &size : *shape) {
    std::optional<int64_t> number = size.getAsInteger();
    if (!number || *number < 0)
      return dataFault(where + "expected sizes of 0 or more that fit into 63 bits");
    entry.shape.push_back(*number);
  }
  bool empty = is_contained(entry.shape, 0);
  for (int64_t size : entry.shape)
    if (!empty && MulOverflow(count, size, count))
      return dataFault(where + "the shape has more entries than 63 bits hold");
  if (empty)
    count = 0;
  std::optional<int64_t> begin = (*places)[0].getAsInteger(), end = (*places)[1].getAsInteger();
  if (!begin || !end || *begin < 0 || *end < *begin)
    return dataFault(where + "expected data_offsets that begin at 0 or more and do not end before they begin");
  entry.begin = *begin;
  entry.end = *end;
  if (MulOverflow(count, bits, total) || total % 8 || total / 8 != *end - *begin)
    return dataFault(where + "its data_offsets hold " + Twine(*end - *begin) +
                     " bytes, which is not what its dtype and shape need");
  return entry;
}

Error SafetensorsFile::readEntries(const json::Object &header) {
  for (const auto &[key, value] : header) {
    StringRef name = key;
    if (name == "__metadata__") {
      const json::Object *object = value.getAsObject();
      if (!object || !all_of(*object, [](const auto &member) { return member.second.getAsString().has_value(); }))
        return dataFault("expected texts in __metadata__");
      continue;
    }
    Expected<Entry> entry = readEntry(name, value);
    if (!entry)
      return entry.takeError();
    if (entry->end > data.size())
      return dataFault("tensor '" + printable(name) + "': its data end at byte " + Twine(entry->end) +
                       ", but there are only " + Twine(data.size()));
    entries.try_emplace(name, std::move(*entry));
  }
  return Error::success();
}

// Every byte belongs to one tensor.
Error SafetensorsFile::listByPlace() {
  std::vector<const StringMapEntry<Entry> *> order;
  for (const StringMapEntry<Entry> &entry : entries)
    order.push_back(&entry);
  sort(order, [](const auto *a, const auto *b) {
    return std::tuple(a->getValue().begin, a->getValue().end, a->getKey()) <
           std::tuple(b->getValue().begin, b->getValue().end, b->getKey());
  });
  uint64_t at = 0;
  for (const StringMapEntry<Entry> *entry : order) {
    uint64_t begin = entry->getValue().begin;
    if (begin != at)
      return dataFault("tensor '" + printable(entry->getKey()) + "' begins at byte " + Twine(begin) + ", expected " +
                       Twine(at) + (begin < at ? ": tensors overlap" : ": bytes between belong to none"));
    at = entry->getValue().end;
    list.push_back(entry->getKey().str());
  }
  if (at != data.size())
    return dataFault("expected " + Twine(at) + " bytes of data, found " + Twine(data.size()));
  return Error::success();
}

Error SafetensorsFile::readHeader() {
  StringRef bytes = file->getBuffer();
  if (bytes.size() < lengthBytes)
    return dataFault("expected a safetensors file, found " + Twine(bytes.size()) + " bytes");
  uint64_t length = support::endian::read64le(bytes.data());
  bytes = bytes.drop_front(lengthBytes);
  if (length > maxHeaderBytes)
    return dataFault("expected a header of at most " + Twine(maxHeaderBytes) + " bytes, found " + Twine(length));
  if (length > bytes.size())
    return dataFault("the file ends inside its header");
  StringRef text = bytes.take_front(length);
  data = bytes.drop_front(length);
  if (!text.starts_with("{"))
    return dataFault("expected a header that begins with '{'");
  // Looked at first: the library recurses, and of two members with one name it keeps the last.
  JsonShape shape(text);
  constexpr unsigned deepest = 3; // a tensor's shape
  if (shape.deepest > deepest)
    return dataFault("expected a header nested at most " + Twine(deepest) + " deep, found " + Twine(shape.deepest));
  Expected<json::Value> parsed = json::parse(text);
  if (!parsed)
    return dataFault("wrong header: " + toString(parsed.takeError()));
  const json::Object *header = parsed->getAsObject(); // as it begins with '{'
  size_t inner = 0;
  for (const auto &member : *header)
    if (const json::Object *object = member.second.getAsObject())
      inner += object->size();
  if (header->size() != shape.members[1] || inner != shape.members[2])
    return dataFault("the header gives a name twice");
  if (Error error = readEntries(*header))
    return error;
  return listByPlace();
}

Expected<Tensor> SafetensorsFile::read(StringRef name) {
  auto found = entries.find(name);
  if (found == entries.end())
    return dataFault("has no tensor '" + printable(name) + "'");
  const Entry &entry = found->second;
  const auto *known = find_if(elements, [&](const auto &each) { return each.first == entry.type; });
  if (known == std::end(elements))
    return dataFault("tensor " + printable(name) +
                     ": expected dtype F64, F32, F16, BF16, I64, I32, I8 or BOOL, found " + entry.type);
  if (Error error = checkMemory(known->second, entry.shape))
    return std::move(error);
  StringRef bytes = data.slice(entry.begin, entry.end);
  if (known->second == Element::I1)
    for (auto [i, byte] : enumerate(bytes.bytes()))
      if (byte > 1)
        return dataFault("tensor " + printable(name) + ": expected the bytes 0 and 1 for BOOL, found " +
                         Twine(unsigned(byte)) + " at entry " + Twine(i));
  try {
    Tensor tensor;
    tensor.element = known->second;
    tensor.shape = entry.shape;
    tensor.bytes.assign(bytes.begin(), bytes.end());
    return tensor;
  } catch (const std::bad_alloc &) {
    return memoryFault(reference::allocationProblem(known->second, entry.shape));
  }
}

Expected<std::unique_ptr<TensorFile>> openSafetensors(StringRef path) {
  sys::fs::file_status status;
  if (std::error_code code = sys::fs::status(path, status))
    return dataFault(code);
  if (!sys::fs::is_regular_file(status))
    return dataFault("expected a file: tensors are read in any order");
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return dataFault(buffer.getError());
  auto file = std::make_unique<SafetensorsFile>(std::move(*buffer));
  if (Error error = file->readHeader())
    return std::move(error);
  return file;
}

Error writeSafetensors(ArrayRef<NamedTensor> tensors, raw_ostream &os) {
  std::vector<NamedTensor> order(tensors);
  sort(order, [](const NamedTensor &a, const NamedTensor &b) {
    return std::tuple(-int64_t(byteSize(a.tensor->element)), StringRef(a.name)) <
           std::tuple(-int64_t(byteSize(b.tensor->element)), StringRef(b.name));
  });
  json::Object header;
  int64_t at = 0;
  for (const NamedTensor &named : order) {
    int64_t end = at + int64_t(named.tensor->bytes.size());
    // The format has no i4: its numbers are written as I8.
    Element kept = named.tensor->element == Element::I4 ? Element::I8 : named.tensor->element;
    const auto *known = find_if(elements, [&](const auto &each) { return each.second == kept; });
    header[named.name] = json::Object{{"dtype", StringRef(known->first)},
                                      {"shape", json::Array(named.tensor->shape)},
                                      {"data_offsets", json::Array{at, end}}};
    at = end;
  }
  std::string text;
  raw_string_ostream(text) << json::Value(std::move(header));
  text.resize(alignTo(text.size(), lengthBytes), ' ');
  char length[lengthBytes];
  support::endian::write64le(length, text.size());
  os.write(length, sizeof length);
  os << text;
  for (const NamedTensor &named : order)
    os.write(named.tensor->bytes.data(), named.tensor->bytes.size());
  return Error::success();
}
} // namespace nova::tool
