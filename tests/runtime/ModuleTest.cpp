//===- ModuleTest.cpp - Loading, and refusing to load ---------------------===//

#include "runtime/core/Digest.h"
#include "runtime/core/ElfFile.h"
#include "tests/runtime/TestModule.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <gmock/gmock.h>
#include <random>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace nova;
using namespace nova::test;
using testing::HasSubstr;
using testing::StartsWith;

/// The failure of a load; the module must stay as it was.
static std::string loadFailure(const std::string &bytes, const char *target = nullptr) {
  nova_module_options_t options{sizeof options, target};
  auto *const untouched = reinterpret_cast<nova_module_t *>(1);
  nova_module_t *module = untouched;
  std::string text = take(nova_module_load_memory(bytes.data(), bytes.size(), &options, &module));
  if (text.empty())
    nova_module_release(module);
  else
    EXPECT_EQ(module, untouched);
  return text;
}

/// Where the sections of a module lie.
static runtime::ModuleSections sectionsOf(const std::string &bytes) {
  runtime::ModuleSections sections;
  std::string problem;
  EXPECT_TRUE(runtime::findModuleSections(bytes, sections, problem)) << problem;
  return sections;
}

TEST(Module, DescribesItself) {
  Json manifest = runningManifest();
  ModulePtr module = load(manifest);
  ASSERT_TRUE(module);
  EXPECT_EQ(Json::parse(nova_module_manifest(module.get())), manifest);
  EXPECT_STREQ(nova_module_graph(module.get()), "test.running");
  EXPECT_EQ(nova_module_version_hash(module.get()), std::string(64, '3'));
  EXPECT_EQ(nova_module_is_sequence(module.get()), 1);
  ASSERT_EQ(nova_module_argument_count(module.get()), 2u);
  ASSERT_EQ(nova_module_result_count(module.get()), 1u);
  nova_port_t port;
  ASSERT_EQ(take(nova_module_argument(module.get(), 0, &port)), "");
  EXPECT_STREQ(port.name, "X");
  EXPECT_EQ(port.type, NOVA_F64);
  ASSERT_EQ(port.rank, 2);
  EXPECT_EQ(port.sequence_axis, 0);
  EXPECT_STREQ(port.dim_texts[0], "n");
  EXPECT_STREQ(port.dim_texts[1], "d");
  ASSERT_EQ(take(nova_module_result(module.get(), 0, &port)), "");
  EXPECT_STREQ(port.name, "O");
  EXPECT_EQ(take(nova_module_argument(module.get(), 2, &port)),
            "invalid argument: expected an index below 2, the number of arguments, found 2");
  EXPECT_THAT(take(nova_module_result(module.get(), 1, &port)), HasSubstr("below 1"));
}

TEST(Module, ChoosesTheBestTarget) {
  ModulePtr module = load(scaleManifest());
  const char *best = nova_target_supported("x86-64-v4") ? "x86-64-v4" : "x86-64-v3";
  EXPECT_STREQ(nova_module_target(module.get()), best);
}

TEST(Module, InsistsOnANamedTarget) {
  std::string bytes = makeModule(scaleManifest());
  nova_module_options_t options{sizeof options, "x86-64-v3"};
  nova_module_t *module = nullptr;
  ASSERT_EQ(take(nova_module_load_memory(bytes.data(), bytes.size(), &options, &module)), "");
  EXPECT_STREQ(nova_module_target(module), "x86-64-v3");
  nova_module_release(module);

  EXPECT_EQ(loadFailure(bytes, "x86-64-v2"),
            "target unsupported: the module has no code for the target x86-64-v2, only "
            "for x86-64-v3, x86-64-v4");
  if (!nova_target_supported("x86-64-v4"))
    EXPECT_EQ(loadFailure(bytes, "x86-64-v4"), "target unsupported: this cpu does not run the target x86-64-v4");
}

TEST(Module, RefusesTargetsOfOtherMachines) {
  Json manifest = scaleManifest();
  manifest["targets"] = Json::array({"sm_90"});
  manifest["steps"][0]["entry"] = {{"sm_90", "scale_v3"}};
  EXPECT_EQ(loadFailure(makeModule(manifest)), "target unsupported: this cpu runs none of the module's targets: sm_90");
}

TEST(Module, RefusesEveryDamagedByte) {
  const std::string good = makeModule(scaleManifest());
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    std::string bad = good;
    size_t at = random() % bad.size();
    bad[at] = static_cast<char>(bad[at] ^ (1 << random() % 8));
    EXPECT_THAT(loadFailure(bad), StartsWith("module damaged: ")) << "byte " << at;
  }
}

TEST(Module, RefusesTruncatedFiles) {
  const std::string good = makeModule(scaleManifest());
  for (size_t size : {size_t{1}, size_t{4}, size_t{63}, size_t{64}, good.size() / 2, good.size() - 1})
    EXPECT_THAT(loadFailure(good.substr(0, size)), StartsWith("module damaged: ")) << size;
  EXPECT_THAT(loadFailure(good + "x"), StartsWith("module damaged: "));
}

TEST(Module, RefusesWhatIsNotAModule) {
  EXPECT_EQ(loadFailure("hello"), "module damaged: not a module: the file is shorter than an ELF header");
  EXPECT_EQ(loadFailure(std::string(1000, 'x')), "module damaged: not a module: not an ELF file");
  EXPECT_EQ(loadFailure(blankModule()), "module damaged: the module is damaged: its digest does not match its bytes");
}

TEST(Module, RefusesWrongElfHeaders) {
  auto change = [](size_t offset, auto value) {
    std::string bytes = makeModule(scaleManifest());
    std::memcpy(bytes.data() + offset, &value, sizeof value);
    return loadFailure(bytes);
  };
  const char *outside = "not a module: the section table does not lie inside the file";
  EXPECT_THAT(change(EI_CLASS, char{ELFCLASS32}), HasSubstr("not an ELF file for x86-64"));
  EXPECT_THAT(change(offsetof(Elf64_Ehdr, e_machine), Elf64_Half{EM_AARCH64}), HasSubstr("not an ELF file for x86-64"));
  EXPECT_THAT(change(offsetof(Elf64_Ehdr, e_type), Elf64_Half{ET_EXEC}), HasSubstr("not a shared object"));
  EXPECT_THAT(change(offsetof(Elf64_Ehdr, e_shnum), Elf64_Half{0}), HasSubstr(outside));
  EXPECT_THAT(change(offsetof(Elf64_Ehdr, e_shnum), Elf64_Half{0xffff}), HasSubstr(outside));
  EXPECT_THAT(change(offsetof(Elf64_Ehdr, e_shentsize), Elf64_Half{1}), HasSubstr(outside));
  EXPECT_THAT(change(offsetof(Elf64_Ehdr, e_shstrndx), Elf64_Half{0xff00}), HasSubstr(outside));
  EXPECT_THAT(change(offsetof(Elf64_Ehdr, e_shoff), ~Elf64_Off{0}), HasSubstr(outside));
}

TEST(Module, RefusesWrongSections) {
  // Every field of every section header in turn gets values that point outside; whatever happens must be a refusal.
  const std::string good = makeModule(scaleManifest());
  Elf64_Ehdr header;
  std::memcpy(&header, good.data(), sizeof header);
  for (unsigned section = 0; section < header.e_shnum; ++section)
    for (size_t field : {offsetof(Elf64_Shdr, sh_offset), offsetof(Elf64_Shdr, sh_size)})
      for (uint64_t value : {uint64_t{0}, uint64_t{good.size()}, ~uint64_t{0}, uint64_t{1} << 63}) {
        std::string bad = good;
        std::memcpy(bad.data() + header.e_shoff + section * sizeof(Elf64_Shdr) + field, &value, sizeof value);
        if (bad != good)
          EXPECT_THAT(loadFailure(bad), StartsWith("module damaged: "));
      }
  EXPECT_THAT(loadFailure([&] {
                std::string bad = good; // a section table without names
                size_t names = header.e_shoff + header.e_shstrndx * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_type);
                std::memset(bad.data() + names, 0, sizeof(Elf64_Word));
                return bad;
              }()),
              HasSubstr("the table of section names does not lie inside the file"));
}

TEST(Module, RefusesOtherSectionsThanItsOwn) {
  const std::string good = makeModule(scaleManifest());
  Elf64_Ehdr header;
  std::memcpy(&header, good.data(), sizeof header);
  runtime::ModuleSections sections = sectionsOf(good);
  // What is said when a field of the header of the digest's section has another value.
  auto change = [&](size_t field, auto value) {
    std::string bad = good;
    for (unsigned i = 0; i < header.e_shnum; ++i) {
      Elf64_Shdr section;
      size_t at = header.e_shoff + i * sizeof section;
      std::memcpy(&section, good.data() + at, sizeof section);
      if (section.sh_offset == sections.digestOffset && section.sh_size == runtime::kDigestSize)
        std::memcpy(bad.data() + at + field, &value, sizeof value);
    }
    return loadFailure(bad);
  };
  EXPECT_EQ(change(offsetof(Elf64_Shdr, sh_size), Elf64_Xword{16}),
            "module damaged: not a module: expected a section .nova.digest of 32 bytes, found 16");
  EXPECT_EQ(change(offsetof(Elf64_Shdr, sh_offset), Elf64_Off{sections.manifestOffset}),
            "module damaged: not a module: the sections .nova.manifest and .nova.digest overlap");
  EXPECT_EQ(change(offsetof(Elf64_Shdr, sh_offset), Elf64_Off{good.size()}),
            "module damaged: not a module: section .nova.digest does not lie inside the file");
  EXPECT_EQ(
      change(offsetof(Elf64_Shdr, sh_name), Elf64_Word{0}),
      "module damaged: not a module: expected one section .nova.manifest and one section .nova.digest, found 1 and 0");
}

TEST(Module, HeadersOfAnyContentAreReadSafely) {
  // Random bytes in the file header and the section table: refused or found, but nothing outside the file is read.
  const std::string good = makeModule(scaleManifest());
  Elf64_Ehdr header;
  std::memcpy(&header, good.data(), sizeof header);
  std::mt19937 random(2);
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string bad = good, problem;
    for (int change = 0; change < 3; ++change) {
      size_t inTable = header.e_shoff + random() % (header.e_shnum * sizeof(Elf64_Shdr));
      bad[random() % 2 ? random() % sizeof header : inTable] = static_cast<char>(random());
    }
    bad.shrink_to_fit();
    runtime::ModuleSections sections;
    if (runtime::findModuleSections(bad, sections, problem)) {
      EXPECT_LE(sections.manifestOffset + sections.manifestSize, bad.size());
      EXPECT_LE(sections.digestOffset + runtime::kDigestSize, bad.size());
    } else {
      ++refused;
      EXPECT_FALSE(problem.empty());
    }
  }
  EXPECT_GT(refused, 100);
}

TEST(Module, RefusesAWrongDigest) {
  std::string bytes = makeModule(scaleManifest());
  bytes[sectionsOf(bytes).digestOffset] ^= 1;
  EXPECT_THAT(loadFailure(bytes), HasSubstr("its digest does not match its bytes"));
}

TEST(Module, NamesAMissingSymbol) {
  Json kernel = scaleManifest(), scratch = prefixManifest(), bytes = prefixManifest(), other = scaleManifest();
  kernel["steps"][0]["entry"]["x86-64-v3"] = "nowhere";
  EXPECT_EQ(loadFailure(makeModule(kernel)),
            "module invalid: the module has no symbol nowhere, which its manifest names");
  other["steps"][0]["entry"]["x86-64-v4"] = "nowhere"; // also of a target that is not used here
  EXPECT_THAT(loadFailure(makeModule(other)), HasSubstr("no symbol nowhere"));
  scratch["steps"][0]["scratch"] = "gone";
  EXPECT_THAT(loadFailure(makeModule(scratch)), HasSubstr("no symbol gone"));
  bytes["buffers"][1]["bytes"] = "lost";
  EXPECT_THAT(loadFailure(makeModule(bytes)), HasSubstr("no symbol lost"));
}

TEST(Module, RefusesWhatTheLoaderRefuses) {
  std::string bytes = makeModule(scaleManifest()), problem;
  Elf64_Off programHeaders = 0;
  std::memcpy(bytes.data() + offsetof(Elf64_Ehdr, e_phnum), &programHeaders, sizeof(Elf64_Half));
  ASSERT_TRUE(runtime::sealModule(bytes, problem));
  EXPECT_THAT(loadFailure(bytes), StartsWith("input/output error: the dynamic loader refuses the module: "));
}

TEST(Module, LimitsOfTheProcess) {
  const std::string bytes = makeModule(scaleManifest());
  // The failure of loading under a limit, in a process of its own.
  auto under = [&](int resource, rlim_t limit) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
      signal(SIGXFSZ, SIG_IGN);
      rlimit both{limit, limit};
      setrlimit(resource, &both);
      std::string said = loadFailure(bytes);
      (void)!write(ends[1], said.data(), said.size());
      _exit(0);
    }
    close(ends[1]);
    char said[400];
    ssize_t size = read(ends[0], said, sizeof said);
    close(ends[0]);
    waitpid(child, nullptr, 0);
    return std::string(said, size > 0 ? static_cast<size_t>(size) : 0);
  };
  EXPECT_EQ(under(RLIMIT_NOFILE, 0),
            "input/output error: cannot make an anonymous file for the module: Too many open files");
  EXPECT_EQ(under(RLIMIT_FSIZE, 100),
            "input/output error: cannot write the module to an anonymous file: File too large");
}

TEST(Module, ChecksWithoutLoading) {
  std::string good = makeModule(scaleManifest());
  EXPECT_EQ(take(nova_module_check_memory(good.data(), good.size())), "");
  good[good.size() / 3] ^= 4;
  EXPECT_THAT(take(nova_module_check_memory(good.data(), good.size())), StartsWith("module damaged: "));
  std::string bad = makeModuleFromText("[]");
  EXPECT_THAT(take(nova_module_check_memory(bad.data(), bad.size())), StartsWith("module invalid: "));
}

TEST(Module, LoadsFilesAndIgnoresLaterChanges) {
  char path[] = "/tmp/nova-module-test-XXXXXX";
  int file = mkstemp(path);
  ASSERT_GE(file, 0);
  std::string bytes = makeModule(scaleManifest());
  ASSERT_EQ(write(file, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  nova_module_t *module = nullptr;
  ASSERT_EQ(take(nova_module_load_file(path, nullptr, &module)), "");
  ModulePtr owner(module);
  std::string zeros(bytes.size(), '\0');
  ASSERT_EQ(pwrite(file, zeros.data(), zeros.size(), 0), static_cast<ssize_t>(zeros.size()));

  Tensor<float> in({3, 2}, 1), out({3, 2});
  EXPECT_EQ(run(makeContext(1).get(), {{module, nullptr, {in.view()}, {out.view()}}}), "");
  EXPECT_EQ(out.data, (std::vector<float>{2, 2, 3, 3, 4, 4}));

  EXPECT_THAT(take(nova_module_load_file(path, nullptr, &module)), HasSubstr(std::string(path) + ": not a module"));
  close(file);
  unlink(path);
}

TEST(Module, SaysWhyAFileCannotBeRead) {
  nova_module_t *module = nullptr;
  EXPECT_EQ(take(nova_module_load_file("/nowhere/x.nova", nullptr, &module)),
            "input/output error: cannot open /nowhere/x.nova: No such file or directory");
  EXPECT_THAT(take(nova_module_load_file("/tmp", nullptr, &module)), HasSubstr("cannot read /tmp: it is a directory"));
}

TEST(Module, TwoOfTheSameBytesAreApart) {
  // The loader must not take the second for the first, nor a new one for an old one whose descriptor number it got.
  Tensor<float> in({1, 1}, 1), out({1, 1});
  ContextPtr context = makeContext(1);
  for (int i = 0; i < 3; ++i) {
    ModulePtr scale = load(scaleManifest());
    Json swapped = scaleManifest();
    swapped["steps"][0]["entry"] = {{"x86-64-v3", "scale_v4"}, {"x86-64-v4", "scale_v3"}};
    ModulePtr other = load(swapped);
    EXPECT_EQ(run(context.get(), {{scale.get(), nullptr, {in.view()}, {out.view()}}}), "");
    scale.reset();
    EXPECT_EQ(run(context.get(), {{other.get(), nullptr, {in.view()}, {out.view()}}}), "");
  }
}

TEST(Module, RefusesNullAndWrongOptions) {
  std::string bytes = makeModule(scaleManifest());
  nova_module_t *module = nullptr;
  EXPECT_EQ(take(nova_module_load_memory(nullptr, 3, nullptr, &module)), "invalid argument: bytes is null");
  EXPECT_EQ(take(nova_module_load_memory(bytes.data(), bytes.size(), nullptr, nullptr)),
            "invalid argument: module is null");
  EXPECT_EQ(take(nova_module_load_file(nullptr, nullptr, &module)), "invalid argument: path is null");
  EXPECT_EQ(take(nova_module_check_memory(nullptr, 0)), "invalid argument: bytes is null");
  nova_module_options_t options{1, nullptr};
  EXPECT_EQ(take(nova_module_load_memory(bytes.data(), bytes.size(), &options, &module)),
            "invalid argument: options: expected size 16, found 1");
  nova_port_t port;
  EXPECT_EQ(take(nova_module_argument(nullptr, 0, &port)), "invalid argument: module is null");
  EXPECT_EQ(nova_module_manifest(nullptr), nullptr);
  EXPECT_EQ(nova_module_target(nullptr), nullptr);
  EXPECT_EQ(nova_module_argument_count(nullptr), 0u);
  EXPECT_EQ(nova_module_is_sequence(nullptr), 0);
  nova_module_release(nullptr);
}

TEST(Library, NamesTypesCodesAndTargets) {
  EXPECT_STREQ(nova_type_name(NOVA_I1), "i1");
  EXPECT_EQ(nova_type_size(NOVA_I32), 4u);
  EXPECT_EQ(nova_type_name(static_cast<nova_type_t>(77)), nullptr);
  EXPECT_EQ(nova_type_size(static_cast<nova_type_t>(77)), 0u);
  EXPECT_STREQ(nova_code_name(NOVA_SHAPE_MISMATCH), "shape mismatch");
  EXPECT_STREQ(nova_code_name(NOVA_INTERNAL), "internal error");
  EXPECT_STREQ(nova_code_name(static_cast<nova_code_t>(77)), "unknown code");
  EXPECT_EQ(nova_target_supported("sm_90"), 0);
  EXPECT_EQ(nova_target_supported(nullptr), 0);
  EXPECT_EQ(nova_status_code(nullptr), NOVA_OK);
  EXPECT_STREQ(nova_status_message(nullptr), "");
  nova_status_free(nullptr);
  EXPECT_THAT(nova_version(), StartsWith("0."));
}

TEST(Seal, SaysWhatIsNoModule) {
  std::string bytes = "text", problem;
  EXPECT_FALSE(runtime::sealModule(bytes, problem));
  EXPECT_EQ(problem, "the file is shorter than an ELF header");
  EXPECT_EQ(bytes, "text");
}
