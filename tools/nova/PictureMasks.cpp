// The masks of a picture: a map of tiles for each, with what the tiles say.
#include "compiler/analysis/AxisMaps.h"
#include "compiler/analysis/TileMap.h"
#include "dialects/graph/Text.h"
#include "tools/nova/Failure.h"
#include "tools/nova/PictureParts.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include <set>

using namespace llvm;

namespace nova::tool {
namespace {
// Rows are looked at one by one.
constexpr int64_t mostPositions = int64_t(1) << 20;
constexpr double mapLeft = Page::margin + 78, mapSide = 352, textLeft = 520, wordIndent = 24;

/// A mask and the operations that skip what it hides.
struct MaskUse {
  GraphOp core;
  mlir::Value hidden;
  SmallVector<mlir::Operation *> readers;
};

/// What is drawn of it.
struct MaskMap {
  int64_t rows = 1, columns = 1;
  std::string rowSize, columnSize; // as the graph has them
  std::string note;                // why there are no tiles, else ""
  bool byData = false;             // what is undecided is decided by data
  std::optional<VisibleColumns> visible;
  TileMap tiles;
};

class MaskPanel {
public:
  MaskPanel(const MaskUse &use, const MaskMap &map, unsigned number, Page &page)
      : use(use), map(map), number(number), page(page) {}
  void draw();

private:
  void drawTiles();
  void drawAxes();
  void drawWords();
  void line(SvgPart::Classes classes, StringRef text, double indent = 0);
  void legend(Tile::Kind kind);
  std::string id(Tile::Kind kind) const;
  void drawKind(SvgPart &part, Tile::Kind kind, double side) const;
  StringRef word(Tile::Kind kind) const;

  const MaskUse &use;
  const MaskMap &map;
  unsigned number;
  Page &page;
  double top = 0, y = 0, side = 0; // of a tile
};
} // namespace

// In the order of the graph, those of a scan's graph where the scan stands.
static void findMasks(GraphOp core, MapVector<mlir::Value, MaskUse> &found) {
  Facts facts = factsOf(core);
  for (mlir::Operation &op : core.getBlock().without_terminator()) {
    if (auto scan = mlir::dyn_cast<ScanOp>(&op)) {
      findMasks(scan.getBody(), found);
      continue;
    }
    std::optional<AxisMaps> maps = axisMapsOf(&op, facts);
    for (unsigned i = maps ? maps->firstHidden : op.getNumOperands(); i < op.getNumOperands(); i++) {
      MaskUse &use = found.insert({op.getOperand(i), {core, op.getOperand(i), {}}}).first->second;
      if (!is_contained(use.readers, &op)) // it may hide both factors
        use.readers.push_back(&op);
    }
  }
}

// 16 to 32 tiles along the longer axis, of 64 positions where that may be.
static int64_t tileEdge(int64_t longest) {
  constexpr int64_t edge = 64, fewest = 16, most = 32;
  if (longest > edge * most)
    return PowerOf2Ceil(divideCeil(longest, most));
  return longest > edge * fewest ? edge : PowerOf2Ceil(std::max<int64_t>(1, divideCeil(longest, fewest)));
}

static std::string percent(int64_t part, int64_t whole) {
  std::string text;
  raw_string_ostream(text) << format("%.1f%%", whole ? 100.0 * double(part) / double(whole) : 0.0);
  return text;
}

static std::string nameOf(mlir::Value hidden) {
  std::string name = valueName(hidden);
  return name.empty() ? "an unnamed mask" : name;
}

static Error tooLarge(const PictureSource &source, mlir::Value hidden) {
  return badInput(source.option + ": a size of mask " + nameOf(hidden) + " is more than 63 bits hold");
}

static Expected<int64_t> sizeOf(const PictureSource &source, mlir::Value hidden, DimAttr dim) {
  std::optional<int64_t> size = evaluateDim(dim, source.sizes);
  if (!size)
    return tooLarge(source, hidden);
  if (*size > mostPositions)
    return badInput(source.option + ": mask " + nameOf(hidden) + " has " + Twine(*size) + " positions along " +
                    toString(dim) + ", expected at most " + Twine(mostPositions) + " for a picture");
  return *size;
}

static Expected<MaskMap> mapOf(const PictureSource &source, const MaskUse &use, const MaskAnalysis &masks) {
  MaskMap map;
  ArrayRef<DimAttr> dims = mlir::cast<TensorType>(use.hidden.getType()).getDims();
  map.byData = !masks.get(use.hidden).exact;
  auto isOne = [&](DimAttr dim) { return masks.getColumns().getFacts().equal(dim, constantDim(dim.getContext(), 1)); };
  if (dims.empty()) {
    map.note = "one truth for all entries";
    return map;
  }
  if (dims.size() > 1) {
    map.rowSize = toString(dims[dims.size() - 2]);
    Expected<int64_t> rows = sizeOf(source, use.hidden, dims[dims.size() - 2]);
    if (!rows)
      return rows.takeError();
    map.rows = *rows;
  }
  map.columnSize = toString(dims.back());
  Expected<int64_t> columns = sizeOf(source, use.hidden, dims.back());
  if (!columns)
    return columns.takeError();
  map.columns = *columns;
  if (!all_of(dims.drop_back(std::min<size_t>(2, dims.size())), isOne)) {
    map.note = "differs along the axes before rows and columns";
    return map;
  }
  map.visible = visibleColumns(masks, use.hidden);
  if (!map.visible) {
    map.note = map.byData ? "decided by data" : "known, but not by bounds of the columns";
    return map;
  }
  std::optional<SmallVector<int64_t>> sizes = evaluateSizes(*map.visible, source.sizes);
  if (!sizes)
    return tooLarge(source, use.hidden);
  map.tiles = mapTiles(*map.visible, map.rows, map.columns, tileEdge(std::max(map.rows, map.columns)), *sizes);
  if (map.tiles.tiles.empty())
    map.note = "no entries";
  return map;
}

StringRef MaskPanel::word(Tile::Kind kind) const {
  switch (kind) {
  case Tile::Empty:
    return "empty";
  case Tile::Partial:
    return "partial";
  case Tile::Full:
    return "full";
  case Tile::Undecided:
    return map.byData ? "decided by data" : "within bounds";
  }
  llvm_unreachable("a tile is of one of the four kinds");
}

std::string MaskPanel::id(Tile::Kind kind) const {
  static constexpr StringLiteral letters[] = {"e", "p", "f", "u"};
  return (letters[kind] + Twine(number)).str();
}

// Patterns tell the kinds apart without colours.
void MaskPanel::drawKind(SvgPart &part, Tile::Kind kind, double side) const {
  static constexpr StringLiteral classes[] = {"none", "part", "full", "undecided"};
  part.rect(0, 0, side, side, side > 8 ? 1.5 : 0, {classes[kind]});
  if (kind == Tile::Partial) {
    SvgPath lines;
    for (double at = 4; at < 2 * side; at += 5) {
      double from = std::max(0.0, at - side), to = std::min(at, side);
      lines.move(from, to).line(to, from);
    }
    part.path(lines, {"hatch"});
  }
  if (kind == Tile::Undecided)
    for (double x = side / (side > 15 ? 6 : 2); x < side; x += side / 3)
      for (double y = side / (side > 15 ? 6 : 2); y < side; y += side / 3)
        part.circle(x, y, 1.1, {"dots"});
}

void MaskPanel::drawTiles() {
  const TileMap &tiles = map.tiles;
  for (Tile::Kind kind : {Tile::Empty, Tile::Partial, Tile::Full, Tile::Undecided}) {
    SvgPart part;
    drawKind(part, kind, side - 1);
    page.definitions.group(id(kind), part);
  }
  for (int64_t i = 0; i < tiles.down; i++)
    for (int64_t j = 0; j < tiles.across; j++) {
      const Tile &tile = tiles.at(i, j);
      std::string tooltip;
      raw_string_ostream os(tooltip);
      os << "rows " << i * tiles.edge << ".." << std::min(tiles.rows, (i + 1) * tiles.edge) - 1 << ", columns "
         << j * tiles.edge << ".." << std::min(tiles.columns, (j + 1) * tiles.edge) - 1 << ": " << word(tile.kind);
      if (tile.kind == Tile::Partial || tile.kind == Tile::Undecided)
        os << ", " << (tile.kind == Tile::Undecided ? "at most " : "") << tile.visible << " of "
           << tiles.entriesOf(i, j) << " visible";
      page.body.use(id(tile.kind), mapLeft + double(j) * side, top + double(i) * side, tooltip);
    }
}

// Positions at the tiles' first rows and columns, as many as have room.
void MaskPanel::drawAxes() {
  const TileMap &tiles = map.tiles;
  auto sizeText = [](StringRef word, StringRef size, int64_t value) {
    std::string number = std::to_string(value);
    return word.str() + (size.empty() || size == number ? "" : ", " + shortened(size, 24) + " = " + number);
  };
  auto step = [&](int64_t count, double least) {
    int64_t step = 1;
    while (double(step) * side < least && step < count)
      step *= 2;
    return step;
  };
  for (int64_t j = 0; j < tiles.across; j += step(tiles.across, 44)) {
    double x = mapLeft + double(j) * side;
    page.body.path(SvgPath().move(x, top - 3).down(-4), {"tick"});
    page.body.text(x, top - 11, {"small", "quiet"}, std::to_string(j * tiles.edge));
  }
  for (int64_t i = 0; i < tiles.down && tiles.rows > 1; i += step(tiles.down, 22)) {
    double y = top + double(i) * side;
    page.body.path(SvgPath().move(mapLeft - 3, y).across(-4), {"tick"});
    page.body.text(mapLeft - 10, y + 9, {"small", "quiet", "end"}, std::to_string(i * tiles.edge));
  }
  page.body.text(mapLeft, top - 27, {"small", "quiet"}, sizeText("column j", map.columnSize, map.columns) + " →");
  if (tiles.rows > 1)
    page.body.textUp(Page::margin + 24, top, {"small", "quiet", "end"},
                     "← " + sizeText("row i", map.rowSize, map.rows));
}

void MaskPanel::line(SvgPart::Classes classes, StringRef text, double indent) {
  page.body.text(textLeft + indent, y, classes, text);
  y += 18;
}

void MaskPanel::legend(Tile::Kind kind) {
  int64_t count = count_if(map.tiles.tiles, [&](const Tile &tile) { return tile.kind == kind; });
  SvgPart swatch;
  drawKind(swatch, kind, 14);
  page.definitions.group("legend-" + id(kind), swatch);
  page.body.use("legend-" + id(kind), textLeft, y - 11);
  page.body.text(textLeft + wordIndent, y, {}, word(kind));
  page.body.text(textLeft + 200, y, {"end"}, grouped(count));
  page.body.text(textLeft + 210, y, {"quiet"}, count == 1 ? "tile" : "tiles");
  page.body.text(textLeft + 310, y, {"end"}, percent(count, int64_t(map.tiles.tiles.size())));
  y += 22;
}

void MaskPanel::drawWords() {
  constexpr double room = Page::width - Page::margin - 20 - textLeft;
  constexpr size_t letters = room / Page::sansAdvance;
  std::string name = nameOf(use.hidden), type = toString(use.hidden.getType());
  page.body.text(textLeft, y, {"mono", "strong", "mask"}, shortened(name, 34), name);
  y += 20;
  for (const std::string &text : wrapped(type, room / Page::monoAdvance))
    line({"mono", "quiet"}, text);
  std::vector<std::string> readers;
  for (mlir::Operation *op : use.readers) {
    std::string reader = valueName(op->getResult(0));
    readers.push_back(reader.empty() ? "an unnamed " + op->getName().stripDialect().str() : reader);
  }
  for (const std::string &text : wrapped("hides entries from " + join(readers, ", "), letters))
    line({"quiet"}, text);
  y += 8;
  if (!map.note.empty())
    return line({}, map.note);
  bool isBound = map.visible->kind == VisibleColumns::Bounds;
  line({}, isBound ? "Row i sees at most columns j with" : "Row i sees columns j with");
  if (map.visible->pieces.empty())
    line({"mono"}, "none: nothing is visible");
  for (auto [k, piece] : enumerate(map.visible->pieces)) {
    page.body.text(textLeft, y, {"quiet"}, k ? "or" : "");
    for (const std::string &text : wrapped(pieceText(*map.visible, piece), (room - wordIndent) / Page::monoAdvance))
      line({"mono"}, text, wordIndent);
  }
  y += 12;
  if (isBound) {
    legend(Tile::Undecided);
  } else {
    legend(Tile::Full);
    legend(Tile::Partial);
  }
  legend(Tile::Empty);
  const TileMap &tiles = map.tiles;
  int64_t entries = tiles.rows * tiles.columns, visible = tiles.visible();
  y += 4;
  line({}, (isBound ? "Visible are at most " : "Visible are ") + percent(visible, entries) + " of the entries:");
  line({}, grouped(visible) + " of " + grouped(entries));
  line({"quiet"}, ("Tiles of " + Twine(tiles.edge) + " × " + Twine(tiles.edge) + " positions").str());
}

// A mask of which nothing is known is a field of its kind.
static void drawUnknown(Page &page, double top, double height) {
  page.body.rect(mapLeft, top, mapSide, height, 3, {"undecided"});
  for (double x = 16; x < mapSide; x += 24)
    for (double y = 16; y < height; y += 24)
      page.body.circle(mapLeft + x, top + y, 1.6, {"dots"});
}

void MaskPanel::draw() {
  double cardTop = page.y;
  top = cardTop + (map.note.empty() ? 58 : 32);
  y = cardTop + 38;
  SvgPart behind = page.body;
  page.body = SvgPart();
  double height = 120;
  if (!map.note.empty()) {
    drawUnknown(page, top, height);
  } else {
    side = std::clamp<int64_t>(int64_t(mapSide) / std::max(map.tiles.down, map.tiles.across), 11, 44);
    height = double(map.tiles.down) * side;
    drawTiles();
    drawAxes();
  }
  drawWords();
  double bottom = std::max(top + height, y - 18) + 24;
  behind.rect(Page::margin, cardTop, Page::width - 2 * Page::margin, bottom - cardTop, 8, {"card"});
  behind.markup(page.body.str());
  page.body = std::move(behind);
  page.y = bottom + 20;
}

// The sizes that the maps depend on, in the order of their names.
static std::string usedSizes(const PictureSource &source, const MapVector<mlir::Value, MaskUse> &uses,
                             ArrayRef<MaskMap> maps) {
  std::set<std::string> names;
  auto add = [&](DimAttr dim) {
    for (mlir::Attribute atom : dim.getAtoms())
      names.insert(mlir::cast<mlir::StringAttr>(atom).str());
  };
  for (auto [use, map] : zip_equal(uses, maps)) {
    for_each(mlir::cast<TensorType>(use.first.getType()).getDims(), add);
    if (map.visible)
      for_each(map.visible->sizes, add);
  }
  Bindings used;
  for (const std::string &name : names)
    used[name] = source.sizes.lookup(name);
  return toString(used);
}

Error drawMasks(const PictureSource &source, Page &page) {
  MapVector<mlir::Value, MaskUse> uses;
  findMasks(source.core, uses);
  std::vector<MaskMap> maps;
  std::map<mlir::Operation *, std::unique_ptr<MaskAnalysis>> analyses;
  for (auto &[hidden, use] : uses) {
    std::unique_ptr<MaskAnalysis> &masks = analyses[use.core];
    if (!masks)
      masks = std::make_unique<MaskAnalysis>(use.core);
    Expected<MaskMap> map = mapOf(source, use, *masks);
    if (!map)
      return map.takeError();
    maps.push_back(std::move(*map));
  }
  page.summary += uses.empty() ? "The graph has no mask. "
                               : std::to_string(uses.size()) + (uses.size() == 1 ? " mask" : " masks") + " as tiles. ";
  page.body.text(Page::margin, page.y, {"section"}, uses.size() == 1 ? "Mask" : "Masks");
  page.body.text(Page::width - Page::margin, page.y, {"mono", "quiet", "end"},
                 uses.empty() ? "" : "drawn at " + usedSizes(source, uses, maps));
  page.y += 16;
  if (uses.empty()) {
    page.body.text(Page::margin, page.y + 6, {"quiet"}, "none: no reduction and no contraction skips an entry");
    page.y += 22;
  }
  for (auto [number, entry] : enumerate(zip_equal(uses, maps))) {
    auto &[use, map] = entry;
    MaskPanel(use.second, map, number, page).draw();
  }
  page.y += 20;
  return Error::success();
}
} // namespace nova::tool
