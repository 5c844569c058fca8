// Every field of a version's key counts; the build of the compiler makes another key of the store.
#include "compiler/identity/BuildId.h"
#include "compiler/identity/Version.h"
#include "tests/identity/Graphs.h"
#include "gtest/gtest.h"
#include <set>

using namespace nova;
using namespace nova::test;

namespace {
VersionKey plainKey() {
  VersionKey key;
  key.semantic = sha256("graph");
  key.names = {"std.f", {"T"}, {"Q", "K"}, {"O"}, {"n", "d"}};
  key.elementTypes = {"f32"};
  key.phase = "all";
  key.along = "n";
  key.targets = {"x86-64-v3", "x86-64-v4"};
  key.contract = "exact";
  key.compiler = "0.1.0";
  return key;
}
} // namespace

TEST(Version, EveryFieldCounts) {
  std::set<Hash> seen = {versionHash(plainKey())};
  auto differs = [&](auto change) {
    VersionKey key = plainKey();
    change(key);
    EXPECT_TRUE(seen.insert(versionHash(key)).second);
  };
  differs([](VersionKey &k) { k.semantic = sha256("another"); });
  differs([](VersionKey &k) { k.names.graph = "std.g"; });
  differs([](VersionKey &k) { k.names.typeParams = {"E"}; });
  differs([](VersionKey &k) { k.names.arguments = {"K", "Q"}; });
  differs([](VersionKey &k) { k.names.arguments = {"QK"}; });
  differs([](VersionKey &k) { k.names.results = {"P"}; });
  differs([](VersionKey &k) { k.names.symbols = {"rows", "d"}; });
  differs([](VersionKey &k) { k.probes = {"A"}; });
  differs([](VersionKey &k) { k.elementTypes = {"f64"}; });
  differs([](VersionKey &k) { k.phase = "decode"; });
  differs([](VersionKey &k) { k.along = "d"; });
  differs([](VersionKey &k) { k.fixedSizes = {{"d", 64}}; });
  differs([](VersionKey &k) { k.fixedSizes = {{"d", 65}}; });
  differs([](VersionKey &k) { k.targets = {"x86-64-v3"}; });
  differs([](VersionKey &k) { k.targets = {"x86-64-v4", "x86-64-v3"}; });
  differs([](VersionKey &k) { k.contract = "fast"; });
  differs([](VersionKey &k) { k.compiler = "0.1.1"; });
}

TEST(Version, OrderOfFixedSizesDoesNotCount) {
  VersionKey a = plainKey(), b = plainKey();
  a.fixedSizes = {{"d", 64}, {"n", 8}};
  b.fixedSizes = {{"n", 8}, {"d", 64}};
  EXPECT_EQ(versionHash(a), versionHash(b));
}

TEST(Version, InterfaceNamesOfAGraph) {
  Graphs graphs(readFile("std_lib/nn/causal_attention_dv.nova"));
  GraphHashes hashes(graphs.module());
  InterfaceNames names = interfaceNames(*hashes.storedForm(graphs.graph()));
  EXPECT_EQ(names.graph, "std.nn.causal_attention_dv");
  EXPECT_EQ(names.typeParams, std::vector<std::string>({"T"}));
  EXPECT_EQ(names.arguments, std::vector<std::string>({"Q", "K", "V"}));
  EXPECT_EQ(names.results, std::vector<std::string>({"O"}));
  EXPECT_EQ(names.symbols, std::vector<std::string>({"n", "d", "dv"}));
}

TEST(Version, StoreKeySeesBuildAndPlaces) {
  Hash version = versionHash(plainKey());
  EXPECT_NE(storeKey(version, sha256("one")), storeKey(version, sha256("two")));
  EXPECT_NE(storeKey(version, sha256("one")), storeKey(version, sha256("one"), {"g.nova:2:8: %q of @g"}));
  EXPECT_NE(storeKey(version, sha256("one"), {"g.nova:2:8: %q of @g"}),
            storeKey(version, sha256("one"), {"g.nova:3:8: %q of @g"}));
  EXPECT_EQ(&buildId(), &buildId());
  EXPECT_NE(buildId(), Hash());
}

TEST(Tokens, BoundariesCount) {
  auto hash = [](std::vector<std::string> texts) {
    Tokens tokens(Domain::Names);
    for (const std::string &text : texts)
      tokens.text(text);
    return tokens.finish();
  };
  EXPECT_NE(hash({"ab", "c"}), hash({"a", "bc"}));
  EXPECT_NE(hash({"ab"}), hash({"ab", ""}));
  EXPECT_NE(Tokens(Domain::Names).finish(), Tokens(Domain::Version).finish());
  EXPECT_NE(Tokens(Domain::Names).integer(1).finish(), Tokens(Domain::Names).count(1).finish());
  // SHA-256 of "abc", from FIPS 180-2.
  EXPECT_EQ(sha256("abc").hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}
