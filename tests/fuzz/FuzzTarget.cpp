// One reader under libFuzzer: NOVA_FUZZ_READER says which. See README.md.
#include "tests/fuzz/Readers.h"
#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const nova::fuzz::Reader *reader = nova::fuzz::findReader(NOVA_FUZZ_READER);
  (void)reader->read({reinterpret_cast<const char *>(data), size});
  return 0;
}
