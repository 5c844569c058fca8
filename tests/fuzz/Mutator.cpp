#include "tests/fuzz/Mutator.h"
#include <algorithm>
#include <cstdint>
#include <cstring>

namespace nova::fuzz {
std::string Mutator::next() {
  constexpr size_t longest = 1 << 16;
  std::string bytes = seeds[below(seeds.size())];
  for (size_t changes = 1 + below(6); changes > 0; changes--)
    change(bytes);
  if (bytes.size() > longest)
    bytes.resize(longest);
  return bytes;
}

void Mutator::change(std::string &bytes) {
  size_t at = below(bytes.size() + 1), rest = bytes.size() - at;
  size_t length = std::min(rest, below(random() % 4 ? 9 : 200));
  auto put = [&](std::string_view piece) { bytes.replace(at, random() % 2 ? std::min(rest, piece.size()) : 0, piece); };
  switch (random() % 10) {
  case 0:
    if (rest)
      bytes[at] ^= char(1 << random() % 8);
    break;
  case 1:
    if (rest)
      bytes[at] = char(random());
    break;
  case 2:
    bytes.erase(at, length);
    break;
  case 3: { // a piece again, once or often
    std::string piece = bytes.substr(at, length);
    for (size_t times = random() % 8 ? 1 : below(300); times > 0; times--)
      bytes.insert(at, piece);
    break;
  }
  case 4:
    put(words[below(words.size())]);
    break;
  case 5: { // the end of numbers, binary
    static constexpr uint64_t ends[] = {0, 1, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0xffffffff, uint64_t(1) << 62, ~uint64_t(0) >> 1, ~uint64_t(0)};
    uint64_t value = ends[below(std::size(ends))];
    char image[8];
    std::memcpy(image, &value, 8);
    put({image, size_t(1) << random() % 4});
    break;
  }
  case 6: { // in place of digits others
    size_t digit = bytes.find_first_of("0123456789", at);
    static const char *const numbers[] = {"0", "-1", "1", "7", "63", "256", "65536", "4294967295", "9223372036854775807",
                                          "9223372036854775808", "18446744073709551616", "1e308", "0.5"};
    if (digit != std::string::npos)
      bytes.replace(digit, 1, numbers[below(std::size(numbers))]);
    break;
  }
  case 7:
    bytes.resize(at);
    break;
  case 8: { // a piece of another seed
    const std::string &other = seeds[below(seeds.size())];
    size_t from = below(other.size() + 1);
    put(std::string_view(other).substr(from, below(200)));
    break;
  }
  case 9: { // lines or pieces in another order
    size_t other = below(bytes.size() + 1);
    std::string piece = bytes.substr(at, length);
    bytes.erase(at, length);
    bytes.insert(std::min(other, bytes.size()), piece);
    break;
  }
  }
}
} // namespace nova::fuzz
