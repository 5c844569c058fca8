#include "compiler/identity/Version.h"
#include <algorithm>

namespace nova {
static void appendAll(Tokens &tokens, Part part, const std::vector<std::string> &texts) {
  tokens.part(part).count(texts.size());
  for (const std::string &text : texts)
    tokens.text(text);
}

Hash namesHash(const InterfaceNames &names) {
  Tokens tokens(Domain::Names);
  tokens.part(Part::GraphName).text(names.graph);
  appendAll(tokens, Part::TypeParameter, names.typeParams);
  appendAll(tokens, Part::Argument, names.arguments);
  appendAll(tokens, Part::Result, names.results);
  appendAll(tokens, Part::Symbol, names.symbols);
  return tokens.finish();
}

Hash versionHash(const VersionKey &key) {
  Tokens tokens(Domain::Version);
  tokens.hash(key.semantic).hash(namesHash(key.names));
  appendAll(tokens, Part::Probe, key.probes);
  appendAll(tokens, Part::ElementType, key.elementTypes);
  tokens.part(Part::Storage).count(key.storage.size());
  for (auto &[name, type] : key.storage)
    tokens.text(name).text(type);
  tokens.part(Part::Phase).text(key.phase);
  tokens.part(Part::Sequence).text(key.along);
  auto sizes = key.fixedSizes;
  std::sort(sizes.begin(), sizes.end());
  tokens.part(Part::FixedSize).count(sizes.size());
  for (auto &[symbol, size] : sizes)
    tokens.text(symbol).integer(size);
  appendAll(tokens, Part::Target, key.targets);
  tokens.part(Part::Contract).text(key.contract);
  tokens.part(Part::Compiler).text(key.compiler);
  return tokens.finish();
}

Hash storeKey(const Hash &version, const Hash &buildId, const std::vector<std::string> &places) {
  Tokens tokens(Domain::StoreKey);
  tokens.hash(version).hash(buildId);
  appendAll(tokens, Part::Place, places);
  return tokens.finish();
}
} // namespace nova
