// Readers of bytes from outside under inputs made of good ones: no crash, no input that takes seconds or memory without
// end. The inputs are the same in every run.
#include "tests/SlowTests.h"
#include "tests/fuzz/Mutator.h"
#include "tests/fuzz/Readers.h"
#include "gtest/gtest.h"
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

using namespace nova::fuzz;

namespace {
constexpr int kInputs = 5000, kSlowInputs = 1'000'000;
constexpr int kSeconds = 5; // that one input may take

// What a signal's handler can still say.
char theReader[64];
long theInput;
std::string theBytes;

void sayInput(int signal) {
  char text[200];
  int length = snprintf(text, sizeof text, "\nreader %s, input %ld: %s; the input is in fuzz-failure\n", theReader, theInput,
                        signal == SIGVTALRM ? "takes too long" : "ends the program");
  (void)!write(STDERR_FILENO, text, size_t(length));
  if (FILE *file = fopen("fuzz-failure", "wb")) {
    fwrite(theBytes.data(), 1, theBytes.size(), file);
    fclose(file);
  }
  std::signal(signal, SIG_DFL);
  raise(signal);
}

std::vector<std::string> corpus(const std::string &reader) {
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::directory_iterator(NOVA_SOURCE_DIR "/tests/fuzz/corpus/" + reader))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> seeds;
  for (const auto &file : files) {
    std::ifstream stream(file, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return seeds;
}

class Fuzz : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Readers, Fuzz, testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const Reader &reader : readers())
                             names.push_back(reader.name);
                           return names;
                         }()),
                         [](const auto &info) { return info.param; });
} // namespace

TEST_P(Fuzz, TheCorpusIsRead) {
  std::vector<std::string> seeds = corpus(GetParam());
  ASSERT_FALSE(seeds.empty());
  int accepted = 0;
  for (const std::string &seed : seeds)
    accepted += findReader(GetParam())->read(seed);
  EXPECT_GE(accepted, 1) << "without one that is right no input gets far";
}

TEST_P(Fuzz, ChangedInputs) {
  const Reader &reader = *findReader(GetParam());
  snprintf(theReader, sizeof theReader, "%s", reader.name);
  for (int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGVTALRM})
    std::signal(signal, sayInput);
#if !defined(__SANITIZE_ADDRESS__) && !__has_feature(address_sanitizer)
  // Memory without end fails an allocation, which no reader may take for granted.
  rlimit memory = {rlim_t(4) << 30, rlim_t(4) << 30};
  setrlimit(RLIMIT_DATA, &memory);
#endif
  Mutator mutator(corpus(GetParam()), reader.words, 1);
  long accepted = 0, inputs = nova::test::slowTests() ? kSlowInputs : kInputs;
  for (theInput = 0; theInput < inputs; theInput++) {
    theBytes = mutator.next();
    itimerval limit = {{0, 0}, {kSeconds, 0}};
    setitimer(ITIMER_VIRTUAL, &limit, nullptr);
    accepted += reader.read(theBytes);
  }
  itimerval none = {};
  setitimer(ITIMER_VIRTUAL, &none, nullptr);
  std::printf("%ld of %ld inputs are accepted\n", accepted, inputs);
}
