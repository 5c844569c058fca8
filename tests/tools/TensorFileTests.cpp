// .npz and safetensors: what is written reads back to the same bits; damaged files are refused or read, never more.
#include "tests/tools/MakeTensor.h"
#include "tools/nova/TensorFile.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"
#include <cstring>
#include <random>

using namespace nova;
using namespace nova::tool;
using reference::Element;
using reference::Tensor;

namespace {
// By the ending of a file's name.
class TensorFiles : public ::testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    llvm::SmallString<128> name;
    ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("nova-tensors", std::string(GetParam()).substr(1), name));
    path = name.str().str();
  }
  void TearDown() override { llvm::sys::fs::remove(path); }

  std::string image(llvm::ArrayRef<NamedTensor> tensors) {
    std::string bytes;
    llvm::raw_string_ostream os(bytes);
    EXPECT_FALSE(llvm::errorToBool(TensorFile::write(path, tensors, os)));
    return bytes;
  }
  llvm::Expected<std::unique_ptr<TensorFile>> open(llvm::StringRef bytes) {
    std::error_code code;
    llvm::raw_fd_ostream os(path, code);
    os << bytes;
    os.close();
    return TensorFile::open(path);
  }
  // Opens and reads all; the first error's message, "" for none.
  std::string fault(llvm::StringRef bytes) {
    auto file = open(bytes);
    if (!file)
      return llvm::toString(file.takeError());
    for (const std::string &name : (*file)->names())
      if (llvm::Expected<Tensor> read = (*file)->read(name); !read)
        return llvm::toString(read.takeError());
    return "";
  }

  std::string path;
};
} // namespace

TEST_P(TensorFiles, ReadBackWhatWasWritten) {
  std::vector<Tensor> tensors = {
      tensor<uint8_t>(Element::I1, {3}, {0, 1, 1}),
      tensor<uint16_t>(Element::BF16, {3}, {0x3F80, 0x8000, 0x7FC0}),
      tensor<uint16_t>(Element::F16, {1, 1}, {0x7BFF}),
      tensor<int8_t>(Element::I8, {3}, {-128, 127, 0}),
      tensor<double>(Element::F64, {2, 3}, {1, -0.0, 5e-324, 3, 4, 5}),
      tensor<float>(Element::F32, {3, 1}, {1, 2, 3}),
      tensor<int64_t>(Element::I64, {}, {INT64_MIN}),
      tensor<int32_t>(Element::I32, {1, 1, 2}, {-1, 7}),
      tensor<double>(Element::F64, {0, 5}, {}),
      tensor<float>(Element::F32, {0}, {}),
  };
  std::vector<NamedTensor> named;
  for (auto [i, each] : llvm::enumerate(tensors))
    named.push_back({"t." + std::to_string(i) + "_$", &each});
  std::string bytes = image(named);
  EXPECT_EQ(bytes, image(named)) << "the same tensors give the same file";
  auto file = open(bytes);
  ASSERT_TRUE(static_cast<bool>(file)) << llvm::toString(file.takeError());
  EXPECT_EQ((*file)->names().size(), tensors.size());
  for (const NamedTensor &want : named) {
    llvm::Expected<Tensor> have = (*file)->read(want.name);
    ASSERT_TRUE(static_cast<bool>(have)) << llvm::toString(have.takeError());
    EXPECT_EQ(have->element, want.tensor->element);
    EXPECT_EQ(have->shape, want.tensor->shape);
    EXPECT_EQ(have->bytes, want.tensor->bytes);
  }
  llvm::Expected<Tensor> absent = (*file)->read("absent");
  ASSERT_FALSE(static_cast<bool>(absent));
  EXPECT_EQ(llvm::toString(absent.takeError()),
            GetParam() == std::string(".npz") ? "has no entry 'absent'" : "has no tensor 'absent'");
}

TEST_P(TensorFiles, EveryCutIsRefused) {
  Tensor a = tensor<double>(Element::F64, {4}, {1, 2, 3, 4}), b = tensor<int32_t>(Element::I32, {2}, {5, 6});
  std::string bytes = image({{"a", &a}, {"b", &b}});
  for (size_t size = 0; size < bytes.size(); size++)
    ASSERT_NE(fault(llvm::StringRef(bytes).take_front(size)), "") << "the first " << size << " bytes";
  ASSERT_EQ(fault(bytes), "");
}

TEST_P(TensorFiles, DamageIsSafe) {
  Tensor a = tensor<double>(Element::F64, {4}, {1, 2, 3, 4}), b = tensor<int32_t>(Element::I32, {2}, {5, 6});
  std::string bytes = image({{"a", &a}, {"b", &b}});
  std::mt19937 random(1);
  for (int round = 0; round < 3000; round++) {
    std::string damaged = bytes;
    for (unsigned i = 1 + random() % 4; i > 0; i--)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    if (random() % 4 == 0)
      damaged.erase(random() % damaged.size(), random() % 16);
    if (random() % 4 == 0)
      damaged.insert(random() % damaged.size(), std::string(random() % 16, static_cast<char>(random())));
    (void)fault(damaged);
  }
}

INSTANTIATE_TEST_SUITE_P(Tools, TensorFiles, ::testing::Values(".npz", ".safetensors"));
