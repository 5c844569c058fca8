#include "tests/fuzz/Readers.h"

namespace nova::fuzz {
const std::vector<Reader> &readers() {
  static const std::vector<Reader> all = {
      {"graph", readGraph, {"graph", "@f", "%x", ":", "f64[n, d]", "->", "return", "where", "(", ")", "[", "]", "{", "}",
                            "constant", "matmul", "reduce_max", "iota 1 : [1, n]", "call", "scan", "over(", "reshape",
                            "slice", "from", "size", "gather", "carry(", "with(", "bf16", "i4", "param ", "1e400",
                            "9223372036854775807", "-1", " + ", " * ", "0"}},
      {"module", readModule, {".nova.manifest", ".nova.digest", "\x7f" "ELF"}},
      {"manifest", readManifest, {"\"", "{", "}", "[", "]", ",", ":", "null", "true", "-1", "0", "1", "9223372036854775807",
                                  "1e400", "\"terms\"", "\"dims\"", "\"kind\"", "\"state\"", "\"temporary\"", "\"matrix\"",
                                  "\\u0000", "\"n\"", "\"steps\""}},
      {"store", readStoreEntry, {"novastor"}},
      {"npy", readNpyArray, {"'descr'", "'fortran_order'", "'shape'", "True", "False", "(", ",)", "{", "}", "'<f8'", "'|b1'",
                             "'>i4'", "9223372036854775807", "4294967296", "0"}},
      {"npz", readNpzArchive, {"PK\x01\x02", "PK\x03\x04", "PK\x05\x06", ".npy"}},
      {"safetensors", readSafetensorsFile, {"\"dtype\"", "\"shape\"", "\"data_offsets\"", "\"F64\"", "\"BF16\"", "[", "]", "{",
                                            "}", "-1", "9223372036854775807", "4294967296", "\"__metadata__\""}},
  };
  return all;
}

const Reader *findReader(std::string_view name) {
  for (const Reader &reader : readers())
    if (name == reader.name)
      return &reader;
  return nullptr;
}
} // namespace nova::fuzz
