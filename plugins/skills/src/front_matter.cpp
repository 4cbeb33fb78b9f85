// SPDX-License-Identifier: Apache-2.0
#include "front_matter.hpp"

#include <gantry/codec.hpp>

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <set>
#include <utility>

namespace gantry::skills {
namespace {

constexpr std::size_t kMaxName = 64;
constexpr std::size_t kMaxFrontMatter = 32'768;
constexpr std::size_t kMaxDescription = 2048;
constexpr std::size_t kMaxText = 512;
constexpr std::size_t kMaxItems = 100;
constexpr int kMaxDepth = 8;
constexpr int kMaxValues = 1000;

/// Thrown and caught in this file.
struct Refused {
  std::string what;
};

std::string at(const YAML::Node& node) {
  const YAML::Mark mark = node.Mark();
  // Counted in the file: the front matter begins after its first line.
  return mark.is_null() ? std::string() : "line " + std::to_string(mark.line + 2) + ": ";
}

[[noreturn]] void refuse(const YAML::Node& node, const std::string& what) {
  throw Refused{at(node) + what};
}

/// Aliases make a small text a large tree; what is walked is counted.
void check_size(const YAML::Node& node, int depth, int& values) {
  if (depth > kMaxDepth) refuse(node, "the front matter is nested too deeply");
  if (++values > kMaxValues) refuse(node, "the front matter has too many values");
  if (!node.IsSequence() && !node.IsMap()) return;
  for (const auto& entry : node) {
    if (node.IsMap()) check_size(entry.first, depth + 1, values);
    check_size(node.IsMap() ? entry.second : entry, depth + 1, values);
  }
}

std::string text_of(const YAML::Node& node, const std::string& key, std::size_t most) {
  if (!node || node.IsNull()) return {};
  if (!node.IsScalar()) refuse(node, "`" + key + "` must be a text");
  if (node.Scalar().size() > most) {
    refuse(node, "`" + key + "` is longer than " + std::to_string(most) + " bytes");
  }
  return node.Scalar();
}

bool flag_of(const YAML::Node& node, const std::string& key) {
  if (!node || node.IsNull()) return false;
  bool value = false;
  if (!node.IsScalar() || !YAML::convert<bool>::decode(node, value)) {
    refuse(node, "`" + key + "` must be true or false");
  }
  return value;
}

/// A list, or a text with commas or spaces between. A comma inside of parentheses belongs to its
/// item: `Bash(git add, git commit)`.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words(1);
  int open = 0;
  for (const char c : text) {
    if (c == '(') ++open;
    if (c == ')') --open;
    if (open <= 0 && (c == ',' || c == ' ' || c == '\t')) {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  std::erase(words, std::string());
  return words;
}

std::vector<std::string> list_of(const YAML::Node& node, const std::string& key) {
  std::vector<std::string> out;
  if (!node || node.IsNull()) return out;
  if (node.IsScalar()) {
    out = words_of(text_of(node, key, kMaxText * 4));
  } else if (node.IsSequence()) {
    for (const YAML::Node& item : node) out.push_back(text_of(item, key, kMaxText));
  } else {
    refuse(node, "`" + key + "` must be a list");
  }
  if (out.size() > kMaxItems) refuse(node, "`" + key + "` has too many items");
  return out;
}

/// Needs of one kind: texts, or maps with `name` and `install`.
void needs_of(const YAML::Node& node, const std::string& key, SkillNeedKind kind, Skill& skill) {
  if (!node || node.IsNull()) return;
  if (node.IsScalar()) {
    for (std::string& name : words_of(text_of(node, key, kMaxText))) {
      skill.needs.push_back({kind, std::move(name), false, {}});
    }
    return;
  }
  if (!node.IsSequence()) refuse(node, "`" + key + "` must be a list");
  for (const YAML::Node& item : node) {
    SkillNeed need{kind, {}, false, {}};
    if (item.IsMap()) {
      need.name = text_of(item["name"], key + ".name", kMaxText);
      need.cure = text_of(item["install"], key + ".install", kMaxText);
    } else {
      need.name = text_of(item, key, kMaxText);
    }
    if (need.name.empty()) refuse(item, "an item of `" + key + "` has no name");
    skill.needs.push_back(std::move(need));
  }
}

void requirements_of(const YAML::Node& node, Skill& skill) {
  if (!node || node.IsNull()) return;
  if (!node.IsMap()) refuse(node, "`requires` must be a map of bins, any_bins, env and os");
  needs_of(node["bins"], "requires.bins", SkillNeedKind::Program, skill);
  needs_of(node["env"], "requires.env", SkillNeedKind::Environment, skill);
  const char* any = node["any_bins"] ? "any_bins" : "anyBins";
  std::string one_of;
  for (const std::string& name : list_of(node[any], "requires.any_bins")) {
    one_of += (one_of.empty() ? "" : "|") + name;
  }
  if (!one_of.empty()) skill.needs.push_back({SkillNeedKind::AnyProgram, one_of, false, {}});
  std::string systems;
  for (const std::string& name : list_of(node["os"], "requires.os")) {
    systems += (systems.empty() ? "" : "|") + name;
  }
  if (!systems.empty()) skill.needs.push_back({SkillNeedKind::System, systems, false, {}});
  if (skill.needs.size() > kMaxItems) refuse(node, "`requires` has too many items");
}

void write_json(std::string& out, const YAML::Node& node) {
  if (!node || node.IsNull()) {
    out += "null";
  } else if (node.IsScalar()) {
    codec::write_string(out, node.Scalar());
  } else {
    const bool map = node.IsMap();
    out += map ? '{' : '[';
    bool first = true;
    std::set<std::string> keys;
    for (const auto& entry : node) {
      if (map && (!entry.first.IsScalar() || !keys.insert(entry.first.Scalar()).second)) continue;
      if (!std::exchange(first, false)) out += ',';
      if (map) {
        codec::write_string(out, entry.first.Scalar());
        out += ':';
      }
      write_json(out, map ? entry.second : entry);
    }
    out += map ? '}' : ']';
  }
}

/// Members that this daemon has no use for are kept as they are.
std::string other_members(const YAML::Node& root) {
  static const std::set<std::string> kKnown = {
      "name",          "title",         "description", "version", "author",   "homepage", "license",
      "allowed-tools", "allowed_tools", "tags",        "always",  "requires", "metadata"};
  YAML::Node rest(YAML::NodeType::Map);
  const YAML::Node metadata = root["metadata"];
  if (metadata && metadata.IsMap()) {
    for (const auto& entry : metadata) rest[entry.first] = entry.second;
  }
  for (const auto& entry : root) {
    if (entry.first.IsScalar() && !kKnown.contains(entry.first.Scalar())) {
      rest[entry.first] = entry.second;
    }
  }
  std::string out;
  write_json(out, rest);
  return out;
}

Skill read_front_matter(std::string_view name, const std::string& yaml) {
  const YAML::Node root = YAML::Load(yaml);
  if (!root.IsMap()) refuse(root, "the front matter must be a map of keys and values");
  int values = 0;
  check_size(root, 0, values);
  Skill skill;
  skill.name = std::string(name);
  skill.title = text_of(root["title"], "title", kMaxText);
  if (skill.title.empty()) skill.title = text_of(root["name"], "name", kMaxText);
  if (skill.title.empty()) skill.title = skill.name;
  skill.description = text_of(root["description"], "description", kMaxDescription);
  if (skill.description.empty()) {
    refuse(root, "`description` is missing: it says when the skill is to be used");
  }
  skill.version = text_of(root["version"], "version", kMaxText);
  skill.author = text_of(root["author"], "author", kMaxText);
  skill.homepage = text_of(root["homepage"], "homepage", kMaxText);
  skill.license = text_of(root["license"], "license", kMaxText);
  skill.tags = list_of(root["tags"], "tags");
  const char* tools = root["allowed-tools"] ? "allowed-tools" : "allowed_tools";
  skill.allowed_tools = list_of(root[tools], tools);
  skill.always = flag_of(root["always"], "always");
  requirements_of(root["requires"], skill);
  skill.metadata = Json(other_members(root));
  return skill;
}

/// The line that begins at `from`, without its end; moves `from` behind it.
std::string_view next_line(std::string_view text, std::size_t& from) {
  const std::size_t end = text.find('\n', from);
  std::string_view line = text.substr(from, end == std::string_view::npos ? end : end - from);
  from = end == std::string_view::npos ? text.size() : end + 1;
  while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
  return line;
}

std::string_view without_mark(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  return text.starts_with(kByteOrderMark) ? text.substr(kByteOrderMark.size()) : text;
}

}  // namespace

bool has_front_matter(std::string_view text) {
  text = without_mark(text);
  std::size_t from = 0;
  return next_line(text, from) == "---";
}

Result<SkillDocument> read_document(std::string_view name, std::string_view text) {
  if (!is_skill_name(name)) {
    return invalid_argument(
        "a skill's folder has a name of lower-case letters, digits and "
        "hyphens, up to 64");
  }
  if (!has_front_matter(text)) {
    return invalid_argument("SKILL.md must begin with a line of --- and its front matter");
  }
  text = without_mark(text);
  std::size_t from = 0;
  (void)next_line(text, from);
  const std::size_t begin = from;
  std::size_t end = begin;
  while (true) {
    end = from;
    if (from >= text.size()) {
      return invalid_argument("the front matter of SKILL.md has no end: a second line of ---");
    }
    if (next_line(text, from) == "---") break;
  }
  if (end - begin > kMaxFrontMatter) return invalid_argument("the front matter is too long");
  try {
    SkillDocument out;
    out.skill = read_front_matter(name, std::string(text.substr(begin, end - begin)));
    std::string_view rest = text.substr(from);
    while (rest.starts_with('\n') || rest.starts_with('\r')) rest.remove_prefix(1);
    out.instructions = std::string(rest);
    out.skill.bytes = static_cast<std::int64_t>(out.instructions.size());
    return out;
  } catch (const Refused& refused) {
    return invalid_argument("SKILL.md, " + refused.what);
  } catch (const YAML::Exception& wrong) {
    const std::string where =
        wrong.mark.is_null() ? "" : "line " + std::to_string(wrong.mark.line + 2) + ": ";
    return invalid_argument("SKILL.md, " + where + wrong.msg);
  }
}

bool is_skill_name(std::string_view text) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !text.empty() && text.size() <= kMaxName && plain(text.front()) && plain(text.back()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return plain(c) || c == '-'; });
}

std::string write_document(std::string_view name, std::string_view description,
                           std::string_view instructions) {
  // JSON strings are YAML strings.
  std::string out = "---\nname: ";
  out += name;
  out += "\ndescription: ";
  codec::write_string(out, description);
  out += "\n---\n\n";
  out += instructions;
  if (!out.ends_with('\n')) out += '\n';
  return out;
}

}  // namespace gantry::skills
