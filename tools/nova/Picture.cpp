#include "tools/nova/Picture.h"
#include "tools/nova/PictureParts.h"
#include "tools/nova/Signature.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace nova::tool {
// Colours by what they say: of tiles (full, part, none, undecided) and of classes (their names). The same hue means the
// same thing in both lights; words and patterns say it too.
static constexpr StringLiteral style = R"css(
text { font: 12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1b2733; }
.mono { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.name { font-size: 22px; font-weight: 700; }
.section { font-size: 16px; font-weight: 700; }
.strong { font-weight: 700; }
.mask { font-size: 15px; }
.small { font-size: 11px; }
.quiet { fill: #5c6b7a; }
.bad { fill: #b3371f; }
.end { text-anchor: end; }
.middle { text-anchor: middle; }
.page { fill: #ffffff; }
.card { fill: #f7f9fb; stroke: #d9e1e8; }
.rule { stroke: #d9e1e8; fill: none; }
.tick { stroke: #8a98a6; fill: none; }
.none { fill: #e3e9ef; }
.part { fill: #a9cbe8; }
.full { fill: #2f6fb0; }
.undecided { fill: #f2d49b; }
.hatch { stroke: #2f6fb0; stroke-width: 1.2; fill: none; }
.dots { fill: #96640f; }
.cell { fill: #e9eef3; }
.here { fill: none; stroke: #1b2733; stroke-width: 1.4; }
.independent { fill: #8a98a6; stroke: #8a98a6; }
.pointwise { fill: #2e8b57; stroke: #2e8b57; }
.windowed { fill: #17859b; stroke: #17859b; }
.recurrent { fill: #7a5cc4; stroke: #7a5cc4; }
.causal { fill: #2f6fb0; stroke: #2f6fb0; }
.future { fill: #d2502f; stroke: #d2502f; }
.flat { stroke: none; }
.thread { stroke-width: 1.5; fill: none; }
.way { stroke: #d2502f; stroke-width: 2; fill: none; }
.stop { fill: #ffffff; stroke: #d2502f; stroke-width: 2; }
.onway { fill: #fdf1ed; }
@media (prefers-color-scheme: dark) {
text { fill: #dfe6ed; }
.quiet { fill: #94a3b1; }
.bad { fill: #ff9b82; }
.page { fill: #12181f; }
.card { fill: #19212a; stroke: #2c3844; }
.rule { stroke: #2c3844; }
.tick { stroke: #6c7b89; }
.none { fill: #27323d; }
.part { fill: #2d5277; }
.full { fill: #5fa8ea; }
.undecided { fill: #5d4a22; }
.hatch { stroke: #5fa8ea; }
.dots { fill: #e5b454; }
.cell { fill: #27323d; }
.here { stroke: #dfe6ed; }
.independent { fill: #6c7b89; stroke: #6c7b89; }
.pointwise { fill: #55b982; stroke: #55b982; }
.windowed { fill: #3fb4ca; stroke: #3fb4ca; }
.recurrent { fill: #a68cf0; stroke: #a68cf0; }
.causal { fill: #5fa8ea; stroke: #5fa8ea; }
.future { fill: #f0714f; stroke: #f0714f; }
.flat { stroke: none; }
.way { stroke: #f0714f; }
.stop { fill: #12181f; stroke: #f0714f; }
.onway { fill: #33201c; }
}
)css";

std::string shortened(StringRef text, size_t letters) {
  return text.size() <= letters ? text.str() : text.take_front(letters - 1).str() + "…";
}

// The last of the best spaces in the second half: behind a comma between arguments or clauses, else in few brackets.
static size_t breakOf(StringRef line) {
  size_t at = line.size(), best = StringRef::npos;
  int level = 0;
  for (size_t k = 0; k < line.size(); k++) {
    char c = line[k];
    // A bracket may have been opened on an earlier line.
    level = std::max(0, level + (c == '(' ? 1 : c == '[' ? 2 : c == ')' ? -1 : c == ']' ? -2 : 0));
    if (c != ' ' || k < line.size() / 2)
      continue;
    size_t cost = line[k - 1] == ',' && level <= 1 ? 0 : 2 * level + 1;
    if (cost <= best) {
      at = k;
      best = cost;
    }
  }
  return at;
}

SmallVector<std::string> wrapped(StringRef text, size_t letters) {
  SmallVector<std::string> lines;
  while (text.size() > letters) {
    size_t at = breakOf(text.take_front(letters));
    lines.push_back(text.take_front(at).str());
    text = text.drop_front(at).ltrim();
  }
  if (!text.empty())
    lines.push_back(text.str());
  return lines;
}

std::string grouped(int64_t number) {
  std::string digits = std::to_string(number);
  for (size_t at = digits.size(); at > 3 + (number < 0); at -= 3)
    digits.insert(at - 3, ",");
  return digits;
}

static void drawLines(Page &page, SvgPart::Classes classes, StringRef text, size_t letters) {
  for (const std::string &line : wrapped(text, letters)) {
    page.body.text(Page::margin, page.y, classes, line);
    page.y += 18;
  }
}

static void drawHeading(const PictureSource &source, Page &page) {
  const Dependence &dependence = source.dependence;
  GraphOp graph = source.graph;
  constexpr double inner = Page::width - 2 * Page::margin;
  page.y = 56;
  page.body.text(Page::margin, page.y, {"name"}, shortened(("@" + graph.getSymName()).str(), 64));
  page.y += 28;
  drawLines(page, {"mono"}, signatureText(graph), inner / Page::monoAdvance);
  page.y += 6;
  size_t letters = inner / Page::sansAdvance;
  if (!dependence.extendable()) {
    drawLines(page, {"strong", "bad"}, "No extend: " + dependence.refusal, letters * 0.9);
    if (!dependence.path.empty())
      drawLines(page, {"bad"}, "Path of the future: " + join(dependence.path, " → "), letters);
  } else {
    drawLines(page, {},
              "Extended row by row along " + dependence.sequence.str() +
                  "; state: " + (source.state.empty() ? "none" : source.state),
              letters);
  }
  page.y += 20;
}

Expected<std::string> drawPicture(const PictureSource &source) {
  Page page;
  drawHeading(source, page);
  if (Error error = drawMasks(source, page))
    return std::move(error);
  drawDependence(source, page);
  SvgDocument document{Page::width,
                       page.y + 16,
                       ("graph @" + GraphOp(source.graph).getSymName()).str(),
                       page.summary,
                       style.drop_front().str(),
                       page.definitions,
                       {}};
  document.body.rect(0, 0, document.width, document.height, 0, {"page"});
  document.body.markup(page.body.str());
  std::string text;
  raw_string_ostream os(text);
  document.write(os);
  return text;
}
} // namespace nova::tool
