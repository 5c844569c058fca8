// SVG elements as text. How they look is a style sheet's matter: every element only names its classes.
#ifndef NOVA_TOOLS_NOVA_SVG_H
#define NOVA_TOOLS_NOVA_SVG_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <initializer_list>
#include <string>

namespace nova::tool {
/// Lines and areas.
class SvgPath {
public:
  SvgPath &move(double x, double y) { return add('M', {x, y}); }
  SvgPath &line(double x, double y) { return add('L', {x, y}); }
  SvgPath &across(double distance) { return add('h', {distance}); }
  SvgPath &down(double distance) { return add('v', {distance}); }
  SvgPath &close() { return add('z', {}); }
  bool empty() const { return data.empty(); }
  llvm::StringRef str() const { return data; }

private:
  SvgPath &add(char command, std::initializer_list<double> numbers);
  std::string data;
};

/// A row of elements. Texts may hold any bytes; empty texts and tooltips are left out.
class SvgPart {
public:
  using Classes = std::initializer_list<llvm::StringRef>;
  void text(double x, double y, Classes classes, llvm::StringRef content, llvm::StringRef tooltip = "");
  /// The same from bottom to top.
  void textUp(double x, double y, Classes classes, llvm::StringRef content);
  void rect(double x, double y, double width, double height, double radius, Classes classes);
  void circle(double x, double y, double radius, Classes classes);
  void path(const SvgPath &path, Classes classes);
  /// Another part's group, moved.
  void use(llvm::StringRef id, double x, double y, llvm::StringRef tooltip = "");
  void group(llvm::StringRef id, const SvgPart &content);
  /// Adds well-formed markup.
  void markup(llvm::StringRef markup) { elements += markup; }

  llvm::StringRef str() const { return elements; }

private:
  void begin(llvm::StringRef name, Classes classes);
  void attribute(llvm::StringRef name, double value);
  void end(llvm::StringRef name, llvm::StringRef content, llvm::StringRef tooltip);

  std::string elements;
};

/// A document that needs nothing from outside.
struct SvgDocument {
  double width, height;
  std::string title, description, style;
  SvgPart definitions, body;

  void write(llvm::raw_ostream &os) const;
};
} // namespace nova::tool

#endif
