//===- Manifest.cpp - Parsing and checking the manifest -------------------===//

#include "runtime/core/Manifest.h"
#include "runtime/core/ManifestReader.h"

#include <algorithm>
#include <unordered_map>

using namespace nova::runtime;

namespace {

constexpr int64_t kFormat = 2;
constexpr int64_t kMaxIndex = INT32_MAX;
constexpr int64_t kMaxRank = 64;
constexpr int64_t kMaxExponent = 62; // 2^63 is no size any more

/// Reads one manifest, part by part; later parts are checked against earlier ones.
class Parser {
public:
  Parser(const Reader::Json &document, Manifest &manifest) : root(document), manifest(manifest) {}

  void parse() {
    int64_t format = root.member("format").integer(INT64_MIN, INT64_MAX);
    if (format != kFormat)
      root.member("format").complain("expected ", kFormat, ", found ", format);
    parseIdentity();
    parseSymbols();
    manifest.canFail = root.member("can_fail").boolean();
    parsePorts("arguments", manifest.arguments);
    parsePorts("results", manifest.results);
    root.member("clauses").each([&](Reader clause) { parseClause(clause); });
    root.member("buffers").each([&](Reader buffer) { parseBuffer(buffer); });
    root.member("steps").each([&](Reader step) { parseStep(step); });
    checkResultsWritten();
  }

private:
  void parseIdentity() {
    manifest.graph = root.member("graph").name();
    manifest.graphHash = parseHash(root.member("graph_hash"));
    manifest.semanticHash = parseHash(root.member("semantic_hash"));
    manifest.versionHash = parseHash(root.member("version_hash"));
    manifest.compiler = root.member("compiler").name();
    manifest.contract = root.member("contract").name();
    Reader targets = root.member("targets");
    targets.each([&](Reader target) {
      std::string name = target.name();
      if (std::find(manifest.targets.begin(), manifest.targets.end(), name) != manifest.targets.end())
        target.complain("the target ", name, " is listed twice");
      manifest.targets.push_back(std::move(name));
    });
    if (manifest.targets.empty())
      targets.complain("expected at least one target");
  }

  static std::string parseHash(Reader reader) {
    std::string hash = reader.text();
    if (hash.size() != 64 || hash.find_first_not_of("0123456789abcdef") != std::string::npos)
      reader.complain("expected 64 lower-case hexadecimal digits, found ", reader.describe());
    return hash;
  }

  void parseSymbols() {
    root.member("symbols").each([&](Reader symbol) {
      std::string name = symbol.name();
      if (!symbolIndex.emplace(name, static_cast<uint32_t>(manifest.symbols.size())).second)
        symbol.complain("the symbol ", name, " is listed twice");
      manifest.symbols.push_back(std::move(name));
    });
    Reader sequence = root.member("sequence");
    if (sequence.isNull())
      return;
    manifest.hasSequence = true;
    manifest.sequence = {parseSymbol(sequence.member("symbol")), parseSymbol(sequence.member("rows")),
                         parseSymbol(sequence.member("past"))};
    const auto &[whole, rows, past] = manifest.sequence;
    if (whole == rows || whole == past || rows == past)
      sequence.complain("expected three different symbols");
  }

  uint32_t parseSymbol(Reader reader) const {
    std::string name = reader.name();
    auto found = symbolIndex.find(name);
    if (found == symbolIndex.end())
      reader.complain("the symbol ", name, " is not in the list of symbols");
    return found->second;
  }

  Dim parseDim(Reader reader) const {
    std::vector<Term> terms;
    reader.member("terms").each([&](Reader term) {
      if (term.size() == 0)
        term.complain("expected a coefficient");
      Term parsed{term.element(0).integer(INT64_MIN, INT64_MAX), {}};
      for (size_t i = 1; i < term.size(); ++i) {
        Reader factor = term.element(i);
        if (factor.size() != 2)
          factor.complain("expected a symbol and an exponent, found ", factor.size(), " elements");
        Factor power{parseSymbol(factor.element(0)), static_cast<uint32_t>(factor.element(1).integer(1, kMaxExponent))};
        for (const Factor &earlier : parsed.factors)
          if (earlier.symbol == power.symbol)
            factor.complain("the symbol ", manifest.symbols[power.symbol], " occurs twice in a term");
        parsed.factors.push_back(power);
      }
      terms.push_back(std::move(parsed));
    });
    return Dim(reader.member("text").name(), std::move(terms));
  }

  Dim parseDimWithout(std::initializer_list<uint32_t> symbols, Reader reader) const {
    Dim dim = parseDim(reader);
    for (uint32_t symbol : symbols)
      if (dim.degree(symbol) > 0)
        reader.complain("the symbol ", manifest.symbols[symbol], " of the sequence must not occur here");
    return dim;
  }

  /// A dimension that callers see: the symbols `rows` and `past` are the runtime's own.
  Dim parsePublicDim(Reader reader) const {
    if (!manifest.hasSequence)
      return parseDim(reader);
    return parseDimWithout({manifest.sequence.rows, manifest.sequence.past}, reader);
  }

  /// At most as many as a tensor has axes.
  std::vector<Dim> parseDims(Reader reader) const {
    if (reader.size() > kMaxRank)
      reader.complain("expected at most ", kMaxRank, " axes, found ", reader.size());
    std::vector<Dim> dims;
    reader.each([&](Reader dim) { dims.push_back(parseDim(dim)); });
    return dims;
  }

  void parsePorts(const char *name, std::vector<Port> &ports) {
    Reader list = root.member(name);
    list.each([&](Reader reader) {
      Port port;
      port.name = reader.member("name").name();
      port.type = parseType(reader.member("type"));
      Reader dims = reader.member("dims");
      if (dims.size() > kMaxRank)
        dims.complain("expected at most ", kMaxRank, " axes, found ", dims.size());
      dims.each([&](Reader dim) { port.dims.push_back(parsePublicDim(dim)); });
      parseSequenceAxis(reader.member("sequence_axis"), port);
      ports.push_back(std::move(port));
      // Only now do the texts lie where they will stay: moving a port moves its vector of dims as a whole.
      for (const Dim &dim : ports.back().dims)
        ports.back().dimTexts.push_back(dim.text().c_str());
    });
    bool grows = std::any_of(ports.begin(), ports.end(), [](const Port &port) { return port.sequenceAxis >= 0; });
    if (manifest.hasSequence && !grows)
      list.complain("a sequence needs at least one with a sequence_axis, found none");
  }

  void parseSequenceAxis(Reader reader, Port &port) const {
    if (reader.isNull())
      return;
    if (!manifest.hasSequence)
      reader.complain("expected null in a module without a sequence, found ", reader.describe());
    if (port.dims.empty())
      reader.complain("expected null for rank 0, found ", reader.describe());
    port.sequenceAxis = static_cast<int32_t>(reader.integer(0, static_cast<int64_t>(port.dims.size()) - 1));
    const Dim &dim = port.dims[port.sequenceAxis];
    if (dim.plainSymbol() != static_cast<int32_t>(manifest.sequence.whole))
      reader.complain("expected an axis of size ", manifest.symbols[manifest.sequence.whole], ", found ", dim.text());
  }

  static nova_type_t parseType(Reader reader) {
    std::string name = reader.text();
    for (nova_type_t type : {NOVA_F64, NOVA_F32, NOVA_I64, NOVA_I32, NOVA_I1})
      if (name == nova_type_name(type))
        return type;
    reader.complain("expected f64, f32, i64, i32 or i1, found ", reader.describe());
  }

  void parseClause(Reader reader) {
    static constexpr std::pair<const char *, Relation> kRelations[] = {{">=", Relation::GreaterEqual},
                                                                       {"<=", Relation::LessEqual},
                                                                       {"==", Relation::Equal},
                                                                       {">", Relation::Greater},
                                                                       {"<", Relation::Less}};
    Reader relation = reader.member("relation");
    std::string name = relation.text();
    for (auto [text, value] : kRelations)
      if (name == text) {
        manifest.clauses.push_back({reader.member("text").name(), parsePublicDim(reader.member("lhs")), value,
                                    parsePublicDim(reader.member("rhs"))});
        return;
      }
    relation.complain("expected one of >=, <=, ==, >, <, found ", relation.describe());
  }

  void parseBuffer(Reader reader) {
    Reader kindReader = reader.member("kind");
    std::string kind = kindReader.text();
    BufferSpec buffer{};
    if (kind == "argument" || kind == "result") {
      bool isArgument = kind == "argument";
      buffer.kind = isArgument ? BufferKind::Argument : BufferKind::Result;
      size_t count = (isArgument ? manifest.arguments : manifest.results).size();
      // A list without entries has no valid index; the range 0 .. -1 says so.
      buffer.index = static_cast<uint32_t>(reader.member("index").integer(0, static_cast<int64_t>(count) - 1));
    } else if (kind == "temporary" || kind == "state") {
      bool isState = kind == "state";
      buffer.kind = isState ? BufferKind::State : BufferKind::Temporary;
      if (isState && !manifest.hasSequence)
        kindReader.complain("a state needs a module with a sequence");
      buffer.index = isState ? manifest.states++ : manifest.temporaries++;
      buffer.name = reader.member("name").name();
      buffer.symbol = reader.member("bytes").name();
      buffer.count = parseCount(reader.member("count"), isState);
    } else if (kind == "constant") {
      buffer.kind = BufferKind::Constant;
      buffer.index = manifest.constants++;
      buffer.symbol = reader.member("symbol").name();
    } else {
      kindReader.complain("expected argument, result, temporary, state or constant, found ", kindReader.describe());
    }
    manifest.buffers.push_back(std::move(buffer));
  }

  /// How many matrices a session holds must not change while it grows.
  Dim parseCount(Reader reader, bool isState) const {
    if (!isState)
      return parseDim(reader);
    const auto &[whole, rows, past] = manifest.sequence;
    return parseDimWithout({whole, rows, past}, reader);
  }

  StepBuffer parseStepBuffer(Reader reader, size_t axes) const {
    StepBuffer parsed{};
    int64_t last = std::min<int64_t>(kMaxIndex, static_cast<int64_t>(manifest.buffers.size()) - 1);
    parsed.buffer = static_cast<uint32_t>(reader.member("buffer").integer(0, last));
    Reader unit = reader.member("unit");
    std::string unitName = unit.text();
    if (unitName != "bytes" && unitName != "matrix")
      unit.complain("expected bytes or matrix, found ", unit.describe());
    parsed.inMatrices = unitName == "matrix";
    BufferKind kind = manifest.buffers[parsed.buffer].kind;
    if (parsed.inMatrices && kind != BufferKind::Temporary && kind != BufferKind::State)
      unit.complain("expected bytes, as only temporaries and states consist of matrices");
    Reader strides = reader.member("strides");
    parsed.strides = parseDims(strides);
    if (parsed.strides.size() != axes)
      strides.complain("expected one for each axis of the batch, ", axes, ", found ", parsed.strides.size());
    return parsed;
  }

  /// A step that joins needs a step before it whose instances are the same.
  bool parseJoins(Reader reader, const std::vector<Dim> &batch) const {
    bool joins = reader.boolean();
    if (joins && manifest.steps.empty())
      reader.complain("expected false, as no step is before the first");
    if (joins && !(manifest.steps.back().batch == batch))
      reader.complain("expected false, as the batch differs from that of the step before");
    return joins;
  }

  void parseStep(Reader reader) {
    Step step;
    step.kernel = reader.member("kernel").name();
    Reader entry = reader.member("entry");
    for (const std::string &target : manifest.targets)
      step.entries.push_back(entry.member(target.c_str()).name());
    step.rows = parseDim(reader.member("rows"));
    step.block = reader.member("block").integer(1, INT64_MAX);
    Reader order = reader.member("order");
    std::string orderName = order.text();
    if (orderName != "ascending" && orderName != "descending")
      order.complain("expected ascending or descending, found ", order.describe());
    step.descending = orderName == "descending";
    step.batch = parseDims(reader.member("batch"));
    step.joins = parseJoins(reader.member("joins"), step.batch);
    reader.member("buffers").each(
        [&](Reader buffer) { step.buffers.push_back(parseStepBuffer(buffer, step.batch.size())); });
    for (const StepBuffer &given : step.buffers)
      step.usesMatrices |= given.inMatrices;
    Reader scratch = reader.member("scratch");
    if (!scratch.isNull())
      step.scratch = scratch.name();
    manifest.steps.push_back(std::move(step));
  }

  /// A result that no step is given would be returned as whatever the caller's memory held.
  void checkResultsWritten() const {
    std::vector<bool> used(manifest.results.size());
    for (const Step &step : manifest.steps)
      for (const StepBuffer &given : step.buffers)
        if (const BufferSpec &buffer = manifest.buffers[given.buffer]; buffer.kind == BufferKind::Result)
          used[buffer.index] = true;
    for (size_t i = 0; i < used.size(); ++i)
      if (!used[i])
        root.member("results").element(i).complain("no step writes the result ", manifest.results[i].name);
  }

  Reader root;
  Manifest &manifest;
  std::unordered_map<std::string, uint32_t> symbolIndex;
};

} // namespace

Status nova::runtime::parseManifest(std::string_view text, Manifest &manifest) {
  Reader::Json document = Reader::Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded())
    return fail(NOVA_MODULE_INVALID, "the manifest is not JSON");
  try {
    Parser(document, manifest).parse();
  } catch (const ManifestError &error) {
    return fail(NOVA_MODULE_INVALID, "manifest, ", error.text);
  }
  return planBindings(manifest);
}
