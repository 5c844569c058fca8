// .npy files: what is written reads back, every layout is converted, hostile bytes are refused.
#include "tests/tools/MakeTensor.h"
#include "tools/nova/Npy.h"
#include "gtest/gtest.h"
#include <cstring>
#include <random>

using namespace nova;
using namespace nova::tool;
using reference::Element;
using reference::Tensor;

namespace {
std::string file(const Tensor &tensor) {
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  writeNpy(tensor, os);
  return bytes;
}

// A version 1.0 file with this header and data.
std::string file(const std::string &header, const std::string &data, char major = 1) {
  std::string bytes = std::string("\x93NUMPY") + major + '\0';
  size_t size = header.size() + 1;
  for (int i = 0; i < (major == 1 ? 2 : 4); i++)
    bytes += static_cast<char>(size >> (8 * i));
  return bytes + header + "\n" + data;
}

std::string header(const std::string &type, const std::string &shape, const char *fortran = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
}

std::string message(const std::string &bytes) {
  llvm::Expected<Tensor> result = parseNpy(bytes);
  return result ? "accepted " + describe(*result) : llvm::toString(result.takeError());
}

void expectSame(const std::string &bytes, const Tensor &want) {
  llvm::Expected<Tensor> have = parseNpy(bytes);
  ASSERT_TRUE(static_cast<bool>(have)) << llvm::toString(have.takeError());
  EXPECT_EQ(have->element, want.element);
  EXPECT_EQ(have->shape, want.shape);
  EXPECT_EQ(have->bytes, want.bytes);
}

std::string bytesOf(std::initializer_list<unsigned char> list) { return std::string(list.begin(), list.end()); }
} // namespace

TEST(Npy, WrittenFilesReadBack) {
  for (const Tensor &t :
       {tensor<double>(Element::F64, {2, 3}, {1, -0.0, 5e-324, 3, 4, 5}), tensor<float>(Element::F32, {3}, {1, 2, 3}),
        tensor<int64_t>(Element::I64, {}, {INT64_MIN}), tensor<int32_t>(Element::I32, {1, 1, 2}, {-1, 7}),
        tensor<uint8_t>(Element::I1, {2}, {0, 1}), tensor<double>(Element::F64, {0, 5}, {}),
        tensor<uint16_t>(Element::BF16, {3}, {0x3F80, 0x8000, 0x7FC0}), tensor<uint16_t>(Element::F16, {1}, {0x7BFF}),
        tensor<int8_t>(Element::I8, {2}, {-128, 127})}) {
    std::string bytes = file(t);
    expectSame(bytes, t);
    EXPECT_EQ((bytes.size() - t.bytes.size()) % 64, 0u) << "the data begin at a multiple of 64 bytes";
  }
}

TEST(Npy, EveryVersionAndKeyOrder) {
  Tensor want = tensor<uint8_t>(Element::I1, {2}, {1, 0});
  for (char major : {1, 2, 3})
    expectSame(file(header("|b1", "(2,)"), bytesOf({1, 0}), major), want);
  expectSame(file("{\"shape\": (2,), \"fortran_order\": False, \"descr\": \"|b1\"}", bytesOf({1, 0})), want);
  expectSame(file("{'shape':(2L,),'fortran_order':False,'descr':'|b1'}  ", bytesOf({1, 0})), want);
}

TEST(Npy, BigEndianIsConverted) {
  expectSame(file(header(">i4", "(2,)"), bytesOf({0, 0, 1, 2, 255, 255, 255, 254})),
             tensor<int32_t>(Element::I32, {2}, {258, -2}));
  expectSame(file(header(">f8", "()"), bytesOf({0x3f, 0xf0, 0, 0, 0, 0, 0, 0})), tensor<double>(Element::F64, {}, {1}));
}

// As NumPy and ml_dtypes write them.
TEST(Npy, SmallTypes) {
  expectSame(file(header("<f2", "(2,)"), bytesOf({0, 0x3C, 1, 0x80})), tensor<uint16_t>(Element::F16, {2}, {0x3C00, 0x8001}));
  expectSame(file(header(">f2", "(1,)"), bytesOf({0x3C, 0})), tensor<uint16_t>(Element::F16, {1}, {0x3C00}));
  expectSame(file(header("<V2", "(1,)"), bytesOf({0x80, 0x3F})), tensor<uint16_t>(Element::BF16, {1}, {0x3F80}));
  expectSame(file(header("|V2", "(1,)"), bytesOf({0x80, 0x3F})), tensor<uint16_t>(Element::BF16, {1}, {0x3F80}));
  expectSame(file(header("|i1", "(2,)"), bytesOf({128, 5})), tensor<int8_t>(Element::I8, {2}, {-128, 5}));
}

TEST(Npy, FortranOrderIsConverted) {
  // Columns first: 0 3 1 4 2 5 is [[0, 1, 2], [3, 4, 5]].
  std::vector<int32_t> columns{0, 3, 1, 4, 2, 5};
  std::string data(reinterpret_cast<char *>(columns.data()), 24);
  expectSame(file(header("<i4", "(2, 3)", "True"), data), tensor<int32_t>(Element::I32, {2, 3}, {0, 1, 2, 3, 4, 5}));
  expectSame(file(header("<i4", "(6,)", "True"), data), tensor<int32_t>(Element::I32, {6}, columns));
  std::vector<int32_t> cube(24), want(24);
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 4; k++) {
        want[(i * 3 + j) * 4 + k] = 100 * i + 10 * j + k;
        cube[(k * 3 + j) * 2 + i] = 100 * i + 10 * j + k;
      }
  expectSame(file(header("<i4", "(2, 3, 4)", "True"), std::string(reinterpret_cast<char *>(cube.data()), 96)),
             tensor<int32_t>(Element::I32, {2, 3, 4}, want));
  expectSame(file(header("<i4", "(0, 3)", "True"), ""), tensor<int32_t>(Element::I32, {0, 3}, {}));
}

TEST(Npy, OtherElementTypesAreRefused) {
  for (const char *type : {"<c16", "<V4", "|S8", "<u4", "<i2", "|O", "<M8[ns]", "", "f8", "|f8", "<f16", "<f8x"})
    EXPECT_EQ(message(file(header(type, "(1,)"), std::string(8, '\0')))
                  .find("expected element type f8, f4, f2, i8, i4, i1, V2 (bfloat16) or bool, found '"),
              0u)
        << type;
  EXPECT_EQ(message(file("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }", std::string(8, '\0'))),
            "expected plain numbers, found records with fields");
  EXPECT_EQ(message(file(header("|b1", "(2,)"), bytesOf({1, 7}))),
            "expected the bytes 0 and 1 for bool, found 7 at entry 1");
}

TEST(Npy, WrongHeaders) {
  EXPECT_EQ(message(""), "expected a .npy file, found other bytes");
  EXPECT_EQ(message("\x93NUMP"), "expected a .npy file, found other bytes");
  EXPECT_EQ(message("\x93NUMPY"), "the file ends inside its header");
  EXPECT_EQ(message(std::string("\x93NUMPY\x04\x00", 8)), "expected .npy version 1.0, 2.0 or 3.0, found 4.0");
  EXPECT_EQ(message(std::string("\x93NUMPY\x01\x00\xff\xff{", 11)), "the file ends inside its header");
  EXPECT_EQ(message(std::string("\x93NUMPY\x02\x00\xff\xff\x00\x00{", 13)), "the file ends inside its header");
  EXPECT_EQ(message(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff{", 13)),
            "expected a header of at most 1048576 bytes, found 4294967295");
  auto wrong = [](const std::string &text) { return message(file(text, std::string(8, '\0'))); };
  EXPECT_EQ(wrong("{descr: 1}"), "wrong .npy header: expected a key and ':'");
  EXPECT_EQ(wrong("{'descr': 8, "), "wrong .npy header: expected a string for descr");
  EXPECT_EQ(wrong("{'descr': '<f8' 'shape'"), "wrong .npy header: expected ',' or '}'");
  EXPECT_EQ(wrong("hello"), "wrong .npy header: expected '{'");
  EXPECT_EQ(wrong("{'descr': '<f8'}"), "wrong .npy header: expected the keys descr, fortran_order and shape");
  EXPECT_EQ(wrong("{'descr': '<f8', 'descr': '<f8'}"), "wrong .npy header: the key descr is given twice");
  EXPECT_EQ(wrong("{'x': 1}"), "wrong .npy header: expected the keys descr, fortran_order and shape, found 'x'");
  EXPECT_EQ(wrong(header("<f8", "(1,)", "Maybe")), "wrong .npy header: expected True or False for fortran_order");
  EXPECT_EQ(wrong(header("<f8", "(-1,)")), "wrong .npy header: expected sizes of 0 or more in shape");
  EXPECT_EQ(wrong(header("<f8", "(1.5,)")), "wrong .npy header: expected ',' or ')' in shape");
  EXPECT_EQ(wrong(header("<f8", "1")), "wrong .npy header: expected a tuple for shape");
  EXPECT_EQ(wrong(header("<f8", "(99999999999999999999,)")),
            "wrong .npy header: size 99999999999999999999 is out of range");
  EXPECT_EQ(wrong(header("<f8", "(1,)") + " x"), "wrong .npy header: expected only spaces after '}'");
}

TEST(Npy, ShapesThatTheDataContradict) {
  EXPECT_EQ(message(file(header("<f8", "(2,)"), std::string(8, '\0'))),
            "expected 16 bytes of data after the header, found 8");
  EXPECT_EQ(message(file(header("<f8", "(1,)"), std::string(9, '\0'))),
            "expected 8 bytes of data after the header, found 9");
  EXPECT_EQ(message(file(header("<f8", "(4294967296, 4294967296)"), "")), "the shape has more bytes than 63 bits hold");
  EXPECT_EQ(message(file(header("<f8", "(9223372036854775807, 9)"), "")), "the shape has more bytes than 63 bits hold");
  // Nothing is allocated for what the file does not hold.
  EXPECT_EQ(message(file(header("<f8", "(1000000000000,)"), "")),
            "expected 8000000000000 bytes of data after the header, found 0");
  EXPECT_EQ(message(file(header("<f8", "(0, 9223372036854775807)"), "")), "accepted f64[0, 9223372036854775807]");
}

TEST(Npy, RandomEditsNeverCrash) {
  std::string good = file(tensor<double>(Element::F64, {2, 3}, {1, 2, 3, 4, 5, 6}));
  std::mt19937 generator(1);
  int accepted = 0;
  for (int trial = 0; trial < 20000; trial++) {
    std::string bytes = good;
    for (unsigned edits = 1 + generator() % 4; edits--;) {
      size_t at = generator() % bytes.size();
      switch (generator() % 4) {
      case 0:
        bytes[at] = static_cast<char>(generator());
        break;
      case 1:
        bytes.erase(at, 1 + generator() % 8);
        break;
      case 2:
        bytes.insert(at, 1, "(){}'\"0123456789,: TrueFalseL"[generator() % 29]);
        break;
      case 3:
        bytes.resize(at);
        break;
      }
      if (bytes.empty())
        break;
    }
    llvm::Expected<Tensor> result = parseNpy(bytes);
    accepted += static_cast<bool>(result);
    if (!result)
      EXPECT_FALSE(llvm::toString(result.takeError()).empty());
    else
      EXPECT_EQ(result->bytes.size() % byteSize(result->element), 0u);
  }
  EXPECT_GT(accepted, 0);
  EXPECT_LT(accepted, 20000);
}
