#include "tools/nova/Svg.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace nova::tool {
SvgPath &SvgPath::add(char command, std::initializer_list<double> numbers) {
  raw_string_ostream os(data);
  os << command;
  ListSeparator space(" ");
  for (double number : numbers)
    os << space << format("%g", number);
  return *this;
}

// XML has no way to write most control characters, and no bytes that are not UTF-8.
static std::string escaped(StringRef content) {
  std::string plain = json::isUTF8(content) ? content.str() : json::fixUTF8(content);
  for (char &c : plain)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      c = ' ';
  std::string text;
  raw_string_ostream os(text);
  printHTMLEscaped(plain, os);
  return text;
}

void SvgPart::begin(StringRef name, Classes classes) {
  elements += "<" + name.str();
  if (classes.size())
    elements += " class=\"" + join(classes, " ") + "\"";
}

void SvgPart::attribute(StringRef name, double value) {
  raw_string_ostream os(elements);
  os << " " << name << "=\"" << format("%g", value) << "\"";
}

void SvgPart::end(StringRef name, StringRef content, StringRef tooltip) {
  std::string inner = (tooltip.empty() ? "" : "<title>" + escaped(tooltip) + "</title>") + content.str();
  elements += inner.empty() ? "/>\n" : ">" + inner + "</" + name.str() + ">\n";
}

void SvgPart::text(double x, double y, Classes classes, StringRef content, StringRef tooltip) {
  if (content.empty())
    return;
  begin("text", classes);
  attribute("x", x);
  attribute("y", y);
  end("text", escaped(content), tooltip);
}

void SvgPart::textUp(double x, double y, Classes classes, StringRef content) {
  begin("text", classes);
  raw_string_ostream os(elements);
  os << " transform=\"translate(" << format("%g", x) << "," << format("%g", y) << ")rotate(-90)\"";
  end("text", escaped(content), "");
}

void SvgPart::rect(double x, double y, double width, double height, double radius, Classes classes) {
  begin("rect", classes);
  attribute("x", x);
  attribute("y", y);
  attribute("width", width);
  attribute("height", height);
  if (radius)
    attribute("rx", radius);
  end("rect", "", "");
}

void SvgPart::circle(double x, double y, double radius, Classes classes) {
  begin("circle", classes);
  attribute("cx", x);
  attribute("cy", y);
  attribute("r", radius);
  end("circle", "", "");
}

void SvgPart::path(const SvgPath &path, Classes classes) {
  begin("path", classes);
  elements += " d=\"" + path.str().str() + "\"";
  end("path", "", "");
}

void SvgPart::use(StringRef id, double x, double y, StringRef tooltip) {
  begin("use", {});
  elements += " href=\"#" + id.str() + "\"";
  if (x)
    attribute("x", x);
  if (y)
    attribute("y", y);
  end("use", "", tooltip);
}

void SvgPart::group(StringRef id, const SvgPart &content) {
  elements += "<g id=\"" + id.str() + "\">\n" + content.elements + "</g>\n";
}

void SvgDocument::write(raw_ostream &os) const {
  os << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << format("%g", width) << "\" height=\""
     << format("%g", height) << "\" viewBox=\"0 0 " << format("%g %g", width, height)
     << "\" role=\"graphics-document\" aria-labelledby=\"title description\">\n<title id=\"title\">" << escaped(title)
     << "</title>\n<desc id=\"description\">" << escaped(description) << "</desc>\n<style>\n"
     << style << "</style>\n<defs>\n"
     << definitions.str() << "</defs>\n"
     << body.str() << "</svg>\n";
}
} // namespace nova::tool
