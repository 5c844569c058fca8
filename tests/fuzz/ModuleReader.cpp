#include "nova/nova.h"
#include "runtime/core/ElfFile.h"
#include "runtime/core/Digest.h"
#include "tests/fuzz/Readers.h"
#include <fstream>
#include <iterator>

namespace nova::fuzz {
namespace {
// Only checked, never loaded: the code of a module is trusted once its digest is right.
bool check(const std::string &bytes) {
  nova_status_t *status = nova_module_check_memory(bytes.data(), bytes.size());
  nova_status_free(status);
  return status == nullptr;
}

// A module but for its manifest and its digest.
const std::string &blankModule() {
  static const std::string bytes = [] {
    std::ifstream file(NOVA_TEST_KERNELS, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }();
  return bytes;
}
} // namespace

bool readModule(std::string_view given) {
  std::string bytes(given), problem;
  // Where it has the sections, what they say is reached; where not, that is found out below.
  (void)runtime::sealModule(bytes, problem);
  return check(bytes);
}

bool readManifest(std::string_view text) {
  std::string bytes = blankModule(), problem;
  runtime::ModuleSections sections;
  if (!runtime::findModuleSections(bytes, sections, problem) || text.size() > sections.manifestSize)
    return false;
  bytes.replace(sections.manifestOffset, text.size(), text);
  return runtime::sealModule(bytes, problem) && check(bytes);
}
} // namespace nova::fuzz
