//===- ManifestReader.h - Checked access to JSON ----------------*- C++ -*-===//
//
// A cursor into a JSON document that knows where it stands, so that every complaint names its place. Reading throws
// ManifestError, which parseManifest turns into a status; the exception never leaves the manifest's own files.
//
//===----------------------------------------------------------------------===//

#ifndef NOVA_RUNTIME_CORE_MANIFESTREADER_H
#define NOVA_RUNTIME_CORE_MANIFESTREADER_H

#include "runtime/core/Status.h"

#include <nlohmann/json.hpp>
#include <string>

namespace nova::runtime {

/// A complaint about the manifest; `text` is the whole message.
struct ManifestError {
  std::string text;
};

/// A JSON value and where it stands. A reader points to the one it was made from, which must live as long; the path is
/// put together only for a complaint.
class Reader {
public:
  using Json = nlohmann::json;

  explicit Reader(const Json &document) : value(document) {}

  template <typename... Parts> [[noreturn]] void complain(const Parts &...parts) const {
    throw ManifestError{concat(parent ? path() : std::string("the document"), ": ", parts...)};
  }

  bool isNull() const { return value.is_null(); }

  /// Whether the object has a member `name`.
  bool has(const char *name) const {
    if (!value.is_object())
      complain("expected an object, found ", describe());
    return value.contains(name);
  }

  /// The member `name` of an object; it must exist.
  Reader member(const char *name) const {
    if (!value.is_object())
      complain("expected an object, found ", describe());
    auto found = value.find(name);
    if (found == value.end())
      complain("expected a member \"", name, "\"");
    return Reader(*found, this, name, 0);
  }

  /// The number of elements of an array.
  size_t size() const {
    if (!value.is_array())
      complain("expected an array, found ", describe());
    return value.size();
  }

  Reader element(size_t index) const { return Reader(value[index], this, nullptr, index); }

  /// Calls `visit` with a reader of each element of an array, in order.
  template <typename Visit> void each(Visit visit) const {
    for (size_t index = 0, count = size(); index < count; ++index)
      visit(element(index));
  }

  /// A text without a zero byte in it.
  std::string text() const {
    if (!value.is_string())
      complain("expected a text, found ", describe());
    const std::string &string = value.get_ref<const std::string &>();
    if (string.find('\0') != std::string::npos)
      complain("expected a text without zero bytes");
    return string;
  }

  /// A text that is not empty.
  std::string name() const {
    std::string string = text();
    if (string.empty())
      complain("expected a text that is not empty");
    return string;
  }

  bool boolean() const {
    if (!value.is_boolean())
      complain("expected true or false, found ", describe());
    return value.get<bool>();
  }

  /// An integer in low .. high, both included.
  int64_t integer(int64_t low, int64_t high) const {
    bool fits = value.is_number_integer() &&
                !(value.is_number_unsigned() && value.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX));
    if (!fits || value.get<int64_t>() < low || value.get<int64_t>() > high)
      complain("expected an integer in ", low, " .. ", high, ", found ", describe());
    return value.get<int64_t>();
  }

  /// The value for messages: short ones as they are, long ones by their kind.
  std::string describe() const {
    if (value.is_structured())
      return value.is_array() ? "an array" : "an object";
    std::string dump = value.dump(-1, ' ', true, Json::error_handler_t::replace);
    return dump.size() <= 60 ? dump : std::string("a long ") + value.type_name();
  }

private:
  Reader(const Json &value, const Reader *parent, const char *name, size_t index)
      : value(value), parent(parent), memberName(name), index(index) {}

  std::string path() const {
    std::string above = parent && parent->parent ? parent->path() : std::string();
    if (!memberName)
      return concat(above, "[", index, "]");
    return above.empty() ? std::string(memberName) : concat(above, ".", memberName);
  }

  const Json &value;
  const Reader *parent = nullptr;   // null for the document
  const char *memberName = nullptr; // null for elements of arrays
  size_t index = 0;
};

} // namespace nova::runtime

#endif // NOVA_RUNTIME_CORE_MANIFESTREADER_H
