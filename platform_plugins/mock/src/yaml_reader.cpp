// SPDX-License-Identifier: Apache-2.0
#include "yaml_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gantry/codec.hpp>
#include <gantry/utf8.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

namespace gantry::mock {
namespace {

constexpr std::size_t kShown = 80;  // bytes of what was found, in messages

/// The scalar as it was meant: yaml-cpp 0.7 turns the escapes \N and \_ into single Latin-1 bytes.
std::string scalar_text(const YAML::Node& node) {
  const std::string& raw = node.Scalar();
  std::string out;
  for (std::size_t i = 0; i < raw.size();) {
    const std::size_t length = codec::utf8_length(std::string_view(raw).substr(i));
    if (length == 0) out += '\xC2';
    out.append(raw, i, std::max<std::size_t>(length, 1));
    i += std::max<std::size_t>(length, 1);
  }
  return out;
}

/// At most kShown bytes, at the border of a character.
std::string cut(const std::string& text) {
  std::size_t end = std::min(text.size(), kShown);
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return text.substr(0, end);
}

std::string kind_of(const YAML::Node& node) {
  switch (node.Type()) {
    case YAML::NodeType::Map: return "a map";
    case YAML::NodeType::Sequence: return "a list";
    case YAML::NodeType::Scalar: return "'" + cut(scalar_text(node)) + "'";
    default: return "nothing";
  }
}

std::string join(const std::string& path, const std::string& key) {
  return path.empty() ? key : path + "." + key;
}

/// A number as JSON writes it, or nothing.
std::optional<std::string> json_number(const std::string& text) {
  const char* end = text.data() + text.size();
  std::int64_t whole = 0;
  if (const auto [at, error] = std::from_chars(text.data(), end, whole);
      error == std::errc{} && at == end) {
    return fmt::format("{}", whole);
  }
  double real = 0;
  if (const auto [at, error] = std::from_chars(text.data(), end, real);
      error == std::errc{} && at == end && std::isfinite(real) &&
      text.find_first_of("0123456789") != std::string::npos) {
    return fmt::format("{}", real);
  }
  return std::nullopt;
}

constexpr std::array<std::string_view, 4> kNulls{"", "~", "null", "Null"};
constexpr std::array<std::string_view, 6> kTrue{"true", "True", "yes", "Yes", "on", "On"};
constexpr std::array<std::string_view, 6> kFalse{"false", "False", "no", "No", "off", "Off"};

template <std::size_t N>
bool among(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string json_scalar(const YAML::Node& node) {
  const std::string text = scalar_text(node);
  std::string out;
  const bool plain = node.Tag() != "!";
  if (plain && among(kNulls, text)) return "null";
  if (plain && (text == "true" || text == "True")) return "true";
  if (plain && (text == "false" || text == "False")) return "false";
  if (plain) {
    if (auto number = json_number(text)) return *number;
  }
  codec::write_string(out, text);
  return out;
}

}  // namespace

void YamlReader::refuse(const YAML::Node& node, const std::string& path, std::string what,
                        std::string found, std::string allowed) const {
  ScenarioProblem problem;
  problem.file = file_;
  problem.line = node.Mark().is_null() ? 0 : node.Mark().line + 1;
  problem.path = path;
  problem.what = std::move(what);
  problem.found = cut(found);
  problem.allowed = std::move(allowed);
  throw RefusedYaml{std::move(problem)};
}

void YamlReader::refuse_type(const YAML::Node& node, const std::string& path,
                             std::string_view wanted) const {
  const std::string found = kind_of(node);
  refuse(node, path, fmt::format("must be {}, found {}", wanted, found), found,
         std::string(wanted));
}

void YamlReader::count(const YAML::Node& node, const std::string& path, int depth) {
  // Aliases are counted wherever they are used, so a bomb of them is found before it is built.
  if (++values_ > limits_.values) {
    refuse(node, path, fmt::format("more than {} values", limits_.values));
  }
  if (depth > limits_.depth) {
    refuse(node, path, fmt::format("nested deeper than {} levels", limits_.depth));
  }
  if (node.IsSequence()) {
    for (const YAML::Node& child : node) count(child, path, depth + 1);
  } else if (node.IsMap()) {
    std::set<std::string> keys;
    for (const auto& entry : node) {
      const YAML::Node& key = entry.first;
      if (!key.IsScalar()) refuse(key, path, "keys must be plain words");
      const std::string& name = key.Scalar();
      if (!keys.insert(name).second) {
        refuse(key, join(path, name), "this key appears twice in the same map", name);
      }
      count(entry.second, join(path, name), depth + 1);
    }
  }
}

void YamlReader::check_size(const YAML::Node& root) {
  values_ = 0;
  count(root, "", 0);
}

void YamlReader::entries(
    const YAML::Node& node, const std::string& path,
    const std::function<void(const std::string&, const YAML::Node&, const std::string&)>& read) {
  if (!node.IsMap()) refuse_type(node, path, "a map");
  for (const auto& entry : node) {
    const std::string name = scalar_text(entry.first);
    read(name, entry.second, join(path, name));
  }
}

void YamlReader::map(const YAML::Node& node, const std::string& path,
                     const std::vector<Row>& rows) {
  entries(node, path, [&](const std::string& key, const YAML::Node& value, const auto& where) {
    const auto row =
        std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.name == key; });
    if (row == rows.end()) {
      std::vector<std::string_view> names;
      for (const Row& r : rows) names.push_back(r.name);
      refuse(value, where, fmt::format("there is no key '{}' here", key), key,
             fmt::format("{}", fmt::join(names, ", ")));
    }
    row->read(value, where);
  });
  for (const Row& row : rows) {
    bool there = false;
    for (const auto& entry : node) there = there || entry.first.Scalar() == row.name;
    if (row.required && !there) {
      refuse(node, path, fmt::format("the key '{}' is missing", row.name), {},
             std::string(row.name));
    }
  }
}

void YamlReader::list(const YAML::Node& node, const std::string& path, const Read& read) {
  if (node.IsNull()) return;
  if (!node.IsSequence()) refuse_type(node, path, "a list");
  std::size_t index = 0;
  for (const YAML::Node& child : node) read(child, fmt::format("{}[{}]", path, index++));
}

std::string YamlReader::text(const YAML::Node& node, const std::string& path) const {
  if (node.IsNull()) return {};
  if (!node.IsScalar()) refuse_type(node, path, "text");
  return scalar_text(node);
}

bool YamlReader::flag(const YAML::Node& node, const std::string& path) const {
  if (node.IsScalar() && among(kTrue, node.Scalar())) return true;
  if (node.IsScalar() && among(kFalse, node.Scalar())) return false;
  refuse_type(node, path, "true or false");
}

std::int64_t YamlReader::integer(const YAML::Node& node, const std::string& path,
                                 std::int64_t least, std::int64_t most) const {
  const std::string wanted = fmt::format("an integer from {} to {}", least, most);
  if (!node.IsScalar()) refuse_type(node, path, wanted);
  const std::string& text = node.Scalar();
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || at != end || value < least || value > most) {
    refuse_type(node, path, wanted);
  }
  return value;
}

std::string YamlReader::json(const YAML::Node& node) {
  std::string out;
  switch (node.Type()) {
    case YAML::NodeType::Undefined:
    case YAML::NodeType::Null: return "null";
    case YAML::NodeType::Scalar: return json_scalar(node);
    case YAML::NodeType::Sequence:
      for (const YAML::Node& child : node) out += (out.empty() ? "" : ",") + json(child);
      return "[" + out + "]";
    case YAML::NodeType::Map:
      for (const auto& entry : node) {
        if (!out.empty()) out += ',';
        codec::write_string(out, scalar_text(entry.first));
        out += ':' + json(entry.second);
      }
      return "{" + out + "}";
  }
  return "null";
}

std::variant<std::monostate, ScenarioProblem> unreadable(std::string_view text,
                                                         const std::string& file,
                                                         const ScenarioLimits& limits) {
  ScenarioProblem problem;
  problem.file = file;
  if (text.size() > limits.bytes) {
    problem.what = fmt::format("larger than {} bytes", limits.bytes);
    return problem;
  }
  problem.line = 1;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t length = codec::utf8_length(text.substr(i));
    const bool c0 = byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r';
    const bool c1 = length == 2 && byte == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (length == 0 || c0 || c1 || byte == 0x7F) {
      problem.what = length == 0 ? "not UTF-8 text" : "a control character; write it as an escape";
      return problem;
    }
    if (byte == '\n') ++problem.line;
    i += length;
  }
  return std::monostate{};
}

}  // namespace gantry::mock
