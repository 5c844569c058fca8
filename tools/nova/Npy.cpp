#include "tools/nova/Npy.h"
#include "tools/nova/DataFault.h"
#include "tools/nova/NpyHeader.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
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

// NumPy itself reads no longer ones unless it is told to.
static constexpr size_t maxHeaderBytes = size_t(1) << 20;

namespace {
struct NpyType {
  Element element;
  bool swapped; // big-endian
};

// What stands before the data.
struct NpyLayout {
  NpyType type;
  NpyHeader header;
  int64_t bytes; // of data
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
                                       .Case("f2", Element::F16)
                                       .Case("V2", Element::BF16) // so ml_dtypes names bfloat16
                                       .Case("i1", Element::I8)
                                       .Default(std::nullopt);
  bool orderFits = StringRef("<>=").contains(order) ||
                   (order == '|' && element && (byteSize(*element) == 1 || element == Element::BF16));
  if (!element || order == 0 || !orderFits) {
    return dataFault("expected element type f8, f4, f2, i8, i4, i1, V2 (bfloat16) or bool, found '" + printable(type) +
                     "'");
  }
  return NpyType{*element, order == '>'};
}

// Bytes up to the header's text.
static constexpr size_t longestPreamble = magic.size() + 2 + 4;

// The length of the header's text, which `bytes` is left at.
static Expected<size_t> takePreamble(StringRef &bytes) {
  if (!bytes.consume_front(magic))
    return dataFault("expected a .npy file, found other bytes");
  if (bytes.size() < 2)
    return dataFault("the file ends inside its header");
  unsigned version = static_cast<unsigned char>(bytes[0]), minor = static_cast<unsigned char>(bytes[1]);
  if (version < 1 || version > 3 || minor != 0)
    return dataFault("expected .npy version 1.0, 2.0 or 3.0, found " + Twine(version) + "." + Twine(minor));
  bytes = bytes.drop_front(2);
  size_t width = version == 1 ? 2 : 4;
  if (bytes.size() < width)
    return dataFault("the file ends inside its header");
  size_t length = width == 2 ? support::endian::read16le(bytes.data()) : support::endian::read32le(bytes.data());
  bytes = bytes.drop_front(width);
  if (length > maxHeaderBytes)
    return dataFault("expected a header of at most " + Twine(maxHeaderBytes) + " bytes, found " + Twine(length));
  return length;
}

// `bytes` is left at the data.
static Expected<NpyLayout> takeLayout(StringRef &bytes) {
  Expected<size_t> length = takePreamble(bytes);
  if (!length)
    return length.takeError();
  if (bytes.size() < *length)
    return dataFault("the file ends inside its header");
  Expected<NpyHeader> header = parseNpyHeader(bytes.take_front(*length));
  if (!header)
    return header.takeError();
  Expected<NpyType> type = parseType(header->type);
  if (!type)
    return type.takeError();
  std::optional<int64_t> count = reference::byteSize(type->element, header->shape);
  if (!count)
    return dataFault("the shape has more bytes than 63 bits hold");
  bytes = bytes.drop_front(*length);
  return NpyLayout{*type, std::move(*header), *count};
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

static Expected<Tensor> makeTensor(const NpyLayout &layout, StringRef data) {
  Element element = layout.type.element;
  Tensor tensor;
  tensor.element = element;
  tensor.shape = layout.header.shape;
  tensor.bytes.assign(data.begin(), data.end());
  size_t width = byteSize(element);
  if (layout.type.swapped)
    for (size_t i = 0; i < tensor.bytes.size(); i += width)
      std::reverse(&tensor.bytes[i], &tensor.bytes[i] + width);
  if (element == Element::I1)
    for (int64_t i = 0; i < tensor.size(); i++)
      if (static_cast<unsigned char>(tensor.bytes[i]) > 1)
        return dataFault("expected the bytes 0 and 1 for bool, found " + Twine(unsigned(static_cast<unsigned char>(tensor.bytes[i]))) +
                     " at entry " + Twine(i));
  if (!layout.header.fortranOrder || tensor.shape.size() < 2)
    return tensor;
  Tensor ordered = tensor;
  fromFortranOrder(tensor, ordered);
  return ordered;
}

Expected<Tensor> parseNpy(StringRef bytes) {
  Expected<NpyLayout> layout = takeLayout(bytes);
  if (!layout)
    return layout.takeError();
  // Nothing is allocated before the file has shown that it holds this much.
  if (uint64_t(layout->bytes) != bytes.size())
    return dataFault("expected " + Twine(layout->bytes) + " bytes of data after the header, found " + Twine(bytes.size()));
  Element element = layout->type.element;
  if (Error error = checkMemory(element, layout->header.shape))
    return std::move(error);
  try {
    return makeTensor(*layout, bytes);
  } catch (const std::bad_alloc &) {
    return memoryFault(reference::allocationProblem(element, layout->header.shape));
  }
}

// Appends until there are `total` bytes or no more come.
static Error readUpTo(ReadBytes next, size_t total, SmallVectorImpl<char> &bytes) {
  constexpr size_t step = size_t(1) << 20;
  while (bytes.size() < total) {
    size_t size = bytes.size();
    bytes.resize_for_overwrite(std::min(total, size + std::max(step, size)));
    Expected<size_t> read = next(MutableArrayRef(bytes).drop_front(size));
    bytes.truncate(size + (read ? *read : 0));
    if (!read)
      return read.takeError();
    if (*read == 0)
      break;
  }
  return Error::success();
}

Expected<Tensor> readNpy(ReadBytes next) {
  SmallString<0> bytes;
  if (Error error = readUpTo(next, longestPreamble, bytes))
    return std::move(error);
  StringRef rest = bytes;
  Expected<size_t> length = takePreamble(rest);
  if (!length)
    return length.takeError();
  size_t dataBegins = bytes.size() - rest.size() + *length;
  if (Error error = readUpTo(next, dataBegins, bytes))
    return std::move(error);
  rest = bytes;
  Expected<NpyLayout> layout = takeLayout(rest);
  if (!layout)
    return layout.takeError();
  if (Error error = checkMemory(layout->type.element, layout->header.shape))
    return std::move(error);
  if (Error error = readUpTo(next, dataBegins + layout->bytes + 1, bytes))
    return std::move(error);
  return parseNpy(bytes);
}

Expected<Tensor> readNpyFile(StringRef path) {
  sys::fs::file_status status;
  if (std::error_code code = sys::fs::status(path, status))
    return dataFault(code);
  if (sys::fs::is_directory(status))
    return dataFault("is a directory, expected a .npy file");
  Expected<sys::fs::file_t> file = sys::fs::openNativeFileForRead(path);
  if (!file)
    return dataFault(errorToErrorCode(file.takeError()));
  auto close = make_scope_exit([&] { (void)sys::fs::closeFile(*file); });
  if (!sys::fs::is_regular_file(status))
    return readNpy([&](MutableArrayRef<char> bytes) -> Expected<size_t> {
      Expected<size_t> count = sys::fs::readNativeFile(*file, bytes);
      if (!count)
        return dataFault(errorToErrorCode(count.takeError()));
      return count;
    });
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      MemoryBuffer::getOpenFile(*file, path, status.getSize(), /*RequiresNullTerminator=*/false);
  if (!buffer)
    return dataFault(buffer.getError());
  return parseNpy((*buffer)->getBuffer());
}

std::string npyHeader(const Tensor &tensor) {
  // In the order of Element. NumPy has no i4: its numbers are written as int8.
  static constexpr StringLiteral types[] = {"<f8", "<f4", "<i8", "<i4", "|b1", "<V2", "<f2", "|i1", "|i1"};
  std::string header = "{'descr': '" + types[static_cast<int>(tensor.element)].str() + "', 'fortran_order': False, 'shape': (";
  for (auto [i, size] : enumerate(tensor.shape))
    header += (i ? ", " : "") + std::to_string(size);
  header += tensor.shape.size() == 1 ? ",), }" : "), }";
  // The data begin at a multiple of 64 bytes.
  size_t before = magic.size() + 2 + 2;
  header.append(63 - (before + header.size()) % 64, ' ');
  header += '\n';
  char length[2];
  support::endian::write16le(length, header.size());
  return (magic + "\x01").str() + '\0' + std::string(length, 2) + header;
}

void writeNpy(const Tensor &tensor, raw_ostream &os) {
  os << npyHeader(tensor);
  os.write(tensor.bytes.data(), tensor.bytes.size());
}

std::string describe(const Tensor &tensor) {
  std::string text = std::string(reference::toString(tensor.element)) + "[";
  for (auto [i, size] : enumerate(tensor.shape))
    text += (i ? ", " : "") + std::to_string(size);
  return text + "]";
}
} // namespace nova::tool
