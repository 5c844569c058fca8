//===- Manifest.cpp - Parsing and checking the manifest -------------------===//

#include "runtime/core/Manifest.h"
#include "runtime/core/ManifestReader.h"

#include <algorithm>
#include <unordered_map>

using namespace nova::runtime;

namespace {

constexpr int64_t kFormat = 6;
constexpr int64_t kMaxIndex = INT32_MAX;
constexpr int64_t kMostTiles = 1 << 16;
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
    parseRagged();
    parseOperations();
    parsePorts("arguments", manifest.arguments);
    parseParams();
    parsePorts("results", manifest.results);
    root.member("clauses").each([&](Reader clause) { parseClause(clause); });
    root.member("buffers").each([&](Reader buffer) { parseBuffer(buffer); });
    filled.resize(manifest.buffers.size());
    if (root.has("prepare"))
      parsePrepare(root.member("prepare"));
    root.member("steps").each([&](Reader step) { parseStep(step, Stage::Run); });
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

  /// The scans and operations that errors of a run name; missing means none.
  void parseOperations() {
    if (root.has("scans"))
      root.member("scans").each(
          [&](Reader scan) { manifest.scans.push_back({scan.member("text").name(), parseDim(scan.member("first"))}); });
    if (!root.has("operations"))
      return;
    std::unordered_map<uint32_t, uint32_t> firstOf; // by outermost scan
    root.member("operations").each([&](Reader reader) {
      auto number = static_cast<uint32_t>(manifest.operations.size());
      Operation operation{reader.member("text").name(), {}, number};
      Reader scans = reader.member("scans");
      if (scans.size() > kMaxLoops)
        scans.complain("expected at most ", kMaxLoops, " scans in each other, found ", scans.size());
      scans.each([&](Reader scan) {
        int64_t last = static_cast<int64_t>(manifest.scans.size()) - 1;
        operation.scans.push_back(static_cast<uint32_t>(scan.integer(0, last)));
      });
      if (!operation.scans.empty())
        operation.order = firstOf.emplace(operation.scans.front(), number).first->second;
      manifest.operations.push_back(std::move(operation));
    });
  }

  /// Missing means false.
  void parseRagged() {
    manifest.ragged = root.has("ragged") && root.member("ragged").boolean();
    if (manifest.ragged && !manifest.hasSequence)
      root.member("ragged").complain("expected false in a module without a sequence, found true");
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

  /// A dimension that is needed before there are any arguments but params.
  Dim parsePreparedDim(Reader reader) const {
    Dim dim = parseDim(reader);
    for (uint32_t symbol : dim.symbols())
      if (!manifest.paramSymbols[symbol])
        reader.complain("no param has the size ", manifest.symbols[symbol]);
    return dim;
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

  Dim parseStepDim(Reader reader, Stage stage) const {
    return stage == Stage::Prepare ? parsePreparedDim(reader) : parseDim(reader);
  }

  /// At most as many as a tensor has axes.
  std::vector<Dim> parseStepDims(Reader reader, Stage stage) const {
    if (reader.size() > kMaxRank)
      reader.complain("expected at most ", kMaxRank, " axes, found ", reader.size());
    std::vector<Dim> dims;
    reader.each([&](Reader dim) { dims.push_back(parseStepDim(dim, stage)); });
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

  /// Which arguments are params, and which symbols they tell.
  void parseParams() {
    Reader list = root.member("arguments");
    manifest.paramSymbols.resize(manifest.symbols.size());
    for (uint32_t i = 0; i < manifest.arguments.size(); ++i) {
      Reader reader = list.element(i);
      Port &port = manifest.arguments[i];
      port.isParam = reader.has("param") && reader.member("param").boolean();
      if (port.isParam && port.sequenceAxis >= 0)
        reader.member("sequence_axis").complain("expected null for a param, found ", port.sequenceAxis);
      port.position = port.isParam ? manifest.params++ : i - manifest.params;
      if (!port.isParam)
        continue;
      for (const Dim &size : port.dims)
        if (int32_t symbol = size.plainSymbol(); symbol >= 0 && !growsWithSession(static_cast<uint32_t>(symbol)))
          manifest.paramSymbols[symbol] = true;
    }
    for (Port &port : manifest.arguments)
      port.settled = port.isParam && std::all_of(port.dims.begin(), port.dims.end(),
                                                 [&](const Dim &size) { return manifest.knownFromParams(size); });
  }

  bool growsWithSession(uint32_t symbol) const { return manifest.hasSequence && symbol == manifest.sequence.whole; }

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
    std::string known;
    for (int value = 0; const char *each = nova_type_name(static_cast<nova_type_t>(value)); ++value) {
      if (name == each)
        return static_cast<nova_type_t>(value);
      known += (known.empty() ? "" : ", ") + std::string(each);
    }
    reader.complain("expected one of ", known, ", found ", reader.describe());
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
        Clause clause{reader.member("text").name(), parsePublicDim(reader.member("lhs")), value,
                      parsePublicDim(reader.member("rhs"))};
        clause.settled =
            manifest.params > 0 && manifest.knownFromParams(clause.lhs) && manifest.knownFromParams(clause.rhs);
        manifest.clauses.push_back(std::move(clause));
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
    } else if (kind == "temporary" || kind == "state" || kind == "next" || kind == "prepared") {
      parseKind(kindReader, kind, buffer);
      buffer.name = reader.member("name").name();
      buffer.symbol = reader.member("bytes").name();
      buffer.count = parseCount(reader.member("count"), buffer.kind);
      if (buffer.kind == BufferKind::Next)
        parseReplaced(reader, buffer);
      if (buffer.kind == BufferKind::State && reader.has("layout"))
        parseLayout(reader, buffer);
    } else if (kind == "constant") {
      buffer.kind = BufferKind::Constant;
      buffer.index = manifest.constants++;
      buffer.symbol = reader.member("symbol").name();
    } else {
      kindReader.complain("expected argument, result, temporary, state, next, prepared or constant, found ",
                          kindReader.describe());
    }
    if (manifest.ragged)
      parseRow(reader, buffer);
    manifest.buffers.push_back(std::move(buffer));
  }

  /// Where the new rows lie; missing where it has none.
  void parseRow(Reader reader, BufferSpec &buffer) const {
    const Port *port = buffer.kind == BufferKind::Argument ? &manifest.arguments[buffer.index]
                       : buffer.kind == BufferKind::Result ? &manifest.results[buffer.index]
                                                           : nullptr;
    if (buffer.kind == BufferKind::Result && port->sequenceAxis < 0)
      reader.complain("expected a result with a sequence_axis in a ragged module");
    if (port && port->sequenceAxis >= 0 && port->type == NOVA_I4)
      reader.complain("expected rows of whole bytes in a ragged module");
    buffer.hasRows = reader.has("row");
    if (port && buffer.hasRows != (port->sequenceAxis >= 0))
      reader.complain("expected a row where there is a sequence_axis, and only there");
    if (!buffer.hasRows)
      return;
    if (!port && buffer.kind != BufferKind::Temporary)
      reader.member("row").complain("expected none but in arguments, results and temporaries");
    buffer.row = parseFixedDim(reader.member("row"));
  }

  /// A dimension that does not change from run to run of a session.
  Dim parseFixedDim(Reader reader) const {
    const auto &[whole, rows, past] = manifest.sequence;
    return parseDimWithout({whole, rows, past}, reader);
  }

  /// The kinds of memory that the runtime holds.
  void parseKind(Reader reader, const std::string &kind, BufferSpec &buffer) {
    if (kind == "temporary") {
      buffer.kind = BufferKind::Temporary;
      buffer.index = manifest.temporaries++;
    } else if (kind == "state") {
      if (!manifest.hasSequence)
        reader.complain("a state needs a module with a sequence");
      buffer.kind = BufferKind::State;
      buffer.index = manifest.states++;
      replaced.push_back(false);
    } else if (kind == "next") {
      buffer.kind = BufferKind::Next;
    } else {
      if (manifest.params == 0)
        reader.complain("a prepared buffer needs a module with a param");
      buffer.kind = BufferKind::Prepared;
      buffer.index = manifest.prepared++;
    }
  }

  /// How a state lies, for whoever keeps it elsewhere.
  void parseLayout(Reader reader, BufferSpec &buffer) const {
    static constexpr std::pair<const char *, StateLayout> kLayouts[] = {
        {"rows", StateLayout::Rows}, {"panels", StateLayout::Panels}, {"pages", StateLayout::Pages}};
    Reader layout = reader.member("layout");
    std::string name = layout.text();
    for (auto [text, value] : kLayouts)
      if (name == text) {
        buffer.layout = value;
        buffer.isDescribed = true;
      }
    if (!buffer.isDescribed)
      layout.complain("expected rows, panels or pages, found ", layout.describe());
    Reader type = reader.member("type"), dims = reader.member("dims");
    buffer.type = parseType(type);
    if (buffer.type == NOVA_I4)
      type.complain("expected entries of whole bytes");
    dims.each([&](Reader dim) { buffer.dims.push_back(parseDim(dim)); });
    if (buffer.dims.size() > static_cast<size_t>(kMaxRank) ||
        (buffer.layout != StateLayout::Rows && buffer.dims.size() != 2))
      dims.complain("expected ", buffer.layout == StateLayout::Rows ? "fewer" : "two", " axes, found ",
                    buffer.dims.size());
    buffer.hasWindow = reader.has("window");
    if (buffer.hasWindow)
      buffer.window = parseFixedDim(reader.member("window"));
  }

  /// The state that a next buffer takes the place of.
  void parseReplaced(Reader reader, BufferSpec &buffer) {
    Reader of = reader.member("of");
    const BufferSpec &state =
        manifest.buffers[static_cast<size_t>(of.integer(0, static_cast<int64_t>(manifest.buffers.size()) - 1))];
    if (state.kind != BufferKind::State)
      of.complain("expected a state");
    if (replaced[state.index])
      of.complain("the state ", state.name, " has a next buffer already");
    if (!(state.count == buffer.count))
      reader.member("count").complain("expected that of the state, ", state.count.text(), ", found ",
                                      buffer.count.text());
    replaced[state.index] = true;
    buffer.index = state.index;
  }

  /// How many matrices a session holds must not change while it grows.
  Dim parseCount(Reader reader, BufferKind kind) const {
    if (kind == BufferKind::Prepared)
      return parsePreparedDim(reader);
    if (kind == BufferKind::Temporary)
      return parseDim(reader);
    return parseFixedDim(reader);
  }

  /// What there is before the first run.
  bool existsInPrepare(const BufferSpec &buffer) const {
    return buffer.kind == BufferKind::Prepared || buffer.kind == BufferKind::Constant ||
           (buffer.kind == BufferKind::Argument && manifest.arguments[buffer.index].isParam);
  }

  /// Whether strides count matrices.
  static bool parseUnit(Reader unit, const BufferSpec &buffer) {
    std::string name = unit.text();
    if (name != "bytes" && name != "matrix")
      unit.complain("expected bytes or matrix, found ", unit.describe());
    if (name == "matrix" && !buffer.hasMatrices())
      unit.complain("expected bytes, as only temporaries, states and prepared buffers consist of matrices");
    return name == "matrix";
  }

  StepBuffer parseStepBuffer(Reader reader, size_t axes, Stage stage) const {
    StepBuffer parsed{};
    int64_t last = std::min<int64_t>(kMaxIndex, static_cast<int64_t>(manifest.buffers.size()) - 1);
    Reader index = reader.member("buffer");
    parsed.buffer = static_cast<uint32_t>(index.integer(0, last));
    const BufferSpec &buffer = manifest.buffers[parsed.buffer];
    if (stage == Stage::Prepare && !existsInPrepare(buffer))
      index.complain("expected a param, a constant or a prepared buffer, found ", parsed.buffer,
                     ", which there is only in a run");
    if (stage == Stage::Run && buffer.kind == BufferKind::Prepared && !filled[parsed.buffer])
      index.complain("no step of prepare is given the buffer ", buffer.name);
    parsed.inMatrices = parseUnit(reader.member("unit"), buffer);
    Reader strides = reader.member("strides");
    parsed.strides = parseStepDims(strides, stage);
    if (parsed.strides.size() != axes)
      strides.complain("expected one for each axis of the batch, ", axes, ", found ", parsed.strides.size());
    if (openLoops.empty())
      return parsed;
    Reader loops = reader.member("loops"), loopStrides = loops.member("strides");
    parsed.loopsInMatrices = parseUnit(loops.member("unit"), buffer);
    parsed.loopStrides = parseStepDims(loopStrides, stage);
    if (parsed.loopStrides.size() != openLoops.size())
      loopStrides.complain("expected one for each loop around the step, ", openLoops.size(), ", found ",
                           parsed.loopStrides.size());
    return parsed;
  }

  /// A step that joins needs a step before it whose instances are the same.
  bool parseJoins(Reader reader, const std::vector<Dim> &batch, const std::vector<Step> &before) const {
    bool joins = reader.boolean();
    if (joins && before.size() == firstToJoin)
      reader.complain("expected false, as no step is before the first");
    if (joins && !(before.back().batch == batch))
      reader.complain("expected false, as the batch differs from that of the step before");
    return joins;
  }

  void parsePrepare(Reader list) {
    if (list.size() > 0 && manifest.params == 0)
      list.complain("expected no steps in a module without a param, found ", list.size());
    list.each([&](Reader step) { parseStep(step, Stage::Prepare); });
    for (const Step &step : manifest.prepare)
      for (const StepBuffer &given : step.buffers)
        filled[given.buffer] = true;
  }

  void parseLoop(Reader reader) {
    if (openLoops.size() == kMaxLoops)
      reader.complain("expected at most ", kMaxLoops, " loops in each other");
    auto index = static_cast<int32_t>(manifest.loops.size());
    auto first = static_cast<uint32_t>(manifest.steps.size());
    Reader repeat = reader.member("repeat");
    manifest.loops.push_back({manifest.ragged ? parseFixedDim(repeat) : parseDim(repeat),
                              openLoops.empty() ? -1 : openLoops.back(), first, first});
    openLoops.push_back(index);
    firstToJoin = manifest.steps.size();
    reader.member("steps").each([&](Reader step) { parseStep(step, Stage::Run); });
    openLoops.pop_back();
    firstToJoin = manifest.steps.size();
    manifest.loops[index].endStep = static_cast<uint32_t>(manifest.steps.size());
  }

  void parseStep(Reader reader, Stage stage) {
    if (stage == Stage::Run && reader.has("repeat"))
      return parseLoop(reader);
    std::vector<Step> &steps = stage == Stage::Prepare ? manifest.prepare : manifest.steps;
    Step step;
    if (!openLoops.empty())
      step.loop = openLoops.back();
    step.kernel = reader.member("kernel").name();
    Reader entry = reader.member("entry");
    for (const std::string &target : manifest.targets)
      step.entries.push_back(entry.member(target.c_str()).name());
    step.rows = parseStepDim(reader.member("rows"), stage);
    step.block = reader.member("block").integer(1, INT64_MAX);
    Reader order = reader.member("order");
    std::string orderName = order.text();
    if (orderName != "ascending" && orderName != "descending")
      order.complain("expected ascending or descending, found ", order.describe());
    step.descending = orderName == "descending";
    step.batch = parseStepDims(reader.member("batch"), stage);
    step.joins = parseJoins(reader.member("joins"), step.batch, steps);
    reader.member("buffers").each(
        [&](Reader buffer) { step.buffers.push_back(parseStepBuffer(buffer, step.batch.size(), stage)); });
    for (const StepBuffer &given : step.buffers)
      step.usesMatrices |= given.inMatrices || given.loopsInMatrices;
    Reader scratch = reader.member("scratch");
    if (!scratch.isNull())
      step.scratch = scratch.name();
    if (reader.has("library"))
      parseLibrary(reader.member("library"), step);
    if (reader.has("folds"))
      step.folds = parseFolds(reader.member("folds"), step);
    step.splits = reader.has("splits") && reader.member("splits").boolean();
    if (reader.has("sections"))
      parseSections(reader.member("sections"), step);
    if (reader.has("faults"))
      parseFaults(reader.member("faults"), step, stage);
    if (manifest.ragged && reader.has("apart"))
      parseApart(reader, step);
    steps.push_back(std::move(step));
  }

  /// All sessions have the same instances of a step that is run for each of them.
  void parseApart(Reader reader, Step &step) const {
    step.apart = reader.member("apart").boolean();
    if (step.apart)
      reader.member("batch").each([&](Reader size) { (void)parseFixedDim(size); });
  }

  void parseSections(Reader list, Step &step) const {
    constexpr int64_t kMostUnit = int64_t{1} << 32;
    list.each([&](Reader reader) {
      SectionSpec &section = step.sections.emplace_back();
      section.isCut = !reader.isNull();
      if (!section.isCut)
        return;
      section.columns = parseDim(reader.member("columns"));
      section.unit = reader.member("unit").integer(1, kMostUnit);
    });
    if (step.scratch.empty() && !step.sections.empty())
      list.complain("expected none for a step without scratch, found ", list.size());
  }

  static bool parseFolds(Reader reader, const Step &step) {
    bool folds = reader.boolean();
    if (folds && (step.batch.empty() || step.scratch.empty()))
      reader.complain("expected false for a step without a batch or without scratch, found true");
    return folds;
  }

  void parseFaults(Reader list, Step &step, Stage stage) const {
    if (list.size() > 0 && step.scratch.empty()) // where the kernel would tell them
      list.complain("expected none for a step without scratch, found ", list.size());
    if (list.size() > 0 && step.folds) // which instances its rows are decides about positions
      list.complain("expected none for a step that folds, found ", list.size());
    if (list.size() > 0 && stage == Stage::Run && !manifest.canFail)
      list.complain("expected none, as can_fail is false, found ", list.size());
    list.each([&](Reader reader) {
      Fault fault{};
      Reader operation = reader.member("operation");
      fault.operation = static_cast<uint32_t>(
          operation.integer(0, std::min<int64_t>(kMaxIndex, static_cast<int64_t>(manifest.operations.size()) - 1)));
      if (!step.faults.empty() && step.faults.back().operation > fault.operation)
        operation.complain("expected the operations in their order, found ", fault.operation, " after ",
                           step.faults.back().operation);
      fault.axes = static_cast<uint32_t>(reader.member("axes").integer(0, kMaxRank));
      Reader batch = reader.member("batch");
      batch.each([&](Reader along) { fault.batch.push_back(parseAlong(along, fault.axes)); });
      if (fault.batch.size() != step.batch.size())
        batch.complain("expected one for each axis of the batch, ", step.batch.size(), ", found ", fault.batch.size());
      parseRuns(reader, step, stage, fault);
      step.faults.push_back(std::move(fault));
    });
  }

  static Fault::Along parseAlong(Reader reader, uint32_t axes) {
    if (reader.isNull())
      return {};
    if (reader.size() != 2)
      reader.complain("expected an axis and a step, found ", reader.size(), " elements");
    return {static_cast<int32_t>(reader.element(0).integer(0, static_cast<int64_t>(axes) - 1)),
            reader.element(1).integer(1, INT32_MAX)};
  }

  /// Runs of scans are those of the loops around a step, or are counted by axes of its batch.
  void parseRuns(Reader reader, const Step &step, Stage stage, Fault &fault) const {
    size_t scans = manifest.operations[fault.operation].scans.size();
    if (reader.has("runs")) {
      Reader runs = reader.member("runs");
      if (stage == Stage::Run)
        runs.complain("expected none but in prepare");
      runs.each([&](Reader axis) {
        int64_t last = static_cast<int64_t>(step.batch.size()) - 1;
        fault.runs.push_back(axis.isNull() ? -1 : static_cast<int32_t>(axis.integer(0, last)));
      });
    }
    size_t known = stage == Stage::Run ? openLoops.size() : fault.runs.size();
    if (known != scans)
      reader.member("operation").complain("expected one in ", known, " scans, as the step is, found ", scans);
  }

  static void parseLibrary(Reader reader, Step &step) {
    if (reader.isNull())
      return;
    if (step.scratch.empty()) // where it would find the tiles
      reader.complain("expected null for a step without scratch, found ", reader.describe());
    step.libraryTiles = static_cast<uint32_t>(reader.member("contractions").integer(1, kMostTiles));
    step.libraryShapes = reader.member("shapes").name();
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
  std::vector<bool> replaced;     // by state: has a next buffer
  std::vector<bool> filled;       // by buffer: some step of prepare is given it
  std::vector<int32_t> openLoops; // outermost first
  size_t firstToJoin = 0;         // no step joins one before this
};

} // namespace

bool Manifest::knownFromParams(const Dim &dim) const {
  std::vector<uint32_t> used = dim.symbols();
  return std::all_of(used.begin(), used.end(), [&](uint32_t symbol) { return paramSymbols[symbol]; });
}

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
