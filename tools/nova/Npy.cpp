#include "tools/nova/Npy.h"
#include "tools/nova/NpyHeader.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using nova::reference::Element;
using nova::reference::Tensor;

namespace nova::tool {
static constexpr StringLiteral magic("\x93NUMPY");

static Error fault(const Twine &message) { return createStringError(inconvertibleErrorCode(), message); }

namespace {
struct NpyType {
  Element element;
  bool swapped; // big-endian
};
} // namespace

static Expected<NpyType> parseType(StringRef type) {
  StringRef kind = type.size() == 3 ? type.drop_front() : "";
  char order = type.empty() ? 0 : type[0];
  std::optional<Element> element = StringSwitch<std::optional<Element>>(kind)
                                       .Case("f8", Element::F64)
                                       .Case("f4", Element::F32)
                                       .Case("i8", Element::I64)
                                       .Case("i4", Element::I32)
                                       .Case("b1", Element::I1)
                                       .Default(std::nullopt);
  bool orderFits = StringRef("<>=").contains(order) || (order == '|' && element == Element::I1);
  if (!element || order == 0 || !orderFits) {
    std::string shown;
    raw_string_ostream(shown).write_escaped(type.take_front(40), true);
    return fault("expected element type f8, f4, i8, i4 or bool, found '" + shown + "'");
  }
  return NpyType{*element, order == '>'};
}

// The header's text; `bytes` is left at the data.
static Expected<StringRef> splitHeader(StringRef &bytes) {
  if (!bytes.consume_front(magic))
    return fault("expected a .npy file, found other bytes");
  if (bytes.size() < 2)
    return fault("the file ends inside its header");
  unsigned version = static_cast<unsigned char>(bytes[0]), minor = static_cast<unsigned char>(bytes[1]);
  if (version < 1 || version > 3 || minor != 0)
    return fault("expected .npy version 1.0, 2.0 or 3.0, found " + Twine(version) + "." + Twine(minor));
  bytes = bytes.drop_front(2);
  size_t width = version == 1 ? 2 : 4;
  if (bytes.size() < width)
    return fault("the file ends inside its header");
  size_t length = width == 2 ? support::endian::read16le(bytes.data()) : support::endian::read32le(bytes.data());
  bytes = bytes.drop_front(width);
  if (bytes.size() < length)
    return fault("the file ends inside its header");
  StringRef header = bytes.take_front(length);
  bytes = bytes.drop_front(length);
  return header;
}

// From axis order 0 fastest to axis order last fastest.
static void fromFortranOrder(const Tensor &from, Tensor &to) {
  size_t width = byteSize(from.element), rank = from.shape.size();
  std::vector<int64_t> index(rank, 0), stride(rank, 1);
  for (size_t i = 1; i < rank; i++)
    stride[i] = stride[i - 1] * from.shape[i - 1];
  int64_t source = 0;
  for (int64_t k = 0; k < from.size(); k++) {
    std::memcpy(&to.bytes[k * width], &from.bytes[source * width], width);
    for (size_t axis = rank; axis-- > 0;) {
      source += stride[axis];
      if (++index[axis] < from.shape[axis])
        break;
      source -= stride[axis] * from.shape[axis];
      index[axis] = 0;
    }
  }
}

Expected<Tensor> parseNpy(StringRef bytes) {
  Expected<StringRef> text = splitHeader(bytes);
  if (!text)
    return text.takeError();
  Expected<NpyHeader> header = parseNpyHeader(*text);
  if (!header)
    return header.takeError();
  Expected<NpyType> type = parseType(header->type);
  if (!type)
    return type.takeError();
  int64_t count = byteSize(type->element);
  bool empty = is_contained(header->shape, 0);
  for (int64_t size : header->shape)
    if (!empty && MulOverflow(count, size, count))
      return fault("the shape has more bytes than 63 bits hold");
  if (empty)
    count = 0;
  // Nothing is allocated before the file has shown that it holds this much.
  if (uint64_t(count) != bytes.size())
    return fault("expected " + Twine(count) + " bytes of data after the header, found " + Twine(bytes.size()));
  Tensor tensor;
  tensor.element = type->element;
  tensor.shape = header->shape;
  tensor.bytes.assign(bytes.begin(), bytes.end());
  size_t width = byteSize(type->element);
  if (type->swapped)
    for (size_t i = 0; i < tensor.bytes.size(); i += width)
      std::reverse(&tensor.bytes[i], &tensor.bytes[i] + width);
  if (type->element == Element::I1)
    for (int64_t i = 0; i < tensor.size(); i++)
      if (static_cast<unsigned char>(tensor.bytes[i]) > 1)
        return fault("expected the bytes 0 and 1 for bool, found " + Twine(unsigned(static_cast<unsigned char>(tensor.bytes[i]))) +
                     " at entry " + Twine(i));
  if (!header->fortranOrder || tensor.shape.size() < 2)
    return tensor;
  Tensor ordered = tensor;
  fromFortranOrder(tensor, ordered);
  return ordered;
}

Expected<Tensor> readNpyFile(StringRef path) {
  if (sys::fs::is_directory(path))
    return fault("is a directory, expected a .npy file");
  ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFile(path, false, /*RequiresNullTerminator=*/false);
  if (!file) {
    std::string message = file.getError().message();
    if (!message.empty())
      message[0] = toLower(message[0]);
    return fault(message);
  }
  return parseNpy((*file)->getBuffer());
}

void writeNpy(const Tensor &tensor, raw_ostream &os) {
  static constexpr StringLiteral types[] = {"<f8", "<f4", "<i8", "<i4", "|b1"};
  std::string header = "{'descr': '" + types[static_cast<int>(tensor.element)].str() + "', 'fortran_order': False, 'shape': (";
  for (auto [i, size] : enumerate(tensor.shape))
    header += (i ? ", " : "") + std::to_string(size);
  header += tensor.shape.size() == 1 ? ",), }" : "), }";
  // The data begin at a multiple of 64 bytes.
  size_t before = magic.size() + 2 + 2;
  header.append(63 - (before + header.size()) % 64, ' ');
  header += '\n';
  os << magic << '\x01' << '\x00';
  char length[2];
  support::endian::write16le(length, header.size());
  os.write(length, 2);
  os << header;
  os.write(tensor.bytes.data(), tensor.bytes.size());
}

std::string describe(const Tensor &tensor) {
  std::string text = std::string(reference::toString(tensor.element)) + "[";
  for (auto [i, size] : enumerate(tensor.shape))
    text += (i ? ", " : "") + std::to_string(size);
  return text + "]";
}
} // namespace nova::tool
