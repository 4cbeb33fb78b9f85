// SPDX-License-Identifier: Apache-2.0
#include "json_match.hpp"

#include <boost/json/serialize.hpp>
#include <boost/regex.hpp>

namespace gantry::conformance {
namespace {

namespace json = boost::json;

/// Numbers are one kind, whether they have a fraction or not.
bool same_kind(const json::value& a, const json::value& b) {
  return a.kind() == b.kind() || (a.is_number() && b.is_number());
}

class Matcher {
 public:
  explicit Matcher(const Volatile& varying) : varying_(varying) {}

  void match(const json::value& expected, const json::value& found, const std::string& path) {
    if (const json::object* object = expected.if_object())
      return match_object(*object, found, path);
    if (const json::array* array = expected.if_array()) return match_array(*array, found, path);
    if (expected.is_string() && expected.get_string().starts_with("re:")) {
      // Not std::regex: its recursion overflows the stack on a picture in base64.
      const boost::regex pattern(std::string(expected.get_string().subview(3)));
      const json::string* text = found.if_string();
      if (text == nullptr || !boost::regex_match(std::string(*text), pattern)) {
        report(path, expected, found);
      }
      return;
    }
    const bool equal = expected.is_number() && found.is_number()
                           ? expected.to_number<double>() == found.to_number<double>()
                           : expected == found;
    if (!equal) report(path, expected, found);
  }

  std::vector<std::string> lines;

 private:
  void match_object(const json::object& expected, const json::value& found,
                    const std::string& path) {
    const json::object* object = found.if_object();
    if (object == nullptr) return report(path, expected, found);
    for (const auto& [key, value] : expected) {
      const std::string member = path + '.' + std::string(key);
      const json::value* there = object->if_contains(key);
      if (there == nullptr) {
        lines.push_back(member + ": expected " + json::serialize(value).substr(0, 200) +
                        ", found nothing");
      } else if (!varying_.names.contains(std::string(key))) {
        match(value, *there, member);
      } else if (!same_kind(value, *there)) {
        report(member, value, *there);
      }
    }
  }

  void match_array(const json::array& expected, const json::value& found, const std::string& path) {
    const json::array* array = found.if_array();
    if (array == nullptr || array->size() != expected.size()) return report(path, expected, found);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      match(expected[i], (*array)[i], path + '[' + std::to_string(i) + ']');
    }
  }

  void report(const std::string& path, const json::value& expected, const json::value& found) {
    lines.push_back(path + ": expected " + json::serialize(expected).substr(0, 300) + ", found " +
                    json::serialize(found).substr(0, 300));
  }

  const Volatile& varying_;
};

}  // namespace

std::vector<std::string> shortfalls(const json::value& expected, const json::value& found,
                                    const Volatile& varying) {
  Matcher matcher(varying);
  matcher.match(expected, found, "$");
  return std::move(matcher.lines);
}

}  // namespace gantry::conformance
