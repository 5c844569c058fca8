//===- TestModule.cpp -----------------------------------------------------===//

#include "tests/runtime/TestModule.h"
#include "runtime/core/Digest.h"
#include "runtime/core/ElfFile.h"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

namespace nova::test {

Json symbolDim(const std::string &name) {
  return {{"text", name}, {"terms", Json::array({Json::array({1, Json::array({name, 1})})})}};
}

Json constantDim(int64_t value) {
  Json terms = Json::array();
  if (value != 0)
    terms.push_back(Json::array({value}));
  return {{"text", std::to_string(value)}, {"terms", terms}};
}

Json productDim(const std::vector<std::string> &symbols, int64_t coefficient) {
  Json term = Json::array({coefficient});
  std::string text = coefficient == 1 ? "" : std::to_string(coefficient);
  for (const std::string &symbol : symbols) {
    term.push_back(Json::array({symbol, 1}));
    text += (text.empty() ? "" : " * ") + symbol;
  }
  return {{"text", text}, {"terms", Json::array({term})}};
}

Json stepBuffer(int buffer, Json strides, const char *unit) {
  return {{"buffer", buffer}, {"unit", unit}, {"strides", std::move(strides)}};
}

Json stepBuffers(const std::vector<int> &buffers) {
  Json list = Json::array();
  for (int buffer : buffers)
    list.push_back(stepBuffer(buffer));
  return list;
}

static Json port(const char *name, const char *type, Json dims, Json sequenceAxis = nullptr) {
  return {{"name", name}, {"type", type}, {"dims", std::move(dims)}, {"sequence_axis", std::move(sequenceAxis)}};
}

static Json argumentBuffer(int index) { return {{"kind", "argument"}, {"index", index}}; }
static Json resultBuffer(int index) { return {{"kind", "result"}, {"index", index}}; }

static Json memoryBuffer(const char *kind, const char *name, const char *bytes, Json count) {
  return {{"kind", kind}, {"name", name}, {"bytes", bytes}, {"count", std::move(count)}};
}

static Json step(const char *kernel, Json rows, int64_t block, const char *order, Json buffers,
                 Json scratch = nullptr) {
  return {{"kernel", kernel},
          {"entry", {{"x86-64-v3", kernel}, {"x86-64-v4", kernel}}},
          {"rows", std::move(rows)},
          {"block", block},
          {"order", order},
          {"batch", Json::array()},
          {"joins", false},
          {"buffers", std::move(buffers)},
          {"scratch", std::move(scratch)}};
}

static Json baseManifest(const char *graph, Json symbols) {
  return {{"format", 6},
          {"graph", graph},
          {"graph_hash", std::string(64, '1')},
          {"semantic_hash", std::string(64, '2')},
          {"version_hash", std::string(64, '3')},
          {"compiler", "0.1.0"},
          {"contract", "exact"},
          {"targets", {"x86-64-v3", "x86-64-v4"}},
          {"symbols", std::move(symbols)},
          {"sequence", nullptr},
          {"can_fail", false},
          {"clauses", Json::array()}};
}

Json scaleManifest() {
  Json manifest = baseManifest("test.scale", {"n", "d"});
  manifest["arguments"] = Json::array({port("Q", "f32", {symbolDim("n"), symbolDim("d")})});
  manifest["results"] = Json::array({port("O", "f32", {symbolDim("n"), symbolDim("d")})});
  manifest["buffers"] = {argumentBuffer(0), resultBuffer(0)};
  manifest["steps"] = Json::array({step("scale", symbolDim("n"), 4, "ascending", stepBuffers({0, 1}))});
  manifest["steps"][0]["entry"] = {{"x86-64-v3", "scale_v3"}, {"x86-64-v4", "scale_v4"}};
  return manifest;
}

Json prefixManifest() {
  Json manifest = baseManifest("test.prefix", {"n", "d"});
  manifest["arguments"] = Json::array({port("Q", "f64", {symbolDim("n"), symbolDim("d")})});
  manifest["results"] = {port("total", "f64", Json::array({constantDim(1)})),
                         port("prefix", "f64", Json::array({symbolDim("n")}))};
  manifest["buffers"] = {argumentBuffer(0), memoryBuffer("temporary", "sums", "bytes_n", constantDim(1)),
                         resultBuffer(1), resultBuffer(0)};
  manifest["steps"] = {step("rowsum", symbolDim("n"), 3, "ascending", stepBuffers({0, 1}), "scratch_rows"),
                       step("prefix", symbolDim("n"), 5, "descending", stepBuffers({1, 2})),
                       step("last", constantDim(1), 1, "ascending", stepBuffers({2, 3}))};
  return manifest;
}

Json runningManifest() {
  Json manifest = baseManifest("test.running", {"n", "d", "m", "t"});
  manifest["sequence"] = {{"symbol", "n"}, {"rows", "m"}, {"past", "t"}};
  manifest["arguments"] = {port("X", "f64", {symbolDim("n"), symbolDim("d")}, 0),
                           port("w", "f64", Json::array({symbolDim("d")}))};
  manifest["results"] = Json::array({port("O", "f64", {symbolDim("n"), symbolDim("d")}, 0)});
  manifest["clauses"] =
      Json::array({{{"text", "d >= 1"}, {"lhs", symbolDim("d")}, {"relation", ">="}, {"rhs", constantDim(1)}}});
  manifest["buffers"] = {argumentBuffer(0), memoryBuffer("state", "rows", "bytes_state", constantDim(1)),
                         argumentBuffer(1), resultBuffer(0)};
  manifest["steps"] = {step("append", symbolDim("m"), 16, "ascending", stepBuffers({0, 1})),
                       step("running", symbolDim("m"), 4, "descending", stepBuffers({1, 2, 3}))};
  return manifest;
}

Json described(Json manifest) {
  for (Json &buffer : manifest["buffers"])
    if (buffer["kind"] == "state")
      buffer.update({{"layout", "rows"}, {"type", "f64"}, {"dims", {symbolDim("n"), symbolDim("d")}}});
  return manifest;
}

/// A buffer with new rows of so many bytes each.
static Json rowBuffer(Json buffer, Json row) {
  buffer["row"] = std::move(row);
  return buffer;
}

Json raggedManifest() {
  Json manifest = runningManifest();
  Json row = productDim({"d"}, 8);
  manifest["graph"] = "test.ragged";
  manifest["ragged"] = true;
  manifest["results"].push_back(port("mates", "i64", Json::array({symbolDim("n")}), 0));
  manifest["buffers"] = {rowBuffer(argumentBuffer(0), row),
                         memoryBuffer("state", "rows", "bytes_state", constantDim(1)),
                         argumentBuffer(1),
                         rowBuffer(resultBuffer(0), row),
                         rowBuffer(memoryBuffer("temporary", "copy", "bytes_md", constantDim(1)), row),
                         rowBuffer(resultBuffer(1), constantDim(8))};
  manifest["steps"] = {step("keep", productDim({"m", "d"}), 8, "ascending", stepBuffers({0, 4})),
                       step("append", symbolDim("m"), 16, "ascending", stepBuffers({4, 1})),
                       step("running", symbolDim("m"), 4, "descending", stepBuffers({1, 2, 3})),
                       step("together", symbolDim("m"), 16, "ascending", stepBuffers({5}))};
  manifest["steps"][1]["apart"] = manifest["steps"][2]["apart"] = true;
  return manifest;
}

Json divideManifest() {
  Json manifest = baseManifest("test.divide", Json::array({"n"}));
  manifest["can_fail"] = true;
  manifest["arguments"] = {port("a", "i64", Json::array({symbolDim("n")})),
                           port("b", "i64", Json::array({symbolDim("n")}))};
  manifest["results"] = {port("quotient", "i64", Json::array({symbolDim("n")})),
                         port("rest", "i64", Json::array({symbolDim("n")}))};
  manifest["buffers"] = {argumentBuffer(0), argumentBuffer(1), resultBuffer(0), resultBuffer(1)};
  manifest["steps"] = {step("divide", symbolDim("n"), 4, "ascending", stepBuffers({0, 1, 2, 3})),
                       step("increment", symbolDim("n"), 4, "ascending", stepBuffers({3}))};
  return manifest;
}

/// A step for every instance of a batch.
static Json batched(Json step, Json batch, bool joins) {
  step["batch"] = std::move(batch);
  step["joins"] = joins;
  return step;
}

Json faultyManifest() {
  Json manifest = baseManifest("test.faulty", {"n", "H"});
  Json shape = {symbolDim("H"), symbolDim("n")}, batch = Json::array({symbolDim("H")});
  Json strides = Json::array({productDim({"n"}, 8)});
  manifest["can_fail"] = true;
  manifest["operations"] = Json::array();
  for (const char *text : {"%p of @f", "%q of @f", "%r of @g"})
    manifest["operations"].push_back({{"text", text}, {"scans", Json::array()}});
  manifest["arguments"] = {port("a", "i64", shape), port("b", "i64", shape)};
  manifest["results"] = {port("first", "i64", shape), port("second", "i64", shape)};
  manifest["buffers"] = {argumentBuffer(0), argumentBuffer(1), resultBuffer(0), resultBuffer(1)};
  auto copy = [&](int from, int to, const std::vector<int> &operations) {
    Json copied = batched(step("faulty", symbolDim("n"), 4, "ascending",
                               {stepBuffer(from, strides), stepBuffer(to, strides)}, "scratch_faulty"),
                          batch, false);
    copied["faults"] = Json::array();
    for (int operation : operations)
      copied["faults"].push_back(
          {{"operation", operation}, {"axes", 2}, {"batch", Json::array({Json::array({0, 1})})}});
    return copied;
  };
  manifest["steps"] = {copy(0, 2, {1}), copy(1, 3, {0, 2})};
  return manifest;
}

Json raggedFaultyManifest() {
  Json manifest = baseManifest("test.ragged_faulty", {"n", "m", "t"});
  manifest["sequence"] = {{"symbol", "n"}, {"rows", "m"}, {"past", "t"}};
  manifest["can_fail"] = manifest["ragged"] = true;
  manifest["operations"] = Json::array({{{"text", "%p of @f"}, {"scans", Json::array()}}});
  manifest["arguments"] = Json::array({port("a", "i64", Json::array({symbolDim("n")}), 0)});
  manifest["results"] = Json::array({port("copy", "i64", Json::array({symbolDim("n")}), 0)});
  manifest["buffers"] = {rowBuffer(argumentBuffer(0), constantDim(8)), rowBuffer(resultBuffer(0), constantDim(8))};
  manifest["steps"] =
      Json::array({step("faulty", symbolDim("m"), 4, "ascending", stepBuffers({0, 1}), "scratch_faulty")});
  manifest["steps"][0]["faults"] = Json::array({{{"operation", 0}, {"axes", 2}, {"batch", Json::array()}}});
  return manifest;
}

Json prefixBatchManifest() {
  Json manifest = baseManifest("test.prefix_batch", {"n", "d", "B", "H"});
  Json batch = {symbolDim("B"), symbolDim("H")};
  Json shape = {symbolDim("B"), symbolDim("H"), symbolDim("n")};
  Json rowsShape = {symbolDim("B"), symbolDim("H"), symbolDim("n"), symbolDim("d")};
  Json inStrides = {productDim({"H", "n", "d"}, 8), productDim({"n", "d"}, 8)};
  Json outStrides = {productDim({"H", "n"}, 8), productDim({"n"}, 8)};
  Json matrices = {symbolDim("H"), constantDim(1)}, same = {constantDim(0), constantDim(0)};
  manifest["arguments"] = Json::array({port("Q", "f64", rowsShape)});
  manifest["results"] = {port("prefix", "f64", shape), port("raised", "f64", shape)};
  manifest["buffers"] = {argumentBuffer(0), memoryBuffer("temporary", "sums", "bytes_n", productDim({"B", "H"})),
                         resultBuffer(0), memoryBuffer("temporary", "total", "bytes_one", constantDim(1)),
                         resultBuffer(1)};
  manifest["steps"] = {batched(step("rowsum", symbolDim("n"), 3, "ascending",
                                    {stepBuffer(0, inStrides), stepBuffer(1, matrices, "matrix")}, "scratch_rows"),
                               batch, false),
                       batched(step("prefix", symbolDim("n"), 5, "descending",
                                    {stepBuffer(1, matrices, "matrix"), stepBuffer(2, outStrides)}),
                               batch, true),
                       step("alltotals", constantDim(1), 1, "ascending", stepBuffers({2, 3})),
                       batched(step("addtotal", symbolDim("n"), 4, "ascending",
                                    {stepBuffer(2, outStrides), stepBuffer(3, same), stepBuffer(4, outStrides)}),
                               batch, false)};
  return manifest;
}

Json runningBatchManifest() {
  Json manifest = baseManifest("test.running_batch", {"n", "d", "m", "t", "B", "H"});
  Json batch = {symbolDim("B"), symbolDim("H")};
  Json shape = {symbolDim("B"), symbolDim("H"), symbolDim("n"), symbolDim("d")};
  Json strides = {productDim({"H", "m", "d"}, 8), productDim({"m", "d"}, 8)};
  Json matrices = {symbolDim("H"), constantDim(1)}, same = {constantDim(0), constantDim(0)};
  manifest["sequence"] = {{"symbol", "n"}, {"rows", "m"}, {"past", "t"}};
  manifest["arguments"] = {port("X", "f64", shape, 2), port("w", "f64", Json::array({symbolDim("d")}))};
  manifest["results"] = Json::array({port("O", "f64", shape, 2)});
  manifest["buffers"] = {argumentBuffer(0), memoryBuffer("state", "rows", "bytes_state", productDim({"B", "H"})),
                         argumentBuffer(1), resultBuffer(0)};
  manifest["steps"] = {batched(step("append", symbolDim("m"), 16, "ascending",
                                    {stepBuffer(0, strides), stepBuffer(1, matrices, "matrix")}),
                               batch, false),
                       batched(step("running", symbolDim("m"), 4, "descending",
                                    {stepBuffer(1, matrices, "matrix"), stepBuffer(2, same), stepBuffer(3, strides)}),
                               batch, true)};
  return manifest;
}

/// A step buffer in loops.
static Json looped(int buffer, Json strides, const char *unit = "bytes") {
  Json given = stepBuffer(buffer);
  given["loops"] = {{"unit", unit}, {"strides", std::move(strides)}};
  return given;
}

Json carryManifest() {
  Json manifest = baseManifest("test.carry", {"n", "d", "m", "t", "L"});
  manifest["sequence"] = {{"symbol", "n"}, {"rows", "m"}, {"past", "t"}};
  manifest["can_fail"] = true;
  manifest["arguments"] = {port("X", "f64", {symbolDim("n"), symbolDim("d")}, 0),
                           port("w", "f64", Json::array({symbolDim("L")}))};
  manifest["results"] = Json::array({port("O", "f64", {symbolDim("n"), symbolDim("d")}, 0)});
  Json next = memoryBuffer("next", "carries.next", "bytes_d", symbolDim("L"));
  next["of"] = 1;
  manifest["buffers"] = {argumentBuffer(0),
                         memoryBuffer("state", "carries", "bytes_d", symbolDim("L")),
                         next,
                         memoryBuffer("temporary", "rows", "bytes_md", constantDim(1)),
                         memoryBuffer("temporary", "carry", "bytes_d", constantDim(1)),
                         resultBuffer(0)};
  Json none = constantDim(0), one = constantDim(1);
  Json inner = {{"repeat", symbolDim("m")},
                {"steps", Json::array({step("recur", symbolDim("d"), 3, "ascending",
                                            {looped(3, {none, productDim({"d"}, 8)}), looped(4, {none, none})})})}};
  Json layer = {step("begin", symbolDim("d"), 2, "ascending",
                     {looped(1, Json::array({one}), "matrix"), looped(4, Json::array({none}))}),
                inner,
                step("keep", symbolDim("d"), 64, "ascending",
                     {looped(4, Json::array({none})), looped(2, Json::array({one}), "matrix")})};
  manifest["steps"] = {step("keep", productDim({"m", "d"}), 5, "ascending", stepBuffers({0, 3})),
                       {{"repeat", symbolDim("L")}, {"steps", layer}},
                       step("keep", productDim({"m", "d"}), 7, "descending", stepBuffers({3, 5}))};
  return manifest;
}

Json divideBatchManifest() {
  Json manifest = baseManifest("test.divide_batch", {"n", "H"});
  Json shape = {symbolDim("H"), symbolDim("n")}, batch = Json::array({symbolDim("H")});
  Json strides = Json::array({productDim({"n"}, 8)});
  manifest["can_fail"] = true;
  manifest["arguments"] = {port("a", "i64", shape), port("b", "i64", shape)};
  manifest["results"] = {port("quotient", "i64", shape), port("rest", "i64", shape)};
  manifest["buffers"] = {argumentBuffer(0), argumentBuffer(1), resultBuffer(0), resultBuffer(1)};
  Json all = Json::array();
  for (int buffer = 0; buffer < 4; ++buffer)
    all.push_back(stepBuffer(buffer, strides));
  manifest["steps"] = {batched(step("divide", symbolDim("n"), 4, "ascending", all), batch, false),
                       batched(step("increment", symbolDim("n"), 4, "ascending", Json::array({all[3]})), batch, true)};
  return manifest;
}

Json libraryManifest() {
  Json manifest = baseManifest("test.product", {"n", "k", "c"});
  manifest["arguments"] = {port("A", "f32", {symbolDim("n"), symbolDim("k")}),
                           port("B", "f32", {symbolDim("k"), symbolDim("c")})};
  manifest["results"] = {port("out", "f32", {symbolDim("n"), symbolDim("c")}),
                         port("carried", "i64", Json::array({symbolDim("n")}))};
  manifest["buffers"] = {argumentBuffer(0), argumentBuffer(1), resultBuffer(0), resultBuffer(1)};
  manifest["steps"] =
      Json::array({step("product", symbolDim("n"), 64, "ascending", stepBuffers({0, 1, 2, 3}), "scratch_product")});
  manifest["steps"][0]["library"] = {{"contractions", 1}, {"shapes", "shapes_product"}};
  return manifest;
}

Json foldManifest() {
  Json manifest = baseManifest("test.fold", {"B", "H", "n"});
  Json shape = {symbolDim("B"), symbolDim("H"), symbolDim("n")};
  Json strides = {productDim({"H", "n"}, 8), productDim({"n"}, 8)};
  manifest["arguments"] = Json::array({port("x", "i64", shape)});
  manifest["results"] = {port("place", "i64", shape), port("count", "i64", shape)};
  manifest["buffers"] = {resultBuffer(0), resultBuffer(1)};
  Json all = {stepBuffer(0, strides), stepBuffer(1, strides)};
  manifest["steps"] = Json::array({batched(step("places", symbolDim("n"), 4, "ascending", all, "scratch_places"),
                                           {symbolDim("B"), symbolDim("H")}, false)});
  manifest["steps"][0]["folds"] = true;
  return manifest;
}

static Json paramPort(const char *name, const char *type, Json dims) {
  Json param = port(name, type, std::move(dims));
  param["param"] = true;
  return param;
}

static Json clause(const char *text, const char *lhs, Json rhs) {
  return {{"text", text}, {"lhs", symbolDim(lhs)}, {"relation", ">="}, {"rhs", std::move(rhs)}};
}

Json linearManifest() {
  Json manifest = baseManifest("test.linear", {"n", "c", "k"});
  manifest["arguments"] = {paramPort("W", "f64", {symbolDim("c"), symbolDim("k")}),
                           port("X", "f64", {symbolDim("n"), symbolDim("c")}),
                           paramPort("b", "f64", Json::array({symbolDim("k")}))};
  manifest["results"] = {port("O", "f64", {symbolDim("n"), symbolDim("k")}),
                         port("calls", "i64", Json::array({constantDim(1)}))};
  manifest["clauses"] = {clause("k >= 1", "k", constantDim(1)), clause("n >= k", "n", symbolDim("k"))};
  manifest["buffers"] = {argumentBuffer(0),
                         argumentBuffer(1),
                         argumentBuffer(2),
                         memoryBuffer("prepared", "turned", "bytes_turned", constantDim(1)),
                         memoryBuffer("prepared", "counter", "bytes_one", constantDim(1)),
                         resultBuffer(0),
                         resultBuffer(1)};
  manifest["prepare"] = {step("turn", symbolDim("k"), 2, "ascending", stepBuffers({0, 3})),
                         step("tally", constantDim(1), 1, "ascending", stepBuffers({4}))};
  manifest["steps"] = {step("linear", symbolDim("n"), 3, "descending", stepBuffers({1, 3, 2, 5})),
                       step("copyone", constantDim(1), 1, "ascending", stepBuffers({4, 6}))};
  return manifest;
}

Json layersManifest() {
  Json manifest = baseManifest("test.layers", {"n", "c", "k", "L"});
  Json batch = Json::array({symbolDim("L")}), matrices = Json::array({constantDim(1)}),
       same = Json::array({constantDim(0)});
  manifest["arguments"] = {port("X", "f64", {symbolDim("n"), symbolDim("c")}),
                           paramPort("W", "f64", {symbolDim("L"), symbolDim("c"), symbolDim("k")}),
                           paramPort("b", "f64", Json::array({symbolDim("k")}))};
  manifest["results"] = Json::array({port("O", "f64", {symbolDim("L"), symbolDim("n"), symbolDim("k")})});
  manifest["buffers"] = {argumentBuffer(1), memoryBuffer("prepared", "turned", "bytes_turned", symbolDim("L")),
                         argumentBuffer(0), argumentBuffer(2), resultBuffer(0)};
  manifest["prepare"] = Json::array(
      {batched(step("turn", symbolDim("k"), 2, "ascending",
                    {stepBuffer(0, Json::array({productDim({"c", "k"}, 8)})), stepBuffer(1, matrices, "matrix")}),
               batch, false)});
  manifest["steps"] =
      Json::array({batched(step("linear", symbolDim("n"), 3, "ascending",
                                {stepBuffer(2, same), stepBuffer(1, matrices, "matrix"), stepBuffer(3, same),
                                 stepBuffer(4, Json::array({productDim({"n", "k"}, 8)}))}),
                           batch, false)});
  return manifest;
}

Json runningParamManifest() {
  Json manifest = runningManifest();
  manifest["graph"] = "test.running_param";
  manifest["arguments"][1]["param"] = true;
  manifest["buffers"].push_back(memoryBuffer("prepared", "twice", "bytes_d", constantDim(1)));
  manifest["prepare"] = Json::array({step("twice", symbolDim("d"), 2, "ascending", stepBuffers({2, 4}))});
  manifest["steps"][1]["buffers"] = stepBuffers({1, 4, 3});
  return manifest;
}

Json divideParamManifest() {
  Json manifest = divideManifest();
  manifest["graph"] = "test.divide_param";
  for (Json &argument : manifest["arguments"])
    argument["param"] = true;
  manifest["buffers"].push_back(memoryBuffer("prepared", "quotients", "bytes_n", constantDim(1)));
  manifest["buffers"].push_back(memoryBuffer("prepared", "rests", "bytes_n", constantDim(1)));
  manifest["prepare"] = Json::array({step("divide", symbolDim("n"), 4, "ascending", stepBuffers({0, 1, 4, 5}))});
  manifest["steps"] = Json::array({step("divide", symbolDim("n"), 4, "ascending", stepBuffers({4, 1, 2, 3}))});
  return manifest;
}

const std::string &blankModule() {
  static const std::string bytes = [] {
    std::ifstream file(NOVA_TEST_KERNELS, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }();
  return bytes;
}

std::string makeModuleFromText(const std::string &manifest) {
  std::string bytes = blankModule(), problem;
  runtime::ModuleSections sections;
  EXPECT_TRUE(runtime::findModuleSections(bytes, sections, problem)) << problem;
  EXPECT_LE(manifest.size(), sections.manifestSize);
  bytes.replace(sections.manifestOffset, manifest.size(), manifest);
  EXPECT_TRUE(runtime::sealModule(bytes, problem)) << problem;
  return bytes;
}

std::string makeModule(const Json &manifest) { return makeModuleFromText(manifest.dump()); }

ModulePtr load(const Json &manifest) {
  std::string bytes = makeModule(manifest);
  nova_module_t *module = nullptr;
  EXPECT_EQ(take(nova_module_load_memory(bytes.data(), bytes.size(), nullptr, &module)), "");
  return ModulePtr(module);
}

ContextPtr makeContext(int32_t threads) {
  nova_context_options_t options{sizeof options, threads, nullptr, nullptr, NOVA_ONEDNN_ON};
  nova_context_t *context = nullptr;
  EXPECT_EQ(take(nova_context_create(&options, &context)), "");
  return ContextPtr(context);
}

SessionPtr makeSession(nova_module_t *module, int64_t initialRows, int64_t maxRows) {
  nova_session_options_t options{sizeof options, initialRows, maxRows, nullptr};
  nova_session_t *session = nullptr;
  EXPECT_EQ(take(nova_session_create(module, &options, &session)), "");
  return SessionPtr(session);
}

InstancePtr makeInstance(nova_context_t *context, nova_module_t *module, const std::vector<nova_tensor_t> &params) {
  nova_instance_t *instance = nullptr;
  EXPECT_EQ(take(nova_instance_create(context, module, params.data(), params.size(), &instance)), "");
  return InstancePtr(instance);
}

SessionPtr makeSession(nova_instance_t *instance) {
  nova_session_t *session = nullptr;
  EXPECT_EQ(take(nova_session_create_for_instance(instance, nullptr, &session)), "");
  return SessionPtr(session);
}

std::string run(nova_context_t *context, const std::vector<ModuleRun> &runs) {
  std::vector<nova_run_t> views;
  for (const ModuleRun &run : runs)
    views.push_back(run.view());
  return take(nova_run(context, views.data(), views.size()));
}

} // namespace nova::test
