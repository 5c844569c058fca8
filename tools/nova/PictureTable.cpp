// The table of a picture: of each named value its type and, per axis, the rows that row i reads.
#include "dialects/graph/Text.h"
#include "tools/nova/PictureParts.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallSet.h"

using namespace llvm;

namespace nova::tool {
namespace {
constexpr double wayX = Page::margin + 6, nameX = Page::margin + 20, typeX = 190, classX = 372, wordsX = 478,
                 stripX = 730, rowHeight = 24, cellSide = 10, cellStep = 12;
// Cells of a strip: earlier rows, row i, later rows.
constexpr int cells = 16, here = 10;

enum class Cell { Unread, Read, More };

class Table {
public:
  Table(const PictureSource &source, Page &page)
      : page(page), way(source.dependence.way.begin(), source.dependence.way.end()),
        hasRows(bool(source.dependence.sequence)) {}
  void draw(GraphOp core, const Dependence &dependence);
  void drawHead();
  void drawWay();
  void drawClasses();

private:
  void drawValue(mlir::Value value, const Dependence &dependence);
  void drawStrip(const AxisDemand &demand, double y);
  void drawRule(double y, StringRef style);

  Page &page;
  SmallDenseSet<mlir::Value> way; // on which the future comes
  bool hasRows;
  SmallVector<double> stops; // of that way
  SmallSet<DependenceClass, 6> classes;
};
} // namespace

static StringRef styleOf(DependenceClass c) { return c == DependenceClass::Full ? "future" : toString(c); }

// The cells of one demand. A bound that lies outside the strip is shown near its end, behind cells that stand for more
// than one row.
static SmallVector<Cell> cellsOf(const AxisDemand &demand) {
  int first = 0, last = cells - 1;
  bool moreBefore = false, moreBehind = false;
  if (demand.lo) {
    moreBefore = *demand.lo < -here;
    first = moreBefore ? 1 : int(std::min<int64_t>(here + *demand.lo, cells - 2));
  }
  if (demand.hi) {
    moreBehind = *demand.hi >= cells - here;
    last = moreBehind ? cells - 2 : int(std::max<int64_t>(here + *demand.hi, 1));
  }
  SmallVector<Cell> strip(cells, Cell::Unread);
  for (int k = first; k <= last; k++)
    strip[k] = (moreBefore && (k == 3 || k == 4)) || (moreBehind && (k == cells - 4 || k == cells - 3)) ? Cell::More
                                                                                                        : Cell::Read;
  return strip;
}

void Table::drawRule(double y, StringRef style) {
  page.body.path(SvgPath().move(Page::margin, y).across(Page::width - 2 * Page::margin), {style});
}

// Rows that only a carry brings are beads of a thread.
void Table::drawStrip(const AxisDemand &demand, double y) {
  page.body.use("strip", stripX, y);
  SmallVector<Cell> strip = cellsOf(demand);
  StringRef style = styleOf(classOf(demand));
  SvgPath plain, beads;
  double centre = y + cellSide / 2;
  for (auto [k, cell] : enumerate(strip)) {
    double x = stripX + double(k) * cellStep;
    if (cell == Cell::Read && demand.recurrent && int(k) < here)
      beads.move(x + cellSide / 2, centre).across(cellStep);
    else if (cell == Cell::Read)
      plain.move(x, y).across(cellSide).down(cellSide).across(-cellSide).close();
    else if (cell == Cell::More)
      page.body.use("more", x, y);
  }
  if (!beads.empty()) {
    page.body.path(beads, {"thread", style});
    for (auto [k, cell] : enumerate(strip))
      if (cell == Cell::Read && int(k) < here)
        page.body.circle(stripX + double(k) * cellStep + cellSide / 2, centre, 3.2, {"flat", style});
  }
  if (!plain.empty())
    page.body.path(plain, {"flat", style});
  page.body.use("here", stripX + here * cellStep, y);
}

void Table::drawValue(mlir::Value value, const Dependence &dependence) {
  std::string name = valueName(value), type = toString(value.getType());
  const ValueDependence known = dependence.values.lookup(value);
  SmallVector<unsigned> axes;
  for (auto [axis, demand] : enumerate(known.axes))
    if (demand)
      axes.push_back(axis);
  bool isOnWay = way.contains(value);
  double height = rowHeight * double(std::max<size_t>(1, axes.size()));
  if (isOnWay)
    page.body.rect(Page::margin, page.y, Page::width - 2 * Page::margin, height, 0, {"onway"});
  drawRule(page.y + height, "rule");
  if (isOnWay)
    stops.push_back(page.y + rowHeight / 2);
  double base = page.y + 16;
  std::string shortName = shortened(name, 17), tooltip = name.size() > 17 ? name : "";
  if (isOnWay)
    page.body.text(nameX, base, {"mono", "strong", "bad"}, shortName, tooltip);
  else
    page.body.text(nameX, base, {"mono", "strong"}, shortName, tooltip);
  page.body.text(typeX, base, {"mono", "quiet"}, shortened(type, 23), type.size() > 23 ? type : "");
  if (axes.empty() && hasRows)
    page.body.text(wordsX, base, {"quiet"}, toString(known));
  for (unsigned axis : axes) {
    DependenceClass c = classOf(*known.axes[axis]);
    classes.insert(c);
    page.body.circle(classX + 5, base - 4, 4.5, {"flat", styleOf(c)});
    page.body.text(classX + 18, base, {}, toString(c));
    page.body.text(wordsX, base, {}, "axis " + std::to_string(axis) + ": " + rowsText(*known.axes[axis]));
    drawStrip(*known.axes[axis], base - 9);
    base += rowHeight;
  }
  page.y += height;
}

void Table::draw(GraphOp core, const Dependence &dependence) {
  auto add = [&](mlir::Value value) {
    if (!valueName(value).empty())
      drawValue(value, dependence);
  };
  for (mlir::Value argument : core.getBlock().getArguments())
    add(argument);
  for (mlir::Operation &op : core.getBlock().without_terminator()) {
    // The way of the future leads from the graph of a scan to the scan's results.
    if (auto inner = dependence.bodies.find(&op); inner != dependence.bodies.end()) {
      auto scan = mlir::cast<ScanOp>(&op);
      page.y += 14;
      page.body.text(nameX, page.y + 14, {"quiet"}, ("each run of @" + scan.getCallee()).str());
      page.y += 22;
      draw(scan.getBody(), *inner->second);
      page.body.text(nameX, page.y + 24, {"quiet"}, ("after the runs of @" + scan.getCallee()).str());
      page.y += 32;
    }
    for (mlir::Value result : op.getResults())
      add(result);
  }
}

void Table::drawHead() {
  page.body.text(nameX, page.y, {"small", "quiet"}, "value");
  page.body.text(typeX, page.y, {"small", "quiet"}, "type");
  if (hasRows) {
    SvgPart strip;
    for (int k = 0; k < cells; k++)
      strip.rect(k * cellStep, 0, cellSide, cellSide, 0, {"cell"});
    page.definitions.group("strip", strip);
    SvgPart mark, more;
    mark.rect(-1.2, -1.2, cellSide + 2.4, cellSide + 2.4, 1.5, {"here"});
    page.definitions.group("here", mark);
    for (double x : {3.0, 7.0})
      more.circle(x, cellSide / 2, 1.1, {"independent"});
    page.definitions.group("more", more);
    page.body.text(classX, page.y, {"small", "quiet"}, "class");
    page.body.text(wordsX, page.y, {"small", "quiet"}, "row i reads along");
    page.body.text(stripX, page.y, {"small", "quiet"}, "← earlier rows");
    page.body.text(stripX + here * cellStep + cellSide / 2, page.y, {"small", "strong", "middle"}, "i");
    page.body.text(stripX + cells * cellStep - 2, page.y, {"small", "quiet", "end"}, "later →");
  }
  page.y += 8;
  drawRule(page.y, "tick");
}

// A line from stop to stop, on top of the rows.
void Table::drawWay() {
  if (stops.empty())
    return;
  page.body.path(SvgPath().move(wayX, stops.front()).down(stops.back() - stops.front()), {"way"});
  for (double y : stops)
    page.body.circle(wayX, y, 3.6, {"stop"});
}

void Table::drawClasses() {
  page.y += 28;
  double x = nameX;
  for (DependenceClass c : {DependenceClass::Pointwise, DependenceClass::Windowed, DependenceClass::Recurrent,
                            DependenceClass::Causal, DependenceClass::Full}) {
    if (!classes.contains(c))
      continue;
    std::string text = (toString(c) + ": " + meaningOf(c)).str();
    double room = 24 + double(text.size()) * Page::sansAdvance;
    if (x + room > Page::width - Page::margin) {
      x = nameX;
      page.y += 20;
    }
    page.body.circle(x + 5, page.y - 4, 4.5, {"flat", styleOf(c)});
    page.body.text(x + 16, page.y, {"quiet"}, text);
    x += room;
  }
  page.y += 8;
}

void drawDependence(const PictureSource &source, Page &page) {
  const Dependence &dependence = source.dependence;
  bool hasRows = bool(dependence.sequence);
  std::string title = hasRows ? "Row i along " + dependence.sequence.str() + " reads" : "Values";
  page.summary += hasRows ? "Of each value: the rows along " + dependence.sequence.str() + " that row i reads."
                          : "The types of the values; there is no sequence.";
  page.body.text(Page::margin, page.y, {"section"}, title);
  page.y += 28;
  Table table(source, page);
  table.drawHead();
  table.draw(source.core, dependence);
  table.drawWay();
  table.drawClasses();
}
} // namespace nova::tool
