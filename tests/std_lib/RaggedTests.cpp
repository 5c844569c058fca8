// Sessions of std_lib's graphs that are fed in one call have the bits of sessions that are fed one after another.
#include "compiler/pipeline/Compiler.h"
#include "compiler/pipeline/Program.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/runtime/Handles.h"
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace nova::test;

namespace {
struct Tensor {
  nova_type_t type;
  std::vector<int64_t> dims;
  std::vector<char> bytes;

  Tensor(nova_type_t type, std::vector<int64_t> shape) : type(type), dims(std::move(shape)) {
    int64_t count = std::accumulate(dims.begin(), dims.end(), int64_t(1), std::multiplies<>());
    bytes.assign(size_t(count) * nova_type_size(type), 0x5a);
  }
  nova_tensor_t view() { return {type, int32_t(dims.size()), dims.data(), bytes.data()}; }

  /// Numbers between 0.1 and 1, so that no row ends in NaN, and tokens 0 and 1.
  void fill(std::mt19937 &random) {
    for (size_t i = 0; i < bytes.size() / nova_type_size(type); i++) {
      double x = 0.1 + 0.9 * double(random()) / 4294967296.0;
      if (type == NOVA_F32)
        reinterpret_cast<float *>(bytes.data())[i] = float(x);
      else if (type == NOVA_F64)
        reinterpret_cast<double *>(bytes.data())[i] = x;
      else if (type == NOVA_I1)
        bytes[i] = char(random() % 2);
      else
        reinterpret_cast<int64_t *>(bytes.data())[i] = int64_t(random() % 2);
    }
  }
};

/// A graph of std_lib with params bound, for these sizes of symbols; others are 2.
class Instance {
public:
  Instance(const std::string &graph, const std::string &along, const nova::Bindings &sizes) : sizes(sizes) {
    mlir::DialectRegistry registry;
    nova::registerAllDialects(registry);
    mlir::MLIRContext mlir(registry, mlir::MLIRContext::Threading::DISABLED);
    std::unique_ptr<nova::Program> program =
        nova::Program::load(mlir, std::string(NOVA_STD_LIB) + "/nn/" + graph + ".nova", {{}, NOVA_STD_LIB, {}});
    nova::CompileOptions options;
    options.types = {{"T", "f32"}};
    options.along = along;
    options.targets = {nova_target_supported("x86-64-v4") ? "x86-64-v4" : "x86-64-v3"};
    nova::GraphOp entry = program->getEntry();
    mlir::FailureOr<nova::CompiledModule> compiled = nova::compileGraph(entry, options);
    EXPECT_NE(compiled->manifest.find("\"ragged\": true"), std::string::npos);
    nova_module_t *made = nullptr;
    EXPECT_EQ(take(nova_module_load_memory(compiled->bytes.data(), compiled->bytes.size(), nullptr, &made)), "");
    module.reset(made);
    for (unsigned i = 0; i < entry.getNumGraphArguments(); i++) {
      dims.emplace_back();
      for (nova::DimAttr dim : llvm::cast<nova::TensorType>(entry.getArgumentType(i)).getDims())
        dims.back().push_back(sizeOf(dim));
    }
    for (int threads : {1, 2}) {
      nova_context_options_t given{sizeof given, threads, nullptr, nullptr, NOVA_ONEDNN_ON};
      nova_context_t *context = nullptr;
      EXPECT_EQ(take(nova_context_create(&given, &context)), "");
      contexts.emplace_back(context);
    }
    bind();
  }

  SessionPtr session() const {
    nova_session_t *made = nullptr;
    EXPECT_EQ(take(nova_session_create_for_instance(instance.get(), nullptr, &made)), "");
    return SessionPtr(made);
  }

  /// Feeds rows to each of the sessions, in one call or in one each; gives the bytes of all results.
  std::vector<std::string> feed(const std::vector<SessionPtr> &sessions, const std::vector<int64_t> &rows,
                                unsigned seed, bool together, int threads) {
    std::vector<std::vector<Tensor>> arguments, results;
    std::vector<std::vector<nova_tensor_t>> in, out;
    std::mt19937 random(seed);
    for (size_t i = 0; i < sessions.size(); i++) {
      std::vector<nova_tensor_t> &views = in.emplace_back();
      std::vector<Tensor> &mine = arguments.emplace_back();
      for (const nova_port_t &port : ports)
        if (!port.is_param) {
          mine.emplace_back(port.type, shapeOf(port, rows[i]));
          mine.back().fill(random);
        }
      size_t next = 0;
      for (const nova_port_t &port : ports)
        if (!port.is_param) {
          // What has no rows is the same for all.
          size_t at = next++;
          views.push_back(port.sequence_axis < 0 ? arguments[0][at].view() : mine[at].view());
        }
      makeResults(sessions[i].get(), views, results.emplace_back(), out.emplace_back());
    }
    std::vector<nova_run_t> runs;
    for (size_t i = 0; i < sessions.size(); i++)
      runs.push_back({nullptr, nullptr, sessions[i].get(), in[i].data(), in[i].size(), out[i].data(), out[i].size()});
    for (size_t i = 0; i < runs.size(); i += together ? runs.size() : 1)
      EXPECT_EQ(take(nova_run(contexts[size_t(threads) - 1].get(), &runs[i], together ? runs.size() : 1)), "");
    std::vector<std::string> bytes;
    for (std::vector<Tensor> &each : results) {
      bytes.emplace_back();
      for (Tensor &result : each)
        bytes.back().append(result.bytes.data(), result.bytes.size());
    }
    return bytes;
  }

private:
  int64_t sizeOf(nova::DimAttr dim) {
    for (mlir::Attribute atom : dim.getAtoms())
      sizes.try_emplace(llvm::cast<mlir::StringAttr>(atom).getValue(), 2);
    return *nova::evaluateDim(dim, sizes);
  }

  void bind() {
    std::mt19937 random(7);
    std::vector<nova_tensor_t> views;
    for (size_t i = 0; i < dims.size(); i++) {
      nova_port_t &port = ports.emplace_back();
      EXPECT_EQ(take(nova_module_argument(module.get(), i, &port)), "");
      if (port.is_param) {
        params.emplace_back(port.type, dims[i]).fill(random);
      }
    }
    for (Tensor &param : params)
      views.push_back(param.view());
    nova_instance_t *made = nullptr;
    EXPECT_EQ(take(nova_instance_create(contexts[0].get(), module.get(), views.data(), views.size(), &made)), "");
    instance.reset(made);
  }

  std::vector<int64_t> shapeOf(const nova_port_t &port, int64_t rows) const {
    std::vector<int64_t> shape = dims[size_t(&port - ports.data())];
    if (port.sequence_axis >= 0)
      shape[size_t(port.sequence_axis)] = rows;
    return shape;
  }

  void makeResults(nova_session_t *session, const std::vector<nova_tensor_t> &in, std::vector<Tensor> &results,
                   std::vector<nova_tensor_t> &views) const {
    size_t count = nova_module_result_count(module.get());
    std::vector<nova_port_t> described(count);
    std::vector<std::vector<int64_t>> shapes(count);
    std::vector<int64_t *> room;
    for (size_t i = 0; i < count; i++) {
      EXPECT_EQ(take(nova_module_result(module.get(), i, &described[i])), "");
      shapes[i].resize(size_t(described[i].rank));
      room.push_back(shapes[i].data());
    }
    EXPECT_EQ(take(nova_module_infer(nullptr, nullptr, session, in.data(), in.size(), room.data())), "");
    results.reserve(count);
    for (size_t i = 0; i < count; i++)
      views.push_back(results.emplace_back(described[i].type, shapes[i]).view());
  }

  nova::Bindings sizes;
  ModulePtr module;
  std::vector<ContextPtr> contexts;
  std::vector<std::vector<int64_t>> dims; // of arguments
  std::vector<nova_port_t> ports;
  std::vector<Tensor> params;
  InstancePtr instance;
};

struct Case {
  const char *graph;
  const char *along;
  nova::Bindings sizes;
};

void PrintTo(const Case &each, std::ostream *os) { *os << each.graph; }

class RaggedGraphs : public testing::TestWithParam<Case> {};

TEST_P(RaggedGraphs, HaveTheBitsOfOneAfterAnother) {
  Instance instance(GetParam().graph, GetParam().along, GetParam().sizes);
  for (int threads : {1, 2}) {
    std::vector<SessionPtr> together, alone;
    for (int i = 0; i < 5; i++) {
      together.push_back(instance.session());
      alone.push_back(instance.session());
    }
    unsigned seed = 1;
    const std::vector<int64_t> calls[] = {{70, 3, 40, 1, 9}, {1, 1, 1, 1, 1}, {1, 2, 1, 5, 1}, {1, 1, 1, 1, 1},
                                          {0, 1, 63, 64, 1}, {1, 1, 0, 1, 1}, {2, 2, 2, 2, 2}, {1, 1, 1, 1, 1}};
    for (const std::vector<int64_t> &rows : calls) {
      std::vector<std::string> expected = instance.feed(alone, rows, seed, false, 1),
                               found = instance.feed(together, rows, seed, true, threads);
      for (size_t i = 0; i < rows.size(); i++)
        ASSERT_TRUE(found[i] == expected[i]) << "call " << seed << ", session " << i << ", threads " << threads;
      seed++;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    StdLib, RaggedGraphs,
    testing::Values(Case{"causal_attention", "", {{"d", 5}}}, Case{"sliding_window_attention", "", {{"d", 3}}},
                    Case{"grouped_query_attention", "", {{"C", 4}, {"P", 2}, {"G", 3}, {"h", 2}}},
                    Case{"decoder_block", "", {{"C", 6}, {"P", 2}, {"G", 2}, {"h", 1}, {"F", 5}}},
                    Case{"decoder", "", {{"C", 4}, {"P", 1}, {"G", 3}, {"h", 1}, {"L", 3}, {"V", 7}}},
                    Case{"multi_head_attention", "n", {{"H", 3}, {"d", 2}, {"C", 4}}}, Case{"alibi_attention", "", {}},
                    Case{"top_k", "", {{"c", 5}}}),
    [](const auto &info) { return info.param.graph; });
} // namespace
