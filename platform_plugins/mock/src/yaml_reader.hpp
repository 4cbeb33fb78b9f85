// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads YAML against a table of keys: what is unknown, twice, missing or of the wrong type is
// refused with file, line and path. Only for the files that read scenarios: yaml-cpp and its
// exceptions do not leave them.

#include <yaml-cpp/yaml.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "scenario.hpp"

namespace gantry::mock {

/// Thrown inside read_yaml() only.
struct RefusedYaml {
  ScenarioProblem problem;
};

class YamlReader {
 public:
  using Read = std::function<void(const YAML::Node&, const std::string& path)>;
  /// One key of a map.
  struct Row {
    std::string_view name;
    Read read;
    bool required = false;
  };

  YamlReader(std::string file, const ScenarioLimits& limits)
      : file_(std::move(file)), limits_(limits) {}

  /// Depth and number of values of the whole document; must come first.
  void check_size(const YAML::Node& root);

  /// A map that has only the keys of the table.
  void map(const YAML::Node& node, const std::string& path, const std::vector<Row>& rows);
  /// A map with any keys, in the order of the file.
  void entries(const YAML::Node& node, const std::string& path,
               const std::function<void(const std::string& key, const YAML::Node&,
                                        const std::string& path)>& read);
  /// A list; an empty value is an empty list.
  void list(const YAML::Node& node, const std::string& path, const Read& read);

  /// Any scalar as it is written: `on`, `true` and `5` are text where text is wanted.
  [[nodiscard]] std::string text(const YAML::Node& node, const std::string& path) const;
  [[nodiscard]] bool flag(const YAML::Node& node, const std::string& path) const;
  [[nodiscard]] std::int64_t integer(const YAML::Node& node, const std::string& path,
                                     std::int64_t least, std::int64_t most) const;
  /// Any value as JSON: plain scalars with the types that YAML gives them, quoted ones as text.
  [[nodiscard]] static std::string json(const YAML::Node& node);

  [[noreturn]] void refuse(const YAML::Node& node, const std::string& path, std::string what,
                           std::string found = {}, std::string allowed = {}) const;
  [[noreturn]] void refuse_type(const YAML::Node& node, const std::string& path,
                                std::string_view wanted) const;

 private:
  void count(const YAML::Node& node, const std::string& path, int depth);

  std::string file_;
  const ScenarioLimits& limits_;
  std::size_t values_ = 0;
};

/// What keeps the text from being YAML at the level of characters, or nothing. yaml-cpp reads
/// other encodings by guess, and control characters as they are.
[[nodiscard]] std::variant<std::monostate, ScenarioProblem> unreadable(
    std::string_view text, const std::string& file, const ScenarioLimits& limits);

/// Parses `text` and hands the document to `read`; every failure is a problem.
template <class T, class Read>
std::variant<T, ScenarioProblem> read_yaml(std::string_view text, const std::string& file,
                                           const ScenarioLimits& limits, const Read& read) {
  auto problem = unreadable(text, file, limits);
  if (auto* found = std::get_if<ScenarioProblem>(&problem)) return std::move(*found);
  try {
    const YAML::Node document = YAML::Load(std::string(text));
    YamlReader reader(file, limits);
    reader.check_size(document);
    return read(reader, document);
  } catch (RefusedYaml& refused) {
    return std::move(refused.problem);
  } catch (const YAML::Exception& error) {
    ScenarioProblem out;
    out.file = file;
    out.line = error.mark.is_null() ? 0 : error.mark.line + 1;
    out.what = "not valid YAML: " + error.msg;
    return out;
  } catch (const std::exception& error) {
    // yaml-cpp lets exceptions of its containers through on some malformed input.
    ScenarioProblem out;
    out.file = file;
    out.what = std::string("not valid YAML: ") + error.what();
    return out;
  }
}

}  // namespace gantry::mock
