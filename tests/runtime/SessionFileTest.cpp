//===- SessionFileTest.cpp - Sessions kept in files -----------------------===//

#include "tests/runtime/TestModule.h"

#include <cstdio>
#include <fstream>
#include <gmock/gmock.h>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

using namespace nova::test;
using testing::HasSubstr;

namespace {

Json keptManifest() { return described(runningManifest()); }

class SessionFile : public testing::Test {
protected:
  SessionFile() {
    char name[] = "/tmp/nova-session-XXXXXX";
    folder = mkdtemp(name);
    path = folder + "/rows";
    fill(rows, 3);
    fill(weight, 4);
  }
  ~SessionFile() override {
    std::remove(path.c_str());
    rmdir(folder.c_str()); // fails where a draft was left
  }

  std::string extend(nova_session_t *session, int64_t first, int64_t count, Tensor<double> &out) {
    std::vector<int64_t> dims{count, 3};
    nova_tensor_t in{NOVA_F64, 2, dims.data(), rows.data.data() + first * 3};
    nova_tensor_t result{NOVA_F64, 2, dims.data(), out.data.data() + first * 3};
    return run(context.get(), {{module.get(), session, {in, weight.view()}, {result}}});
  }
  std::string read() const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string &bytes) const { std::ofstream(path, std::ios::binary) << bytes; }
  std::string load(nova_session_t *session) const { return take(nova_session_load(session, path.c_str())); }

  ModulePtr module = nova::test::load(keptManifest());
  ContextPtr context = makeContext(2);
  Tensor<double> rows{{500, 3}}, weight{{3}};
  std::string folder, path;
};

TEST_F(SessionFile, GoesOnWhereItWas) {
  Tensor<double> expected({500, 3}), out({500, 3});
  SessionPtr first = makeSession(module.get()), second = makeSession(module.get());
  ASSERT_EQ(extend(first.get(), 0, 300, expected), "");
  EXPECT_EQ(nova_session_bytes(first.get()), 7232); // 300 rows of 24 bytes, to the next multiple of 64
  EXPECT_EQ(nova_session_bytes(second.get()), 0);
  ASSERT_EQ(take(nova_session_save(first.get(), path.c_str())), "");
  ASSERT_EQ(load(second.get()), "");
  EXPECT_EQ(nova_session_length(second.get()), 300);
  ASSERT_EQ(extend(first.get(), 300, 200, expected), "");
  for (int64_t row = 300; row < 500; row += 50)
    ASSERT_EQ(extend(second.get(), row, 50, out), "");
  EXPECT_TRUE(std::equal(out.data.begin() + 900, out.data.end(), expected.data.begin() + 900));
  ASSERT_EQ(take(nova_session_rewind(second.get(), 100)), "");
  ASSERT_EQ(extend(second.get(), 100, 200, out), "");
  EXPECT_TRUE(std::equal(out.data.begin() + 300, out.data.end(), expected.data.begin() + 300));
}

TEST_F(SessionFile, DependsOnTheRowsAlone) {
  Tensor<double> out({500, 3});
  SessionPtr first = makeSession(module.get()), second = makeSession(module.get(), 400);
  ASSERT_EQ(extend(first.get(), 0, 300, out), "");
  ASSERT_EQ(take(nova_session_save(first.get(), path.c_str())), "");
  std::string bytes = read();
  for (int64_t row = 0; row < 350; row += 50)
    ASSERT_EQ(extend(second.get(), row, 50, out), "");
  ASSERT_EQ(take(nova_session_rewind(second.get(), 300)), "");
  ASSERT_EQ(take(nova_session_save(second.get(), path.c_str())), "");
  EXPECT_EQ(read(), bytes);
  EXPECT_THAT(bytes, HasSubstr("\"row_bytes\":24,\"rows\":300,\"type\":\"f64\""));
}

TEST_F(SessionFile, MayBeEmpty) {
  Tensor<double> out({500, 3});
  SessionPtr first = makeSession(module.get()), second = makeSession(module.get());
  ASSERT_EQ(extend(first.get(), 0, 3, out), "");
  nova_session_reset(first.get());
  ASSERT_EQ(take(nova_session_save(first.get(), path.c_str())), "");
  ASSERT_EQ(load(second.get()), "");
  EXPECT_EQ(nova_session_length(second.get()), 0);
  EXPECT_EQ(extend(second.get(), 0, 3, out), "");
}

TEST_F(SessionFile, EveryChangeIsFound) {
  Tensor<double> out({500, 3});
  SessionPtr first = makeSession(module.get()), second = makeSession(module.get());
  ASSERT_EQ(extend(first.get(), 0, 4, out), "");
  ASSERT_EQ(take(nova_session_save(first.get(), path.c_str())), "");
  const std::string bytes = read();
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 0x10);
    write(changed);
    EXPECT_NE(load(second.get()), "") << i;
    EXPECT_EQ(nova_session_length(second.get()), 0);
    write(bytes.substr(0, i));
    EXPECT_NE(load(second.get()), "") << i;
  }
  write(bytes + "x");
  EXPECT_THAT(load(second.get()), HasSubstr("file damaged: " + path + ": expected 96 bytes of states, found 97"));
  write(bytes);
  EXPECT_EQ(load(second.get()), "");
  EXPECT_EQ(extend(second.get(), 4, 2, out), "");
}

TEST_F(SessionFile, SaysWhatIsWrong) {
  SessionPtr session = makeSession(module.get());
  EXPECT_THAT(load(session.get()), HasSubstr("input/output error: cannot read " + path + ": No such file"));
  write("NOVASES");
  EXPECT_THAT(load(session.get()), HasSubstr("expected the file of a session, found 7 bytes"));
  write(std::string(100, 'x'));
  EXPECT_THAT(load(session.get()), HasSubstr("file damaged: " + path + ": it is not the file of a session"));
  write("NOVASESS" + std::string(100, '\xff'));
  EXPECT_THAT(load(session.get()), HasSubstr("expected a header of at most 60 bytes, found 18446744073709551615"));
  write("NOVASESS" + std::string("\4\0\0\0\0\0\0\0", 8) + "{{{{" + std::string(32, ' '));
  EXPECT_THAT(load(session.get()), HasSubstr("its header is not JSON"));
  EXPECT_THAT(take(nova_session_load(session.get(), folder.c_str())),
              HasSubstr("cannot read " + folder + ": it is no file"));
  EXPECT_THAT(take(nova_session_load(nullptr, path.c_str())), HasSubstr("session"));
  EXPECT_THAT(take(nova_session_save(session.get(), nullptr)), HasSubstr("path"));
  EXPECT_THAT(take(nova_session_save(session.get(), (folder + "/none/rows").c_str())),
              HasSubstr("cannot write " + folder + "/none/rows: No such file or directory"));
}

TEST_F(SessionFile, OfAnotherGraphOrOtherSizesIsRefused) {
  Tensor<double> out({500, 3});
  SessionPtr first = makeSession(module.get()), full = makeSession(module.get(), 0, 3);
  ASSERT_EQ(extend(first.get(), 0, 4, out), "");
  ASSERT_EQ(take(nova_session_save(first.get(), path.c_str())), "");
  EXPECT_THAT(load(first.get()), HasSubstr("expected a session without rows, found one with 4"));
  EXPECT_THAT(load(full.get()), HasSubstr("capacity exceeded: the session's capacity is 3 rows"));
  EXPECT_EQ(nova_session_length(full.get()), 0);

  auto failure = [&](const Json &manifest) {
    ModulePtr other = nova::test::load(manifest);
    SessionPtr session = makeSession(other.get());
    return load(session.get());
  };
  Json manifest = keptManifest();
  manifest["semantic_hash"] = std::string(64, 'a');
  EXPECT_THAT(failure(manifest), HasSubstr(", found that of \"test.running\", 2222"));
  manifest = keptManifest();
  manifest["buffers"][1]["type"] = "i64";
  EXPECT_THAT(failure(manifest), HasSubstr("states[0].type: expected i64, found f64"));
  manifest["buffers"][1]["type"] = "f32";
  EXPECT_THAT(failure(manifest), HasSubstr("states[0].type: expected f32, found f64"));
  manifest = keptManifest();
  manifest["buffers"][1]["dims"].push_back(constantDim(2));
  EXPECT_THAT(failure(manifest), HasSubstr("states[0].row_bytes: expected 48, found 24"));
  EXPECT_THAT(
      failure(runningManifest()),
      HasSubstr("the module does not say how the state rows lies, so that its sessions cannot be kept; it must be "
                "compiled again"));
}

TEST_F(SessionFile, ParamsMustHaveTheSizes) {
  ModulePtr withParam = nova::test::load(described(runningParamManifest()));
  Tensor<double> out({4, 3}), wide({4});
  InstancePtr narrow = makeInstance(context.get(), withParam.get(), {weight.view()}),
              other = makeInstance(context.get(), withParam.get(), {wide.view()});
  SessionPtr first = makeSession(narrow.get()), second = makeSession(narrow.get()), third = makeSession(other.get());
  std::vector<int64_t> dims{4, 3};
  nova_tensor_t in{NOVA_F64, 2, dims.data(), rows.data.data()};
  ASSERT_EQ(run(context.get(), {{nullptr, first.get(), {in}, {out.view()}}}), "");
  ASSERT_EQ(take(nova_session_save(first.get(), path.c_str())), "");
  EXPECT_EQ(load(second.get()), "");
  EXPECT_THAT(load(third.get()), HasSubstr("sizes.d: expected 4, as the params of the session have it, found 3"));
}

TEST_F(SessionFile, SizesThatCannotBeAreRefused) {
  Tensor<double> out({500, 3});
  auto failure = [&](const Json &dim) {
    Json manifest = keptManifest();
    manifest["buffers"][1]["dims"].push_back(dim);
    module = nova::test::load(manifest);
    SessionPtr session = makeSession(module.get());
    EXPECT_EQ(extend(session.get(), 0, 4, out), "");
    return take(nova_session_save(session.get(), path.c_str()));
  };
  EXPECT_EQ(failure(productDim({"n"}, -1)), "module invalid: state rows: its axis -1 * n has no size that can be");
  EXPECT_EQ(failure(constantDim(INT64_MAX)), "module invalid: state rows: its matrices are larger than 63 bits hold");
  EXPECT_EQ(read(), "");
}

TEST(SessionFileManifest, IsChecked) {
  auto failure = [](const Json &manifest) {
    std::string bytes = makeModule(manifest);
    nova_module_t *made = nullptr;
    return take(nova_module_load_memory(bytes.data(), bytes.size(), nullptr, &made));
  };
  Json manifest = keptManifest();
  manifest["buffers"][1]["layout"] = "columns";
  EXPECT_THAT(failure(manifest), HasSubstr("buffers[1].layout: expected rows, panels or pages, found \"columns\""));
  manifest["buffers"][1]["layout"] = "pages";
  manifest["buffers"][1]["dims"].push_back(constantDim(2));
  EXPECT_THAT(failure(manifest), HasSubstr("buffers[1].dims: expected two axes, found 3"));
  manifest["buffers"][1]["type"] = "i4";
  EXPECT_THAT(failure(manifest), HasSubstr("buffers[1].type: expected entries of whole bytes"));
}

} // namespace
