//===- EntryCheckTest.cpp - Shapes at the call ----------------------------===//

#include "tests/runtime/TestModule.h"

#include <climits>
#include <gmock/gmock.h>

using namespace nova::test;
using testing::HasSubstr;

/// Two arguments over the same symbols, as attention has them: Q[n, d], K[n, d] -> O[n, d].
static Json pairManifest() {
  Json manifest = scaleManifest();
  manifest["arguments"].push_back(manifest["arguments"][0]);
  manifest["arguments"][1]["name"] = "K";
  return manifest;
}

/// nova_module_infer for shapes without data, as text: "" or the failure; `found` gets the result's sizes.
static std::string infer(const Json &manifest, std::vector<std::vector<int64_t>> shapes,
                         std::vector<int64_t> *found = nullptr, nova_type_t type = NOVA_F32) {
  ModulePtr module = load(manifest);
  std::vector<nova_tensor_t> arguments;
  for (const std::vector<int64_t> &shape : shapes)
    arguments.push_back({type, static_cast<int32_t>(shape.size()), shape.data(), nullptr});
  std::vector<int64_t> sizes(2, -7);
  int64_t *resultDims[] = {sizes.data()};
  std::string text =
      take(nova_module_infer(module.get(), nullptr, nullptr, arguments.data(), arguments.size(), resultDims));
  if (text.empty() && found)
    *found = sizes;
  if (!text.empty())
    EXPECT_EQ(sizes, std::vector<int64_t>(2, -7)) << "written in spite of a failure";
  return text;
}

TEST(EntryCheck, InfersResultShapes) {
  std::vector<int64_t> sizes;
  for (std::vector<int64_t> shape : {std::vector<int64_t>{3, 2}, {0, 5}, {5, 0}, {1, 1}, {0, 0}}) {
    EXPECT_EQ(infer(scaleManifest(), {shape}, &sizes), "");
    EXPECT_EQ(sizes, shape);
  }
}

TEST(EntryCheck, NamesArgumentAxisExpectedOriginAndFound) {
  EXPECT_EQ(infer(pairManifest(), {{3, 2}, {2, 2}}),
            "shape mismatch: argument K, axis 0: expected n = 3 (from argument Q, axis 0), found 2");
  EXPECT_EQ(infer(pairManifest(), {{3, 2}, {3, 7}}),
            "shape mismatch: argument K, axis 1: expected d = 2 (from argument Q, axis 1), found 7");
}

TEST(EntryCheck, RefusesTypeRankCountAndNegativeSizes) {
  EXPECT_EQ(infer(scaleManifest(), {{3, 2}}, nullptr, NOVA_F64),
            "shape mismatch: argument Q: expected type f32, found f64");
  EXPECT_EQ(infer(scaleManifest(), {{3, 2}}, nullptr, static_cast<nova_type_t>(99)),
            "shape mismatch: argument Q: expected type f32, found no element type");
  EXPECT_EQ(infer(scaleManifest(), {{3}}), "shape mismatch: argument Q: expected rank 2, found 1");
  EXPECT_EQ(infer(scaleManifest(), {{3, -1}}),
            "shape mismatch: argument Q, axis 1: expected a size of 0 or more, found -1");
  EXPECT_EQ(infer(scaleManifest(), {}), "invalid argument: expected 1 arguments, found 0");
  EXPECT_EQ(infer(scaleManifest(), {{1, 1}, {1, 1}}), "invalid argument: expected 1 arguments, found 2");
}

TEST(EntryCheck, RefusesSizesThatOverflow) {
  EXPECT_EQ(infer(scaleManifest(), {{INT64_MAX, 2}}),
            "shape mismatch: argument Q: its size in bytes is more than 63 bits hold");
  EXPECT_EQ(infer(scaleManifest(), {{INT64_C(1) << 31, INT64_C(1) << 31}}),
            "shape mismatch: argument Q: its size in bytes is more than 63 bits hold");
  EXPECT_EQ(infer(scaleManifest(), {{INT64_MAX, 0}}), ""); // no elements, no bytes
}

// Two entries to a byte, rows begin at bytes.
TEST(EntryCheck, CountsTheBytesOfPackedRows) {
  Json manifest = scaleManifest();
  manifest["arguments"][0]["type"] = manifest["results"][0]["type"] = "i4";
  EXPECT_EQ(infer(manifest, {{INT64_MAX, 2}}, nullptr, NOVA_I4), "");
  EXPECT_EQ(infer(manifest, {{INT64_MAX, 3}}, nullptr, NOVA_I4),
            "shape mismatch: argument Q: its size in bytes is more than 63 bits hold");
  EXPECT_EQ(infer(manifest, {{3, INT64_MAX}}, nullptr, NOVA_I4),
            "shape mismatch: argument Q: its size in bytes is more than 63 bits hold");
  EXPECT_EQ(infer(manifest, {{1, INT64_MAX}}, nullptr, NOVA_I4), "");
  EXPECT_EQ(infer(manifest, {{INT64_MAX, 0}}, nullptr, NOVA_I4), "");
}

TEST(EntryCheck, ChecksClauses) {
  Json manifest = scaleManifest();
  auto clause = [&](const char *text, Json lhs, const char *relation, Json rhs) {
    manifest["clauses"] = Json::array({Json{{"text", text}, {"lhs", lhs}, {"relation", relation}, {"rhs", rhs}}});
  };
  clause("d >= 1", symbolDim("d"), ">=", constantDim(1));
  EXPECT_EQ(infer(manifest, {{2, 0}}), "shape mismatch: clause d >= 1 does not hold: d = 0");
  EXPECT_EQ(infer(manifest, {{0, 1}}), "");
  clause("n < d", symbolDim("n"), "<", symbolDim("d"));
  EXPECT_EQ(infer(manifest, {{2, 2}}), "shape mismatch: clause n < d does not hold: n = 2, d = 2");
  EXPECT_EQ(infer(manifest, {{1, 2}}), "");
  clause("n > d", symbolDim("n"), ">", symbolDim("d"));
  EXPECT_THAT(infer(manifest, {{2, 2}}), HasSubstr("does not hold"));
  EXPECT_EQ(infer(manifest, {{3, 2}}), "");
  clause("n <= d", symbolDim("n"), "<=", symbolDim("d"));
  EXPECT_THAT(infer(manifest, {{3, 2}}), HasSubstr("does not hold"));
  EXPECT_EQ(infer(manifest, {{2, 2}}), "");
  clause("n * d == 6", productDim({"n", "d"}), "==", constantDim(6));
  EXPECT_EQ(infer(manifest, {{2, 2}}), "shape mismatch: clause n * d == 6 does not hold: n = 2, d = 2");
  EXPECT_EQ(infer(manifest, {{2, 3}}), "");
}

TEST(EntryCheck, ClausesThatOverflowAreRefused) {
  Json manifest = scaleManifest();
  Json cube = symbolDim("d");
  cube["terms"][0][1][1] = 62;
  manifest["clauses"] =
      Json::array({Json{{"text", "d^62 >= 0"}, {"lhs", cube}, {"relation", ">="}, {"rhs", constantDim(0)}}});
  EXPECT_EQ(infer(manifest, {{1, 4}}), "shape mismatch: clause d^62 >= 0: a side is more than 63 bits hold: d = 4");
  EXPECT_EQ(infer(manifest, {{1, 1}}), "");
}

/// Q[H, H * D + 1] -> O[n, d] with n := H, d := D.
static Json productManifest() {
  Json manifest = scaleManifest();
  manifest["symbols"] = {"H", "D"};
  Json size = productDim({"H", "D"});
  size["text"] = "H * D + 1";
  size["terms"].push_back(Json::array({1}));
  manifest["arguments"][0]["dims"] = {symbolDim("H"), size};
  manifest["results"][0]["dims"] = {symbolDim("H"), symbolDim("D")};
  manifest["steps"][0]["rows"] = symbolDim("H");
  return manifest;
}

TEST(EntryCheck, SolvesForSymbolsInsideProducts) {
  std::vector<int64_t> sizes;
  EXPECT_EQ(infer(productManifest(), {{3, 13}}, &sizes), "");
  EXPECT_EQ(sizes, (std::vector<int64_t>{3, 4}));
  EXPECT_EQ(infer(productManifest(), {{3, 1}}, &sizes), "");
  EXPECT_EQ(sizes, (std::vector<int64_t>{3, 0}));
  EXPECT_EQ(infer(productManifest(), {{3, 12}}),
            "shape mismatch: argument Q, axis 1: expected H * D + 1 for a size D of "
            "0 or more, found 12, where H = 3");
  EXPECT_EQ(infer(productManifest(), {{3, 0}}),
            "shape mismatch: argument Q, axis 1: expected H * D + 1 for a size D of "
            "0 or more, found 0, where H = 3");
  EXPECT_EQ(infer(productManifest(), {{0, 1}}),
            "shape mismatch: argument Q, axis 1: H * D + 1 does not determine D, where H = 0");
}

TEST(EntryCheck, NamesTheValuesOfAnExpression) {
  Json manifest = pairManifest();
  manifest["arguments"][1]["dims"][1] = productDim({"n", "d"});
  EXPECT_EQ(
      infer(manifest, {{3, 2}, {3, 5}}),
      "shape mismatch: argument K, axis 1: expected n * d = 6 (n = 3 from argument Q, axis 0, d = 2 from argument Q, "
      "axis 1), found 5");
  manifest["arguments"][1]["dims"][1] = constantDim(4);
  EXPECT_EQ(infer(manifest, {{3, 2}, {3, 5}}), "shape mismatch: argument K, axis 1: expected 4, found 5");
}

TEST(EntryCheck, ResultsMustFit) {
  ModulePtr module = load(scaleManifest());
  ContextPtr context = makeContext(1);
  Tensor<float> in({3, 2}), wrong({2, 2}), flat({6});
  Tensor<double> wide({3, 2});
  auto attempt = [&](nova_tensor_t result) {
    return run(context.get(), {{module.get(), nullptr, {in.view()}, {result}}});
  };
  EXPECT_EQ(attempt(wrong.view()), "shape mismatch: result O, axis 0: expected n = 3, found 2");
  EXPECT_EQ(attempt(flat.view()), "shape mismatch: result O: expected rank 2, found 1");
  EXPECT_EQ(attempt(wide.view()), "shape mismatch: result O: expected type f32, found f64");
  EXPECT_EQ(run(context.get(), {{module.get(), nullptr, {in.view()}, {}}}),
            "invalid argument: expected 1 results, found 0");
}

TEST(EntryCheck, NegativeResultSizesAreRefused) {
  Json manifest = scaleManifest();
  Json less = symbolDim("n");
  less["text"] = "n - 3";
  less["terms"].push_back(Json::array({-3}));
  manifest["results"][0]["dims"][0] = less;
  EXPECT_EQ(infer(manifest, {{2, 2}}), "shape mismatch: result O, axis 0: expected n - 3 to be 0 or more, found -1");
}

TEST(EntryCheck, PointersAreChecked) {
  ModulePtr module = load(scaleManifest());
  ContextPtr context = makeContext(1);
  Tensor<float> in({2, 2}), out({2, 2});
  nova_tensor_t noData = in.view(), noDims = in.view(), crooked = in.view();
  noData.data = nullptr;
  noDims.dims = nullptr;
  crooked.data = reinterpret_cast<char *>(crooked.data) + 1;
  auto attempt = [&](nova_tensor_t argument) {
    return run(context.get(), {{module.get(), nullptr, {argument}, {out.view()}}});
  };
  EXPECT_EQ(attempt(noData), "invalid argument: argument Q: data is null");
  EXPECT_EQ(attempt(noDims), "invalid argument: argument Q: dims is null");
  EXPECT_EQ(attempt(crooked), "invalid argument: argument Q: expected data aligned to 4 bytes");
  EXPECT_EQ(run(context.get(), {{nullptr, nullptr, {in.view()}, {out.view()}}}),
            "invalid argument: the module is null");
  nova_run_t lists{module.get(), nullptr, nullptr, nullptr, 1, nullptr, 1};
  EXPECT_EQ(take(nova_run(context.get(), &lists, 1)), "invalid argument: the array of arguments is null");
  EXPECT_EQ(take(nova_run(context.get(), nullptr, 1)), "invalid argument: runs is null");
  EXPECT_EQ(take(nova_run(nullptr, &lists, 1)), "invalid argument: context is null");
  EXPECT_EQ(take(nova_run(context.get(), nullptr, 0)), "");
}

TEST(EntryCheck, ResultsShareMemoryWithNothing) {
  ModulePtr module = load(scaleManifest());
  ContextPtr context = makeContext(1);
  Tensor<float> memory({8, 2});
  std::vector<int64_t> dims{4, 2};
  auto at = [&](size_t element) { return nova_tensor_t{NOVA_F32, 2, dims.data(), memory.data.data() + element}; };
  EXPECT_EQ(run(context.get(), {{module.get(), nullptr, {at(0)}, {at(0)}}}),
            "invalid argument: result O of run 0 shares memory with argument Q of run 0");
  EXPECT_THAT(run(context.get(), {{module.get(), nullptr, {at(0)}, {at(7)}}}), HasSubstr("shares memory"));
  EXPECT_THAT(run(context.get(), {{module.get(), nullptr, {at(7)}, {at(0)}}}), HasSubstr("shares memory"));
  EXPECT_EQ(run(context.get(), {{module.get(), nullptr, {at(0)}, {at(8)}}}), "");

  Tensor<float> in({4, 2}), out({4, 2});
  EXPECT_EQ(run(context.get(),
                {{module.get(), nullptr, {in.view()}, {at(0)}}, {module.get(), nullptr, {in.view()}, {at(4)}}}),
            "invalid argument: result O of run 1 shares memory with result O of run 0");
  EXPECT_THAT(run(context.get(),
                  {{module.get(), nullptr, {in.view()}, {at(0)}}, {module.get(), nullptr, {at(4)}, {out.view()}}}),
              HasSubstr("result O of run 0 shares memory with argument Q of run 1"));
  EXPECT_EQ(run(context.get(),
                {{module.get(), nullptr, {in.view()}, {at(0)}}, {module.get(), nullptr, {in.view()}, {out.view()}}}),
            ""); // arguments may be shared
}

TEST(EntryCheck, NamesTheRun) {
  ModulePtr module = load(scaleManifest());
  ContextPtr context = makeContext(2);
  Tensor<float> in({2, 2}, 5), good({2, 2}, -1), bad({3, 2});
  EXPECT_EQ(run(context.get(), {{module.get(), nullptr, {in.view()}, {good.view()}},
                                {module.get(), nullptr, {in.view()}, {bad.view()}}}),
            "shape mismatch: run 1, result O, axis 0: expected n = 2, found 3");
  EXPECT_EQ(good.data, std::vector<float>(4, -1)) << "something ran before everything was checked";
}
