//===- LibraryTilesTest.cpp - Tiles, what is remembered of them, whole calls --------===//

#include "runtime/core/LibraryTiles.h"
#include "runtime/core/Context.h"
#include "runtime/core/TileRecords.h"
#include "tests/runtime/StandIns.h"
#include "tests/runtime/TestModule.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <gmock/gmock.h>
#include <iterator>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace nova::runtime;
using namespace nova::test;

namespace {

constexpr ContractionShape kShape{80, 130, 80, 130, 144};

/// A folder of the test's own.
class Folder {
public:
  Folder() {
    const char *root = std::getenv("TMPDIR");
    path = std::string(root ? root : "/tmp") + "/nova-tiles-XXXXXX";
    if (!mkdtemp(path.data()))
      std::abort();
  }
  ~Folder() {
    std::remove(file().c_str());
    rmdir(path.c_str());
  }
  std::string file() const { return path + "/tiles"; }

private:
  std::string path;
};

std::string readText(const std::string &path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}
void writeText(const std::string &path, const std::string &text) { std::ofstream(path) << text; }

int callsToFind(const std::string &path, const ContractionShape &shape = kShape) {
  Vendor vendor = rightVendor();
  LibraryTiles tiles(vendor);
  tiles.remember(path);
  rightCalls = 0;
  EXPECT_NE(tiles.find(shape), nullptr);
  return rightCalls;
}

TEST(LibraryTiles, ComputesTheTotalsOfManyChunksAndPieces) {
  Vendor vendor = rightVendor();
  LibraryTiles tiles(vendor);
  const ContractionShape shape{300, 801, 301, 802, 816};
  const LibraryTile *tile = tiles.find(shape);
  ASSERT_NE(tile, nullptr);
  EXPECT_EQ(tiles.find(shape), tile);
  std::vector<float> a(64 * 301), b(300 * 802), c(64 * 816, 7.0f);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = static_cast<float>(i % 13) - 6;
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = static_cast<float>(i % 7) - 3;
  ASSERT_EQ(tile->run(tile, a.data(), b.data(), c.data()), 1);
  for (int64_t r = 0; r < 64; r += 9)
    for (int64_t i = 0; i < 816; i += 5) {
      float expected = i < 801 ? 0.0f : 7.0f;
      for (int64_t k = 0; i < 801 && k < 300; ++k)
        expected += a[static_cast<size_t>(r * 301 + k)] * b[static_cast<size_t>(k * 802 + i)];
      ASSERT_EQ(c[static_cast<size_t>(r * 816 + i)], expected) << r << ", " << i;
    }
}

TEST(LibraryTiles, LeavesSmallShapesToGeneratedCode) {
  Vendor vendor = rightVendor();
  LibraryTiles tiles(vendor);
  EXPECT_EQ(tiles.find({8, 200, 8, 200, 208}), nullptr);
  EXPECT_EQ(tiles.find({300, 16, 300, 16, 16}), nullptr);
  EXPECT_EQ(tiles.find({0, 0, 0, 0, 0}), nullptr);
}

TEST(LibraryTiles, HasNoneOfAWrongVendor) {
  for (const Vendor &wrong : wrongVendors()) {
    LibraryTiles tiles(wrong);
    EXPECT_EQ(tiles.find({71, 130, 73, 131, 144}), nullptr) << wrong.name;
    EXPECT_GE(tiles.count().refused, 1) << wrong.name;
  }
}

TEST(LibraryTiles, HasNoneWithoutAVendor) {
  Vendor none;
  LibraryTiles tiles(none);
  EXPECT_EQ(tiles.find(kShape), nullptr);
  EXPECT_FALSE(tiles.isQualified(kShape));
  Vendor failing = failingVendor();
  LibraryTiles unable(failing);
  EXPECT_EQ(unable.find(kShape), nullptr);
  EXPECT_EQ(unable.count().refused, 0); // another time it may be able to
}

TEST(LibraryTiles, RefusesStridesThatNoMatrixHas) {
  Vendor vendor = rightVendor();
  LibraryTiles tiles(vendor);
  EXPECT_EQ(tiles.find({300, 200, 299, 200, 200}), nullptr);
  EXPECT_EQ(tiles.find({300, 200, 300, 0, 200}), nullptr);
  EXPECT_EQ(tiles.find({300, 200, 300, 200, -1}), nullptr);
}

TEST(LibraryTiles, AreFoundByManyThreadsAtOnce) {
  Vendor vendor = rightVendor();
  LibraryTiles tiles(vendor);
  std::vector<std::thread> threads;
  std::vector<const LibraryTile *> found(4);
  for (size_t i = 0; i < found.size(); ++i)
    threads.emplace_back([&, i] { found[i] = tiles.find(kShape); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_NE(found[0], nullptr);
  EXPECT_THAT(found, testing::Each(found[0]));
}

TEST(TileRecords, SpareTheNextProcessTheTrial) {
  Folder folder;
  EXPECT_GT(callsToFind(folder.file()), 0);
  EXPECT_EQ(callsToFind(folder.file()), 0);
  EXPECT_GT(callsToFind(folder.file(), {80, 144, 80, 144, 144}), 0);
  EXPECT_EQ(callsToFind(folder.file()), 0) << "what was known is kept";
  struct stat facts;
  ASSERT_EQ(stat(folder.file().c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 022, 0u) << "whoever can write it can say that bits are equal";
}

TEST(TileRecords, RememberRefusals) {
  Folder folder;
  const Vendor &wrong = wrongVendors().front();
  LibraryTiles first(wrong), second(wrong);
  first.remember(folder.file());
  EXPECT_EQ(first.find(kShape), nullptr);
  second.remember(folder.file());
  EXPECT_EQ(second.count().refused, first.count().refused);
  EXPECT_EQ(second.find(kShape), nullptr);
}

TEST(TileRecords, OfAnotherVendorCountAsNone) {
  Folder folder;
  callsToFind(folder.file());
  EXPECT_TRUE(readTileRecords(folder.file(), "another").empty());
  const Vendor &wrong = wrongVendors().front();
  LibraryTiles tiles(wrong);
  tiles.remember(folder.file());
  EXPECT_EQ(tiles.find(kShape), nullptr);
}

TEST(TileRecords, ThatAreDamagedCountAsNoneAndAreReplaced) {
  Folder folder;
  callsToFind(folder.file());
  const std::string good = readText(folder.file());
  for (size_t at = 0; at < good.size(); at += 3) {
    std::string bad = good;
    bad[at] ^= 1;
    writeText(folder.file(), bad);
    EXPECT_TRUE(readTileRecords(folder.file(), rightVendor().identity).empty()) << at;
    writeText(folder.file(), good.substr(0, at));
    EXPECT_TRUE(readTileRecords(folder.file(), rightVendor().identity).empty()) << at;
  }
  writeText(folder.file(), good + good);
  EXPECT_GT(callsToFind(folder.file()), 0);
  EXPECT_EQ(readText(folder.file()), good);
}

TEST(TileRecords, WithoutAPlaceCostOnlyTime) {
  EXPECT_GT(callsToFind("/nowhere/at all"), 0);
  EXPECT_GT(callsToFind("/"), 0);
  Folder folder; // in place of the file there is something else, which stays
  ASSERT_EQ(mkfifo(folder.file().c_str(), 0600), 0);
  EXPECT_GT(callsToFind(folder.file()), 0);
  struct stat facts;
  ASSERT_EQ(lstat(folder.file().c_str(), &facts), 0);
  EXPECT_TRUE(S_ISFIFO(facts.st_mode));
}

/// A[n, k] * B[k, c] through a whole call, by a context with these tiles.
struct Product {
  Tensor<float> a, b, out;
  Tensor<int64_t> carried;

  Product(int64_t n, int64_t k, int64_t c) : a({n, k}), b({k, c}), out({n, c}, -1), carried({n}, -1) {
    fill(a, 1);
    fill(b, 2);
  }
  void run(LibraryTiles *tiles, int32_t threads) {
    ModulePtr module = load(libraryManifest());
    nova_context_t context{{threads, nullptr, nullptr, tiles}};
    ASSERT_EQ(nova::test::run(&context, {{module.get(), nullptr, {a.view(), b.view()}, {out.view(), carried.view()}}}),
              "");
  }
  int64_t rowsCarried() const {
    int64_t count = 0;
    for (int64_t row : carried.data)
      count += row;
    return count;
  }
};

TEST(LibraryCalls, CarryWholeBlocksOf64Rows) {
  Vendor vendor = rightVendor();
  LibraryTiles tiles(vendor);
  for (auto [rows, expected] : {std::pair{63, 0}, {64, 64}, {65, 64}, {200, 192}, {0, 0}})
    for (int32_t threads : {1, 3}) {
      Product with(rows, 300, 130), without(rows, 300, 130);
      with.run(&tiles, threads);
      without.run(nullptr, threads);
      EXPECT_EQ(with.out.data, without.out.data) << rows;
      EXPECT_EQ(with.rowsCarried(), expected) << rows;
      EXPECT_EQ(without.rowsCarried(), 0);
    }
}

TEST(LibraryCalls, WithAWrongVendorAreRight) {
  Product expected(130, 71, 130);
  expected.run(nullptr, 1);
  for (const Vendor &wrong : wrongVendors()) {
    LibraryTiles tiles(wrong);
    Product product(130, 71, 130);
    product.run(&tiles, 2);
    EXPECT_EQ(product.out.data, expected.out.data) << wrong.name;
  }
}

/// Products of several shapes by many threads that share what is known of the vendor.
void multiplyOnManyThreads(LibraryTiles &tiles) {
  std::vector<std::thread> threads;
  for (int64_t i = 0; i < 4; ++i)
    threads.emplace_back([&tiles, i] {
      for (int64_t columns : {130, 144}) {
        Product with(130 + i, 300, columns), without(130 + i, 300, columns);
        with.run(&tiles, 2);
        without.run(nullptr, 1);
        EXPECT_EQ(with.out.data, without.out.data) << columns;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(LibraryCalls, OfManyThreadsAtOnce) {
  Folder folder;
  Vendor vendor = rightVendor();
  LibraryTiles tiles(vendor);
  tiles.remember(folder.file());
  multiplyOnManyThreads(tiles);
  EXPECT_GT(tiles.count().qualified, 0);
  EXPECT_FALSE(readTileRecords(folder.file(), vendor.identity).empty());
}

// The real one, where it is. (A test program has no other.)
TEST(OneDnn, IsAskedBeforeItIsUsed) {
  if (!oneDnn().multiply)
    GTEST_SKIP() << oneDnn().trouble;
  LibraryTiles tiles(oneDnn);
  for (int64_t terms : {64, 256, 300})
    for (int64_t columns : {130, 144, 801})
      if (tiles.find({terms, columns, terms, columns, columns})) {
        Product with(130, terms, columns), without(130, terms, columns);
        with.run(&tiles, 3);
        without.run(nullptr, 1);
        EXPECT_EQ(with.out.data, without.out.data) << terms << " x " << columns;
        EXPECT_EQ(with.rowsCarried(), 128) << terms << " x " << columns;
      }
  EXPECT_GT(tiles.count().qualified + tiles.count().refused, 0);
}

TEST(OneDnn, ServesManyThreadsAtOnce) {
  if (!oneDnn().multiply)
    GTEST_SKIP() << oneDnn().trouble;
  LibraryTiles tiles(oneDnn);
  multiplyOnManyThreads(tiles);
}

TEST(OneDnn, IsDescribed) {
  nova_onednn_info_t info{};
  EXPECT_EQ(take(nova_onednn_describe(nullptr)), "invalid argument: info is null");
  EXPECT_EQ(take(nova_onednn_describe(&info)), "invalid argument: info: expected size 48, found 0");
  info.size = sizeof info;
  int32_t qualified = 7;
  EXPECT_EQ(take(nova_onednn_remember(nullptr)), "");
  EXPECT_EQ(take(nova_onednn_qualify(0, 16, &qualified)), "invalid argument: expected sizes in 1 .. 65536, found 0");
  EXPECT_EQ(take(nova_onednn_qualify(16, 65537, &qualified)),
            "invalid argument: expected sizes in 1 .. 65536, found 65537");
  EXPECT_EQ(take(nova_onednn_qualify(16, 16, nullptr)), "invalid argument: qualified is null");
  EXPECT_EQ(take(nova_onednn_qualify(16, 16, &qualified)), "");
  EXPECT_EQ(take(nova_onednn_describe(&info)), "");
  EXPECT_EQ(*info.trouble == 0, oneDnn().multiply != nullptr);
  EXPECT_EQ(qualified, info.qualified > 0);
}

// Who calls may use the same OpenMP, with a number of threads of his own.
TEST(OneDnn, LeavesTheCallersThreadsAsTheyWere) {
  if (!oneDnn().multiply)
    GTEST_SKIP() << oneDnn().trouble;
  void *openMp = dlopen("libgomp.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (!openMp)
    GTEST_SKIP() << "oneDNN has another OpenMP, or none";
  auto set = reinterpret_cast<void (*)(int)>(dlsym(openMp, "omp_set_num_threads"));
  auto get = reinterpret_cast<int (*)()>(dlsym(openMp, "omp_get_max_threads"));
  ASSERT_TRUE(set && get);
  const int before = get();
  set(3);
  std::vector<float> a(64 * 64, 1.0f), b(64 * 128, 1.0f), c(64 * 128);
  EXPECT_TRUE(oneDnn().multiply({64, 128, 64, 128, 128}, a.data(), b.data(), c.data()));
  EXPECT_EQ(c[5], 64.0f);
  EXPECT_EQ(get(), 3);
  set(before);
  dlclose(openMp);
}

/// One that works while it is tried and then no more.
bool giveUp = false;
bool failsLater(const ProductShape &shape, const float *a, const float *b, float *c) {
  return !giveUp && rightVendor().multiply(shape, a, b, c);
}

TEST(LibraryCalls, GoOnWithGeneratedCodeWhereATileFails) {
  Vendor vendor = rightVendor();
  vendor.multiply = failsLater;
  LibraryTiles tiles(vendor);
  giveUp = false;
  ASSERT_NE(tiles.find({80, 130, 80, 130, 130}), nullptr);
  giveUp = true;
  Product product(64, 80, 130), expected(64, 80, 130);
  product.run(&tiles, 1);
  expected.run(nullptr, 1);
  EXPECT_EQ(product.out.data, expected.out.data);
  EXPECT_EQ(product.rowsCarried(), 0);
}

} // namespace
