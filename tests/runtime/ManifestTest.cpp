//===- ManifestTest.cpp - Manifests that break the format -----------------===//

#include "tests/runtime/TestModule.h"

#include <functional>
#include <gmock/gmock.h>

using namespace nova::test;
using testing::HasSubstr;

/// The failure of checking a module with this manifest.
static std::string failure(const Json &manifest) {
  std::string bytes = makeModule(manifest);
  return take(nova_module_check_memory(bytes.data(), bytes.size()));
}

static std::string textFailure(const std::string &manifest) {
  std::string bytes = makeModuleFromText(manifest);
  return take(nova_module_check_memory(bytes.data(), bytes.size()));
}

TEST(Manifest, GoodOnesPass) {
  for (const Json &manifest :
       {scaleManifest(), prefixManifest(), runningManifest(), divideManifest(), prefixBatchManifest(),
        runningBatchManifest(), divideBatchManifest(), linearManifest(), layersManifest(), runningParamManifest(),
        divideParamManifest(), libraryManifest(), faultyManifest()})
    EXPECT_EQ(failure(manifest), "");
}

TEST(Manifest, RefusesOtherTexts) {
  EXPECT_EQ(textFailure(""), "module invalid: the manifest is not JSON");
  EXPECT_EQ(textFailure("{\"format\": 1"), "module invalid: the manifest is not JSON");
  EXPECT_EQ(textFailure(scaleManifest().dump() + "x"), "module invalid: the manifest is not JSON");
  EXPECT_EQ(textFailure(std::string("{\"graph\": \"\xff\"}")), "module invalid: the manifest is not JSON");
  EXPECT_EQ(textFailure("[1]"), "module invalid: manifest, the document: expected an object, found an array");
  EXPECT_EQ(textFailure("{}"), "module invalid: manifest, the document: expected a member \"format\"");
  EXPECT_EQ(textFailure("{\"format\": 1}"), "module invalid: manifest, format: expected 6, found 1");
  EXPECT_THAT(textFailure("{\"format\": 1e400}"), HasSubstr("module invalid"));
  EXPECT_THAT(textFailure("{\"format\": 18446744073709551615}"), HasSubstr("found 18446744073709551615"));
  // Deep nesting must not exhaust the stack.
  EXPECT_THAT(textFailure(std::string(30000, '[') + std::string(30000, ']')), HasSubstr("expected an object"));
}

TEST(Manifest, NamesTheSymbolThatNothingDetermines) {
  Json manifest = scaleManifest();
  manifest["symbols"].push_back("k");
  EXPECT_EQ(failure(manifest), "module invalid: manifest, symbols[2]: no argument determines the symbol k");
}

TEST(Manifest, EveryMemberIsNeeded) {
  const Json good = runningBatchManifest();
  for (const auto &[name, value] : good.items()) {
    Json bad = good;
    bad.erase(name);
    EXPECT_EQ(failure(bad), "module invalid: manifest, the document: expected a member \"" + name + "\"");
  }
  for (const char *place : {"/buffers/1", "/steps/1", "/steps/1/buffers/0"})
    for (const auto &[name, value] : good[Json::json_pointer(place)].items()) {
      Json bad = good;
      bad[Json::json_pointer(place)].erase(name);
      EXPECT_THAT(failure(bad), HasSubstr(": expected a member \"" + name + "\""));
    }
}

TEST(Manifest, FaultsNameOperationsAxesAndRuns) {
  const Json good = faultyManifest();
  auto with = [&](const char *place, Json value) {
    Json bad = good;
    bad[Json::json_pointer(place)] = std::move(value);
    return failure(bad);
  };
  EXPECT_EQ(with("/operations/0/text", ""),
            "module invalid: manifest, operations[0].text: expected a text that is not empty");
  EXPECT_EQ(with("/operations/0/scans", {0}),
            "module invalid: manifest, operations[0].scans[0]: expected an integer in 0 .. -1, found 0");
  EXPECT_EQ(with("/operations/0/scans", Json(std::vector<int>(17, 0))),
            "module invalid: manifest, operations[0].scans: expected at most 16 scans in each other, found 17");
  EXPECT_EQ(with("/steps/1/faults/0/operation", 3),
            "module invalid: manifest, steps[1].faults[0].operation: expected an integer in 0 .. 2, found 3");
  EXPECT_EQ(with("/steps/1/faults/1/operation", -1),
            "module invalid: manifest, steps[1].faults[1].operation: expected an integer in 0 .. 2, found -1");
  EXPECT_EQ(with("/steps/1/faults/0/operation", 2), "");
  Json bad = good;
  bad["steps"][1]["faults"][0]["operation"] = 2;
  bad["steps"][1]["faults"][1]["operation"] = 0;
  EXPECT_EQ(failure(bad), "module invalid: manifest, steps[1].faults[1].operation: expected the operations in their "
                          "order, found 0 after 2");
  EXPECT_EQ(with("/steps/0/faults/0/axes", 65),
            "module invalid: manifest, steps[0].faults[0].axes: expected an integer in 0 .. 64, found 65");
  EXPECT_EQ(with("/steps/0/faults/0/batch", Json::array()), "module invalid: manifest, steps[0].faults[0].batch: "
                                                            "expected one for each axis of the batch, 1, found 0");
  EXPECT_EQ(with("/steps/0/faults/0/batch/0", {0}),
            "module invalid: manifest, steps[0].faults[0].batch[0]: expected an axis and a step, found 1 elements");
  EXPECT_EQ(with("/steps/0/faults/0/batch/0", {2, 1}),
            "module invalid: manifest, steps[0].faults[0].batch[0][0]: expected an integer in 0 .. 1, found 2");
  EXPECT_EQ(
      with("/steps/0/faults/0/batch/0", {0, 0}),
      "module invalid: manifest, steps[0].faults[0].batch[0][1]: expected an integer in 1 .. 2147483647, found 0");
  EXPECT_EQ(with("/steps/0/faults/0/runs", Json::array()),
            "module invalid: manifest, steps[0].faults[0].runs: expected none but in prepare");
  EXPECT_EQ(with("/steps/0/scratch", nullptr),
            "module invalid: manifest, steps[0].faults: expected none for a step without scratch, found 1");
  EXPECT_EQ(with("/steps/0/folds", true),
            "module invalid: manifest, steps[0].faults: expected none for a step that folds, found 1");
  EXPECT_EQ(with("/can_fail", false),
            "module invalid: manifest, steps[0].faults: expected none, as can_fail is false, found 1");
  bad = good;
  bad["scans"] = Json::array({{{"text", "the scan %Y"}, {"first", constantDim(0)}}});
  bad["operations"][1]["scans"] = {0};
  EXPECT_EQ(failure(bad),
            "module invalid: manifest, steps[0].faults[0].operation: expected one in 0 scans, as the step "
            "is, found 1");
}

TEST(Manifest, LibraryTilesNeedScratchAndShapes) {
  const Json good = libraryManifest();
  auto with = [&](const char *member, Json value) {
    Json bad = good;
    bad["steps"][0]["library"][member] = std::move(value);
    return failure(bad);
  };
  EXPECT_EQ(with("contractions", 0),
            "module invalid: manifest, steps[0].library.contractions: expected an integer in 1 .. 65536, found 0");
  EXPECT_EQ(with("shapes", ""), "module invalid: manifest, steps[0].library.shapes: expected a text that is not empty");
  Json bad = good;
  bad["steps"][0]["library"] = 1;
  EXPECT_EQ(failure(bad), "module invalid: manifest, steps[0].library: expected an object, found 1");
  bad = good;
  bad["steps"][0]["scratch"] = nullptr;
  EXPECT_EQ(failure(bad),
            "module invalid: manifest, steps[0].library: expected null for a step without scratch, found an object");
  bad = good;
  bad["steps"][0]["library"] = nullptr;
  EXPECT_EQ(failure(bad), "");
  bad = good;
  bad["steps"][0]["library"]["shapes"] = "shapes_of_nothing";
  std::string bytes = makeModule(bad);
  nova_module_t *module = nullptr;
  EXPECT_EQ(take(nova_module_load_memory(bytes.data(), bytes.size(), nullptr, &module)),
            "module invalid: the module has no symbol shapes_of_nothing, which its manifest names");
}

TEST(Manifest, FoldingNeedsABatchAndScratch) {
  EXPECT_EQ(failure(foldManifest()), "");
  for (const char *member : {"scratch", "batch"}) {
    Json bad = foldManifest();
    Json &step = bad["steps"][0];
    step[member] = member == std::string("batch") ? Json::array() : Json(nullptr);
    if (member == std::string("batch"))
      for (Json &buffer : step["buffers"])
        buffer["strides"] = Json::array();
    EXPECT_EQ(failure(bad),
              "module invalid: manifest, steps[0].folds: expected false for a step without a batch or without "
              "scratch, found true");
    step["folds"] = false;
    EXPECT_EQ(failure(bad), "");
  }
}

TEST(Manifest, SectionsAndWindows) {
  auto with = [](Json sections, Json window) {
    Json manifest = described(runningManifest());
    manifest["steps"][1]["sections"] = std::move(sections);
    manifest["steps"][1]["scratch"] = "scratch_rows";
    manifest["buffers"][1]["window"] = std::move(window);
    return failure(manifest);
  };
  const Json cut = {{"columns", symbolDim("n")}, {"unit", 256}};
  EXPECT_EQ(with({nullptr, cut}, symbolDim("d")), "");
  EXPECT_EQ(with({nullptr, cut}, symbolDim("t")),
            "module invalid: manifest, buffers[1].window: the symbol t of the sequence must not occur here");
  Json empty = cut;
  empty["unit"] = 0;
  EXPECT_EQ(with(Json::array({empty}), constantDim(3)),
            "module invalid: manifest, steps[1].sections[0].unit: expected an integer in 1 .. 4294967296, found 0");
  EXPECT_EQ(with(Json::array({3}), constantDim(3)),
            "module invalid: manifest, steps[1].sections[0]: expected an object, found 3");
  Json manifest = runningManifest();
  manifest["steps"][1]["sections"] = Json::array({cut});
  EXPECT_EQ(failure(manifest),
            "module invalid: manifest, steps[1].sections: expected none for a step without scratch, found 1");
}

TEST(Manifest, WithoutParamsNothingIsPrepared) {
  Json manifest = scaleManifest();
  manifest["prepare"] = Json::array();
  for (Json &argument : manifest["arguments"])
    argument["param"] = false;
  EXPECT_EQ(failure(manifest), "");
}

class OtherKindTest : public testing::TestWithParam<Json (*)()> {};
INSTANTIATE_TEST_SUITE_P(Manifest, OtherKindTest, testing::Values(runningBatchManifest, layersManifest));

TEST_P(OtherKindTest, EveryMemberOfAnotherKindIsRefused) {
  // Replaces every value in the document, one at a time, by values of other kinds: always a message, never a crash.
  const Json good = GetParam()();
  const Json flat = good.flatten();
  int refused = 0;
  for (const auto &[pointer, value] : flat.items())
    for (const Json &other : {Json(nullptr), Json(true), Json(-1), Json(1.5), Json(""), Json(std::string("a\0b", 3)),
                              Json::array(), Json::object()}) {
      Json bad = good;
      bad[Json::json_pointer(pointer)] = other;
      refused += !failure(bad).empty();
    }
  EXPECT_GT(refused, static_cast<int>(flat.size()) * 5);
}

struct BadManifest {
  const char *fault;
  std::function<Json()> make;
  const char *message;
};

class BadManifestTest : public testing::TestWithParam<BadManifest> {};

TEST_P(BadManifestTest, IsRefusedWithItsPlace) {
  EXPECT_EQ(failure(GetParam().make()), std::string("module invalid: manifest, ") + GetParam().message);
}

/// A manifest with one value replaced.
static std::function<Json()> with(Json (*base)(), const char *pointer, Json value) {
  return [=] {
    Json manifest = base();
    manifest[Json::json_pointer(pointer)] = value;
    return manifest;
  };
}

static Json power(const char *symbol, Json exponent) {
  return {{"text", "p"}, {"terms", Json::array({Json::array({1, Json::array({symbol, exponent})})})}};
}

/// The sequence's argument as a scalar that still names an axis.
static std::function<Json()> withoutAxes() { return with(runningManifest, "/arguments/0/dims", Json::array()); }

/// A loop in 16 others.
static std::function<Json()> deepLoops() {
  return [] {
    Json manifest = carryManifest(), loop = manifest["steps"][1];
    for (int i = 0; i < 16; ++i)
      loop = Json{{"repeat", loop["repeat"]}, {"steps", Json::array({loop})}};
    manifest["steps"][1] = loop;
    return manifest;
  };
}

INSTANTIATE_TEST_SUITE_P(
    Manifest, BadManifestTest,
    testing::Values(
        BadManifest{"Hash", with(scaleManifest, "/graph_hash", "ABC"),
                    "graph_hash: expected 64 lower-case hexadecimal digits, found \"ABC\""},
        BadManifest{"NoTargets", with(scaleManifest, "/targets", Json::array()),
                    "targets: expected at least one target"},
        BadManifest{"TargetTwice", with(scaleManifest, "/targets/1", "x86-64-v3"),
                    "targets[1]: the target x86-64-v3 is listed twice"},
        BadManifest{"SymbolTwice", with(scaleManifest, "/symbols/1", "n"), "symbols[1]: the symbol n is listed twice"},
        BadManifest{"SequenceSymbol", with(runningManifest, "/sequence/rows", "q"),
                    "sequence.rows: the symbol q is not in the list of symbols"},
        BadManifest{"SequenceSame", with(runningManifest, "/sequence/rows", "n"),
                    "sequence: expected three different symbols"},
        BadManifest{"UnboundSymbol", with(scaleManifest, "/symbols/2", "k"),
                    "symbols[2]: no argument determines the symbol k"},
        BadManifest{"UnknownSymbol", with(scaleManifest, "/arguments/0/dims/0/terms/0/1/0", "z"),
                    "arguments[0].dims[0].terms[0][1][0]: the symbol z is not in the list of symbols"},
        BadManifest{"Exponent", with(scaleManifest, "/results/0/dims/0", power("n", 63)),
                    "results[0].dims[0].terms[0][1][1]: expected an integer in 1 .. 62, found 63"},
        BadManifest{"ExponentZero", with(scaleManifest, "/results/0/dims/0", power("n", 0)),
                    "results[0].dims[0].terms[0][1][1]: expected an integer in 1 .. 62, found 0"},
        BadManifest{"FactorTwice", with(scaleManifest, "/results/0/dims/0", productDim({"n", "n"})),
                    "results[0].dims[0].terms[0][2]: the symbol n occurs twice in a term"},
        BadManifest{"FactorOfThree", with(scaleManifest, "/results/0/dims/0/terms/0/1", Json::array({"n", 1, 1})),
                    "results[0].dims[0].terms[0][1]: expected a symbol and an exponent, found 3 elements"},
        BadManifest{"ZeroByte", with(scaleManifest, "/graph", std::string("a\0b", 3)),
                    "graph: expected a text without zero bytes"},
        BadManifest{"EmptyTerm", with(scaleManifest, "/results/0/dims/0/terms/0", Json::array()),
                    "results[0].dims[0].terms[0]: expected a coefficient"},
        BadManifest{"NotLinear", with(scaleManifest, "/arguments/0/dims/0", power("n", 2)),
                    "symbols[0]: no argument determines the symbol n"},
        BadManifest{"OwnSymbol", with(runningManifest, "/results/0/dims/1", symbolDim("t")),
                    "results[0].dims[1]: the symbol t of the sequence must not occur here"},
        BadManifest{"Type", with(scaleManifest, "/arguments/0/type", "f8"),
                    "arguments[0].type: expected one of f64, f32, i64, i32, i1, bf16, f16, i8, i4, found \"f8\""},
        BadManifest{"SequenceAxisRange", with(runningManifest, "/arguments/0/sequence_axis", 2),
                    "arguments[0].sequence_axis: expected an integer in 0 .. 1, found 2"},
        BadManifest{"SequenceAxisSize", with(runningManifest, "/arguments/0/sequence_axis", 1),
                    "arguments[0].sequence_axis: expected an axis of size n, found d"},
        BadManifest{"SequenceAxisNone", with(runningManifest, "/arguments/0/sequence_axis", nullptr),
                    "arguments: a sequence needs at least one with a sequence_axis, found none"},
        BadManifest{"SequenceAxisOfAScalar", withoutAxes(),
                    "arguments[0].sequence_axis: expected null for rank 0, found 0"},
        BadManifest{"SequenceAxisWithout", with(scaleManifest, "/arguments/0/sequence_axis", 0),
                    "arguments[0].sequence_axis: expected null in a module without a sequence, found 0"},
        BadManifest{"Relation", with(runningManifest, "/clauses/0/relation", "!="),
                    "clauses[0].relation: expected one of >=, <=, ==, >, <, found \"!=\""},
        BadManifest{"BufferKind", with(scaleManifest, "/buffers/0/kind", "magic"),
                    "buffers[0].kind: expected argument, result, temporary, state, next, prepared or "
                    "constant, found \"magic\""},
        BadManifest{"BufferIndex", with(scaleManifest, "/buffers/0/index", 1),
                    "buffers[0].index: expected an integer in 0 .. 0, found 1"},
        BadManifest{"StateWithoutSequence", with(prefixManifest, "/buffers/1/kind", "state"),
                    "buffers[1].kind: a state needs a module with a sequence"},
        BadManifest{"StepBuffer", with(scaleManifest, "/steps/0/buffers/1/buffer", 2),
                    "steps[0].buffers[1].buffer: expected an integer in 0 .. 1, found 2"},
        BadManifest{"StepBlock", with(scaleManifest, "/steps/0/block", 0),
                    "steps[0].block: expected an integer in 1 .. 9223372036854775807, found 0"},
        BadManifest{"StepOrder", with(scaleManifest, "/steps/0/order", "random"),
                    "steps[0].order: expected ascending or descending, found \"random\""},
        BadManifest{"StepTarget", with(scaleManifest, "/steps/0/entry", Json{{"x86-64-v3", "scale_v3"}}),
                    "steps[0].entry: expected a member \"x86-64-v4\""},
        BadManifest{"Count", with(prefixManifest, "/buffers/1/count", 1),
                    "buffers[1].count: expected an object, found 1"},
        BadManifest{"CountSymbol", with(prefixManifest, "/buffers/1/count", symbolDim("z")),
                    "buffers[1].count.terms[0][1][0]: the symbol z is not in the list of symbols"},
        BadManifest{"StateCountWhole", with(runningBatchManifest, "/buffers/1/count", productDim({"B", "n"})),
                    "buffers[1].count: the symbol n of the sequence must not occur here"},
        BadManifest{"StateCountRows", with(runningBatchManifest, "/buffers/1/count", symbolDim("m")),
                    "buffers[1].count: the symbol m of the sequence must not occur here"},
        BadManifest{"StateCountPast", with(runningBatchManifest, "/buffers/1/count", symbolDim("t")),
                    "buffers[1].count: the symbol t of the sequence must not occur here"},
        BadManifest{"BatchKind", with(scaleManifest, "/steps/0/batch", nullptr),
                    "steps[0].batch: expected an array, found null"},
        BadManifest{"BatchElement", with(divideBatchManifest, "/steps/0/batch/0", 4),
                    "steps[0].batch[0]: expected an object, found 4"},
        BadManifest{"BatchSymbol", with(divideBatchManifest, "/steps/0/batch/0", symbolDim("z")),
                    "steps[0].batch[0].terms[0][1][0]: the symbol z is not in the list of symbols"},
        BadManifest{"BatchLong", with(scaleManifest, "/steps/0/batch", Json(65, symbolDim("n"))),
                    "steps[0].batch: expected at most 64 axes, found 65"},
        BadManifest{"JoinsKind", with(scaleManifest, "/steps/0/joins", "yes"),
                    "steps[0].joins: expected true or false, found \"yes\""},
        BadManifest{"JoinsNothing", with(scaleManifest, "/steps/0/joins", true),
                    "steps[0].joins: expected false, as no step is before the first"},
        BadManifest{"JoinsAnother", with(divideBatchManifest, "/steps/0/batch/0", symbolDim("n")),
                    "steps[1].joins: expected false, as the batch differs from that of the step before"},
        BadManifest{"JoinsLonger", with(prefixBatchManifest, "/steps/3/joins", true),
                    "steps[3].joins: expected false, as the batch differs from that of the step before"},
        BadManifest{"StepBufferKind", with(scaleManifest, "/steps/0/buffers/0", 0),
                    "steps[0].buffers[0]: expected an object, found 0"},
        BadManifest{"StepBufferNegative", with(scaleManifest, "/steps/0/buffers/0/buffer", -1),
                    "steps[0].buffers[0].buffer: expected an integer in 0 .. 1, found -1"},
        BadManifest{"Unit", with(divideBatchManifest, "/steps/0/buffers/2/unit", "rows"),
                    "steps[0].buffers[2].unit: expected bytes or matrix, found \"rows\""},
        BadManifest{
            "UnitOfAnArgument", with(divideBatchManifest, "/steps/0/buffers/0/unit", "matrix"),
            "steps[0].buffers[0].unit: expected bytes, as only temporaries, states and prepared buffers consist of "
            "matrices"},
        BadManifest{
            "UnitOfAResult", with(scaleManifest, "/steps/0/buffers/1/unit", "matrix"),
            "steps[0].buffers[1].unit: expected bytes, as only temporaries, states and prepared buffers consist of "
            "matrices"},
        BadManifest{"StridesFew", with(prefixBatchManifest, "/steps/0/buffers/0/strides", Json::array()),
                    "steps[0].buffers[0].strides: expected one for each axis of the batch, 2, found 0"},
        BadManifest{"StridesMany", with(scaleManifest, "/steps/0/buffers/0/strides", Json::array({symbolDim("n")})),
                    "steps[0].buffers[0].strides: expected one for each axis of the batch, 0, found 1"},
        BadManifest{"StrideElement", with(divideBatchManifest, "/steps/0/buffers/1/strides/0", 8),
                    "steps[0].buffers[1].strides[0]: expected an object, found 8"},
        BadManifest{"StrideSymbol", with(divideBatchManifest, "/steps/0/buffers/1/strides/0", symbolDim("z")),
                    "steps[0].buffers[1].strides[0].terms[0][1][0]: the symbol z is not in the list of symbols"},
        BadManifest{"ParamKind", with(linearManifest, "/arguments/0/param", 1),
                    "arguments[0].param: expected true or false, found 1"},
        BadManifest{"ParamSequenceAxis", with(runningManifest, "/arguments/0/param", true),
                    "arguments[0].sequence_axis: expected null for a param, found 0"},
        BadManifest{"PreparedWithoutParam", with(prefixManifest, "/buffers/1/kind", "prepared"),
                    "buffers[1].kind: a prepared buffer needs a module with a param"},
        BadManifest{"PreparedBytes", with(linearManifest, "/buffers/3/bytes", nullptr),
                    "buffers[3].bytes: expected a text, found null"},
        BadManifest{"PreparedName", with(linearManifest, "/buffers/3/name", ""),
                    "buffers[3].name: expected a text that is not empty"},
        BadManifest{"PreparedCount", with(linearManifest, "/buffers/3/count", symbolDim("n")),
                    "buffers[3].count: no param has the size n"},
        BadManifest{"PreparedSizeOfTheSequence", with(runningParamManifest, "/arguments/1/dims/0", symbolDim("n")),
                    "prepare[0].rows: no param has the size d"},
        BadManifest{"PreparedCountProduct", with(layersManifest, "/buffers/1/count", productDim({"L", "n"})),
                    "buffers[1].count: no param has the size n"},
        BadManifest{"PrepareKind", with(linearManifest, "/prepare", nullptr), "prepare: expected an array, found null"},
        BadManifest{"PrepareWithoutParam", with(scaleManifest, "/prepare/0", scaleManifest()["steps"][0]),
                    "prepare: expected no steps in a module without a param, found 1"},
        BadManifest{"PrepareRows", with(linearManifest, "/prepare/0/rows", symbolDim("n")),
                    "prepare[0].rows: no param has the size n"},
        BadManifest{"PrepareBatch", with(layersManifest, "/prepare/0/batch/0", productDim({"n", "c"})),
                    "prepare[0].batch[0]: no param has the size n"},
        BadManifest{"PrepareStride", with(layersManifest, "/prepare/0/buffers/0/strides/0", symbolDim("n")),
                    "prepare[0].buffers[0].strides[0]: no param has the size n"},
        BadManifest{"PrepareJoinsNothing", with(linearManifest, "/prepare/0/joins", true),
                    "prepare[0].joins: expected false, as no step is before the first"},
        BadManifest{"StepJoinsPrepare", with(linearManifest, "/steps/0/joins", true),
                    "steps[0].joins: expected false, as no step is before the first"},
        BadManifest{"PrepareArgument", with(linearManifest, "/prepare/0/buffers/0/buffer", 1),
                    "prepare[0].buffers[0].buffer: expected a param, a constant or a prepared buffer, found 1, which "
                    "there is only in a run"},
        BadManifest{"PrepareResult", with(linearManifest, "/prepare/1/buffers/0/buffer", 6),
                    "prepare[1].buffers[0].buffer: expected a param, a constant or a prepared buffer, found 6, which "
                    "there is only in a run"},
        BadManifest{"PrepareState", with(runningParamManifest, "/prepare/0/buffers/1/buffer", 1),
                    "prepare[0].buffers[1].buffer: expected a param, a constant or a prepared buffer, found 1, which "
                    "there is only in a run"},
        BadManifest{"PreparedUnfilled", with(linearManifest, "/prepare", Json::array()),
                    "steps[0].buffers[1].buffer: no step of prepare is given the buffer turned"},
        BadManifest{"PreparedMissing", with(linearManifest, "/prepare/1/buffers", Json::array()),
                    "steps[1].buffers[0].buffer: no step of prepare is given the buffer counter"},
        BadManifest{"LoopCount", with(carryManifest, "/steps/1/repeat", 3),
                    "steps[1].repeat: expected an object, found 3"},
        BadManifest{"LoopsInEachOther", deepLoops(),
                    "steps[1].steps[0].steps[0].steps[0].steps[0].steps[0].steps[0].steps[0].steps[0].steps[0].steps[0]"
                    ".steps[0].steps[0].steps[0].steps[0].steps[0].steps[0]: expected at most 16 loops in each other"},
        BadManifest{"LoopSteps", with(carryManifest, "/steps/1/steps", nullptr),
                    "steps[1].steps: expected an array, found null"},
        BadManifest{"LoopStridesMissing", with(carryManifest, "/steps/1/steps/0/buffers/0", stepBuffer(1)),
                    "steps[1].steps[0].buffers[0]: expected a member \"loops\""},
        BadManifest{
            "LoopStridesCount",
            with(carryManifest, "/steps/1/steps/1/steps/0/buffers/0/loops/strides/2", constantDim(0)),
            "steps[1].steps[1].steps[0].buffers[0].loops.strides: expected one for each loop around the step, 2, "
            "found 3"},
        BadManifest{"LoopUnit", with(carryManifest, "/steps/1/steps/1/steps/0/buffers/0/loops/unit", "rows"),
                    "steps[1].steps[1].steps[0].buffers[0].loops.unit: expected bytes or matrix, found \"rows\""},
        BadManifest{"LoopMatricesOfAnArgument",
                    with(carryManifest, "/steps/1/steps/0/buffers/0",
                         Json{{"buffer", 0},
                              {"unit", "bytes"},
                              {"strides", Json::array()},
                              {"loops", {{"unit", "matrix"}, {"strides", {constantDim(0)}}}}}),
                    "steps[1].steps[0].buffers[0].loops.unit: expected bytes, as only temporaries, states and prepared "
                    "buffers consist of matrices"},
        BadManifest{"LoopJoinsNothing", with(carryManifest, "/steps/1/steps/0/joins", true),
                    "steps[1].steps[0].joins: expected false, as no step is before the first"},
        BadManifest{"StepJoinsALoop", with(carryManifest, "/steps/2/joins", true),
                    "steps[2].joins: expected false, as no step is before the first"},
        BadManifest{"NextOfNothing", with(carryManifest, "/buffers/2/of", 2),
                    "buffers[2].of: expected an integer in 0 .. 1, found 2"},
        BadManifest{"NextOfAnArgument", with(carryManifest, "/buffers/2/of", 0), "buffers[2].of: expected a state"},
        BadManifest{"NextCount", with(carryManifest, "/buffers/2/count", constantDim(1)),
                    "buffers[2].count: expected that of the state, L, found 1"},
        BadManifest{"NextTwice", with(carryManifest, "/buffers/3", carryManifest()["buffers"][2]),
                    "buffers[3].of: the state carries has a next buffer already"},
        BadManifest{"ResultUnwritten", with(scaleManifest, "/steps", Json::array()),
                    "results[0]: no step writes the result O"}),
    [](const testing::TestParamInfo<BadManifest> &info) { return info.param.fault; });
