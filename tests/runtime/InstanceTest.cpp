//===- InstanceTest.cpp - Modules with params -----------------------------===//

#include "tests/runtime/TestModule.h"

#include <gmock/gmock.h>
#include <thread>

using namespace nova::test;
using testing::HasSubstr;

namespace {

/// Arguments, params and results of test.linear or, with layers, of test.layers.
struct Linear {
  Tensor<double> in, weight, bias, out, expected;
  Tensor<int64_t> calls{{1}, -1};

  Linear(int64_t n, int64_t c, int64_t k, int seed) : Linear(n, c, k, seed, {c, k}, {n, k}) {}
  Linear(int64_t layers, int64_t n, int64_t c, int64_t k, int seed)
      : Linear(n, c, k, seed, {layers, c, k}, {layers, n, k}) {}

  /// W, b: the params in order.
  std::vector<nova_tensor_t> params() { return {weight.view(), bias.view()}; }

private:
  Linear(int64_t n, int64_t c, int64_t k, int seed, std::vector<int64_t> weightShape, std::vector<int64_t> outShape)
      : in({n, c}), weight(std::move(weightShape)), bias({k}), out(outShape, -1), expected(outShape) {
    fill(in, seed);
    fill(weight, seed + 1);
    fill(bias, seed + 2);
    for (size_t at = 0; at < expected.data.size(); ++at) { // sums of doubles that are exact
      int64_t j = static_cast<int64_t>(at) % k, row = static_cast<int64_t>(at) / k, layer = row / n;
      expected.data[at] = bias.data[static_cast<size_t>(j)];
      for (int64_t l = 0; l < c; ++l)
        expected.data[at] +=
            in.data[static_cast<size_t>(row % n * c + l)] * weight.data[static_cast<size_t>((layer * c + l) * k + j)];
    }
  }
};

ModuleRun linearRun(nova_module_t *module, nova_instance_t *instance, Linear &data) {
  return {module, nullptr, {data.in.view()}, {data.out.view(), data.calls.view()}, instance};
}

std::string createFailure(const Json &manifest, const std::vector<nova_tensor_t> &params) {
  ModulePtr module = load(manifest);
  nova_instance_t *instance = nullptr;
  std::string failure =
      take(nova_instance_create(makeContext(2).get(), module.get(), params.data(), params.size(), &instance));
  EXPECT_EQ(instance, nullptr);
  return failure;
}

TEST(Instance, PreparesOnceForManyRuns) {
  ModulePtr module = load(linearManifest());
  for (int32_t threads : {1, 2, 3, 4}) {
    ContextPtr context = makeContext(threads);
    Linear data(50, 30, 40, 1);
    InstancePtr instance = makeInstance(context.get(), module.get(), data.params());
    for (int i = 0; i < 5; ++i) {
      data.out.data.assign(data.out.data.size(), -1);
      ASSERT_EQ(run(context.get(), {linearRun(module.get(), instance.get(), data)}), "");
      EXPECT_EQ(data.out.data, data.expected.data);
      EXPECT_EQ(data.calls.data[0], 1);
    }
  }
}

TEST(Instance, TwoOfOneModuleKeepTheirParamsApart) {
  ModulePtr module = load(linearManifest());
  ContextPtr context = makeContext(2);
  Linear one(9, 5, 4, 1), other(20, 7, 6, 30), again(11, 5, 4, 1);
  InstancePtr first = makeInstance(context.get(), module.get(), one.params());
  InstancePtr second = makeInstance(context.get(), module.get(), other.params());
  again.weight = one.weight;
  ASSERT_EQ(run(context.get(), {linearRun(module.get(), first.get(), one), linearRun(nullptr, second.get(), other)}),
            "");
  EXPECT_EQ(one.out.data, one.expected.data);
  EXPECT_EQ(other.out.data, other.expected.data);
  second.reset();
  ASSERT_EQ(run(context.get(), {linearRun(nullptr, first.get(), again)}), "");
  EXPECT_EQ(again.calls.data[0], 1);
}

TEST(Instance, OutlivesTheModulesHandleAndTheSizesGiven) {
  ContextPtr context = makeContext(1);
  Linear data(9, 5, 4, 1);
  ModulePtr module = load(linearManifest());
  std::vector<int64_t> dims = data.weight.dims;
  std::vector<nova_tensor_t> params = data.params();
  params[0].dims = dims.data();
  InstancePtr instance = makeInstance(context.get(), module.get(), params);
  dims = {-1, -1};
  module.reset();
  context = makeContext(3);
  ASSERT_EQ(run(context.get(), {linearRun(nullptr, instance.get(), data)}), "");
  EXPECT_EQ(data.out.data, data.expected.data);
}

TEST(Instance, ServesManyThreadsAtOnce) {
  ModulePtr module = load(linearManifest());
  Linear data(60, 40, 30, 3);
  InstancePtr instance = makeInstance(makeContext(2).get(), module.get(), data.params());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      Linear own(60, 40, 30, 3);
      ContextPtr context = makeContext(2);
      for (int round = 0; round < 10; ++round)
        EXPECT_EQ(run(context.get(), {linearRun(module.get(), instance.get(), own)}), "");
      EXPECT_EQ(own.out.data, own.expected.data);
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(Instance, PreparesABatchOfMatrices) {
  ModulePtr module = load(layersManifest());
  for (int32_t threads : {1, 2, 3, 4})
    for (int64_t layers : {0, 1, 2, 7}) {
      ContextPtr context = makeContext(threads);
      Linear data(layers, 11, 40, 33, 5); // a matrix is no multiple of 64 bytes
      InstancePtr instance = makeInstance(context.get(), module.get(), data.params());
      ASSERT_EQ(run(context.get(), {{nullptr, nullptr, {data.in.view()}, {data.out.view()}, instance.get()}}), "");
      EXPECT_EQ(data.out.data, data.expected.data);
    }
}

TEST(Instance, SizesOfZeroArePrepared) {
  ModulePtr module = load(linearManifest());
  ContextPtr context = makeContext(2);
  Linear data(3, 0, 2, 1);
  InstancePtr instance = makeInstance(context.get(), module.get(), data.params());
  ASSERT_EQ(run(context.get(), {linearRun(module.get(), instance.get(), data)}), "");
  EXPECT_EQ(data.out.data, data.expected.data);
}

TEST(Instance, ParamsAreChecked) {
  Json manifest = linearManifest();
  Linear data(3, 5, 4, 1), none(3, 5, 0, 1);
  Tensor<double> longer({5}), cube({5, 4, 1});
  Tensor<float> single({5, 4});
  EXPECT_EQ(createFailure(manifest, {data.weight.view()}), "invalid argument: expected 2 params, found 1");
  EXPECT_EQ(createFailure(manifest, {}), "invalid argument: expected 2 params, found 0");
  EXPECT_EQ(createFailure(manifest, {data.weight.view(), longer.view()}),
            "shape mismatch: param b, axis 0: expected k = 4 (from param W, axis 1), found 5");
  EXPECT_EQ(createFailure(manifest, {single.view(), data.bias.view()}),
            "shape mismatch: param W: expected type f64, found f32");
  EXPECT_EQ(createFailure(manifest, {cube.view(), data.bias.view()}),
            "shape mismatch: param W: expected rank 2, found 3");
  EXPECT_EQ(createFailure(manifest, none.params()), "shape mismatch: clause k >= 1 does not hold: k = 0");
  std::vector<nova_tensor_t> params = data.params();
  params[1].data = nullptr;
  EXPECT_EQ(createFailure(manifest, params), "invalid argument: param b: data is null");
  manifest["buffers"][3]["bytes"] = "bytes_huge";
  EXPECT_EQ(createFailure(manifest, data.params()),
            "out of memory: cannot get 1152921504606847040 bytes for what is prepared from the params");
  manifest["buffers"][3]["bytes"] = "bytes_negative";
  EXPECT_EQ(createFailure(manifest, data.params()),
            "out of memory: the size of buffer turned is more than 63 bits hold");
}

TEST(Instance, RunsAreCheckedAgainstTheParams) {
  ModulePtr module = load(linearManifest()), other = load(linearManifest());
  ContextPtr context = makeContext(1);
  Linear data(9, 5, 4, 1), wide(9, 6, 4, 1), few(3, 5, 4, 1), second(9, 5, 4, 1);
  InstancePtr instance = makeInstance(context.get(), module.get(), data.params());
  auto failure = [&](Linear &used) { return run(context.get(), {linearRun(module.get(), instance.get(), used)}); };
  EXPECT_EQ(failure(wide), "shape mismatch: argument X, axis 1: expected c = 5 (from param W, axis 0), found 6");
  EXPECT_EQ(failure(few), "shape mismatch: clause n >= k does not hold: n = 3, k = 4");
  EXPECT_EQ(run(context.get(), {linearRun(module.get(), nullptr, data)}),
            "invalid argument: test.linear has params (W, b): expected an instance of the module that binds them, "
            "found none");
  EXPECT_EQ(run(context.get(), {linearRun(other.get(), instance.get(), data)}),
            "invalid argument: the instance belongs to another module");
  ModuleRun all = linearRun(module.get(), instance.get(), data);
  all.arguments = {data.weight.view(), data.in.view(), data.bias.view()};
  EXPECT_EQ(run(context.get(), {all}), "invalid argument: expected 1 arguments that are no params, found 3");
  ModuleRun shared = linearRun(module.get(), instance.get(), second);
  shared.results[0].data = data.weight.data.data();
  EXPECT_EQ(run(context.get(), {linearRun(module.get(), instance.get(), data), shared}),
            "invalid argument: result O of run 1 shares memory with param W of run 0");
}

TEST(Instance, SizesThatOnlyARunTellsAreCheckedThere) {
  Json manifest = linearManifest();
  manifest["arguments"][2]["dims"] = Json::array({symbolDim("n")}); // b[n]: nothing is prepared from it
  manifest["symbols"].push_back("s");
  manifest["sequence"] = nullptr;
  manifest["arguments"][0]["dims"].push_back(productDim({"c", "s"})); // W[c, k, c * s]: s is found from it
  manifest["arguments"][1]["dims"].push_back(symbolDim("s"));
  ModulePtr module = load(manifest);
  ContextPtr context = makeContext(1);
  Tensor<double> weight({2, 1, 6}), bias({4}), in({4, 2, 3}), other({5, 2, 3}), thick({4, 2, 2}), out({4, 1});
  Tensor<int64_t> calls({1});
  InstancePtr instance = makeInstance(context.get(), module.get(), {weight.view(), bias.view()});
  auto failure = [&](Tensor<double> &argument) {
    return run(context.get(), {{nullptr, nullptr, {argument.view()}, {out.view(), calls.view()}, instance.get()}});
  };
  EXPECT_EQ(failure(in), "");
  EXPECT_EQ(failure(other), "shape mismatch: argument X, axis 0: expected n = 4 (from param b, axis 0), found 5");
  EXPECT_EQ(failure(thick), "shape mismatch: param W, axis 2: expected c * s = 4 (c = 2 from param W, axis 0, s = 2 "
                            "from argument X, axis 2), found 6");
}

TEST(Instance, ShapesOfResultsNeedNoData) {
  ModulePtr module = load(linearManifest());
  Linear data(9, 5, 4, 1);
  InstancePtr instance = makeInstance(makeContext(1).get(), module.get(), data.params());
  nova_tensor_t in = data.in.view();
  in.data = nullptr;
  int64_t out[2] = {-1, -1}, calls[1] = {-1};
  int64_t *const dims[] = {out, calls};
  EXPECT_EQ(take(nova_module_infer(module.get(), instance.get(), nullptr, &in, 1, dims)), "");
  EXPECT_THAT(out, testing::ElementsAre(9, 4));
  EXPECT_EQ(calls[0], 1);
  EXPECT_THAT(take(nova_module_infer(module.get(), nullptr, nullptr, &in, 1, dims)), HasSubstr("found none"));
}

TEST(Instance, PortsTellWhichArgumentsAreParams) {
  ModulePtr module = load(linearManifest()), plain = load(scaleManifest());
  EXPECT_EQ(nova_module_argument_count(module.get()), 3u);
  EXPECT_EQ(nova_module_param_count(module.get()), 2u);
  EXPECT_EQ(nova_module_param_count(plain.get()), 0u);
  EXPECT_EQ(nova_module_param_count(nullptr), 0u);
  nova_port_t port;
  for (size_t i = 0; i < 3; ++i) {
    ASSERT_EQ(take(nova_module_argument(module.get(), i, &port)), "");
    EXPECT_EQ(port.is_param, i != 1);
  }
  ASSERT_EQ(take(nova_module_result(module.get(), 0, &port)), "");
  EXPECT_EQ(port.is_param, 0);
}

TEST(Instance, OfAModuleWithoutParamsRunsToo) {
  ModulePtr module = load(scaleManifest());
  ContextPtr context = makeContext(1);
  InstancePtr instance = makeInstance(context.get(), module.get(), {});
  Tensor<float> in({2, 1}, 3), out({2, 1});
  ASSERT_EQ(run(context.get(), {{nullptr, nullptr, {in.view()}, {out.view()}, instance.get()}}), "");
  EXPECT_EQ(out.data, (std::vector<float>{6, 7}));
}

TEST(Instance, DivisionByZeroWhilePreparingIsAFailureOfCreate) {
  ModulePtr module = load(divideParamManifest());
  Tensor<int64_t> a({9}, 100), b({9}, 3), zero({9}, 3), quotient({9}), rest({9});
  zero.data[6] = 0;
  EXPECT_EQ(createFailure(divideParamManifest(), {a.view(), zero.view()}),
            "division by zero: integer division by zero in step divide of test.divide_param");
  ContextPtr context = makeContext(2);
  InstancePtr instance = makeInstance(context.get(), module.get(), {a.view(), b.view()});
  ASSERT_EQ(run(context.get(), {{nullptr, nullptr, {}, {quotient.view(), rest.view()}, instance.get()}}), "");
  EXPECT_EQ(quotient.data, std::vector<int64_t>(9, 11));
  EXPECT_EQ(rest.data, std::vector<int64_t>(9, 0));
}

TEST(Instance, NullIsRefused) {
  ModulePtr module = load(linearManifest());
  ContextPtr context = makeContext(1);
  nova_instance_t *instance = nullptr;
  EXPECT_EQ(take(nova_instance_create(nullptr, module.get(), nullptr, 0, &instance)),
            "invalid argument: context is null");
  EXPECT_EQ(take(nova_instance_create(context.get(), nullptr, nullptr, 0, &instance)),
            "invalid argument: module is null");
  EXPECT_EQ(take(nova_instance_create(context.get(), module.get(), nullptr, 0, nullptr)),
            "invalid argument: instance is null");
  EXPECT_EQ(take(nova_instance_create(context.get(), module.get(), nullptr, 2, &instance)),
            "invalid argument: the array of params is null");
  nova_session_t *session = nullptr;
  EXPECT_EQ(take(nova_session_create_for_instance(nullptr, nullptr, &session)), "invalid argument: instance is null");
  nova_instance_release(nullptr);
}

/// Rows for test.running_param and what comes of them.
struct Sequence {
  Tensor<double> rows, weight, expected;

  Sequence(int64_t n, int64_t d, int seed) : rows({n, d}), weight({d}), expected({n, d}) {
    fill(rows, seed);
    fill(weight, seed + 1);
    for (size_t i = 0; i < rows.data.size(); ++i) {
      size_t j = i % static_cast<size_t>(d);
      double before = i == j ? 0 : expected.data[i - static_cast<size_t>(d)] - 2 * weight.data[j];
      expected.data[i] = before + rows.data[i] + 2 * weight.data[j];
    }
  }
};

/// Feeds m rows, from row `from` on.
std::string feed(nova_context_t *context, nova_session_t *session, Sequence &sequence, int64_t from, int64_t m,
                 Tensor<double> &out) {
  const int64_t d = sequence.rows.dims[1], dims[] = {m, d};
  nova_tensor_t in{NOVA_F64, 2, dims, sequence.rows.data.data() + from * d};
  nova_tensor_t result{NOVA_F64, 2, dims, out.data.data() + from * d};
  return run(context, {{nullptr, session, {in}, {result}}});
}

TEST(Instance, SessionsUseItsParams) {
  ModulePtr module = load(runningParamManifest());
  for (int32_t threads : {1, 2, 3, 4}) {
    ContextPtr context = makeContext(threads);
    Sequence one(200, 70, 1), other(200, 50, 40);
    Tensor<double> out({200, 70}), otherOut({200, 50}), whole({200, 70});
    InstancePtr first = makeInstance(context.get(), module.get(), {one.weight.view()});
    InstancePtr second = makeInstance(context.get(), module.get(), {other.weight.view()});
    ASSERT_EQ(run(context.get(), {{nullptr, nullptr, {one.rows.view()}, {whole.view()}, first.get()}}), "");
    EXPECT_EQ(whole.data, one.expected.data);
    SessionPtr session = makeSession(first.get()), otherSession = makeSession(second.get());
    first.reset(); // the session keeps it
    for (int64_t done = 0, m = 1; done < 200; done += m, m = std::min<int64_t>(2 * m, 200 - done)) {
      ASSERT_EQ(feed(context.get(), session.get(), one, done, m, out), "");
      ASSERT_EQ(feed(context.get(), otherSession.get(), other, done, m, otherOut), "");
    }
    EXPECT_EQ(out.data, one.expected.data);
    EXPECT_EQ(otherOut.data, other.expected.data);
  }
}

TEST(Instance, SessionsAndInstancesBelongTogether) {
  ModulePtr module = load(runningParamManifest()), plain = load(runningManifest());
  ContextPtr context = makeContext(1);
  Sequence sequence(4, 3, 1), wide(4, 5, 1);
  Tensor<double> out({4, 3}), wideOut({4, 5});
  InstancePtr first = makeInstance(context.get(), module.get(), {sequence.weight.view()});
  InstancePtr second = makeInstance(context.get(), module.get(), {sequence.weight.view()});
  SessionPtr session = makeSession(first.get()), plainSession = makeSession(plain.get());
  nova_session_t *none = nullptr;
  EXPECT_EQ(take(nova_session_create(module.get(), nullptr, &none)),
            "invalid argument: test.running_param has params (w): expected an instance of the module that binds them, "
            "found none");
  auto failure = [&](nova_session_t *used, nova_instance_t *instance) {
    return run(context.get(), {{nullptr, used, {sequence.rows.view()}, {out.view()}, instance}});
  };
  EXPECT_EQ(failure(session.get(), second.get()), "invalid argument: the session belongs to another instance");
  EXPECT_EQ(failure(plainSession.get(), first.get()), "invalid argument: the session belongs to another module");
  EXPECT_EQ(failure(session.get(), first.get()), "");
  const char *mismatch = "shape mismatch: argument X, axis 1: expected d = 3 (from param w, axis 0), found 5";
  EXPECT_EQ(feed(context.get(), session.get(), wide, 0, 4, wideOut), mismatch);
  nova_session_reset(session.get()); // forgets the rows, not the params
  EXPECT_EQ(feed(context.get(), session.get(), wide, 0, 4, wideOut), mismatch);
  EXPECT_EQ(feed(context.get(), session.get(), sequence, 0, 4, out), "");
  EXPECT_EQ(out.data, sequence.expected.data);
}

} // namespace
