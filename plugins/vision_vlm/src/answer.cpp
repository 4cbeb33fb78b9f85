// SPDX-License-Identifier: Apache-2.0
#include "answer.hpp"

#include <gantry/outside_text.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace gantry::vision_vlm {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostTargets = 100;
constexpr std::size_t kDeepest = 32;
constexpr std::size_t kLongest = 256U << 10U;  // of an answer that is looked at

enum class Scale : std::uint8_t { Unknown, Pixels, Percents, Thousandths };

/// Two or four numbers as they were written.
struct Raw {
  std::vector<double> numbers;
  Scale scale = Scale::Unknown;  // what the form itself says
  bool size = false;             // the last two are width and height
  bool rows_first = false;       // y before x
  double confidence = -1;
  std::string label;
};

std::optional<double> number_in(const json::value& value) {
  if (value.is_number()) {
    const double number = value.to_number<double>();
    return std::isfinite(number) ? std::optional(number) : std::nullopt;
  }
  return std::nullopt;
}

std::vector<double> numbers_of(const json::array& list) {
  std::vector<double> out;
  for (const json::value& item : list) {
    const auto number = number_in(item);
    if (!number || out.size() == 4) return {};
    out.push_back(*number);
  }
  return out.size() == 2 || out.size() == 4 ? out : std::vector<double>{};
}

std::vector<double> members(const json::object& object,
                            const std::vector<std::string_view>& names) {
  std::vector<double> out;
  for (const std::string_view name : names) {
    const json::value* value = object.if_contains(name);
    const auto number = value == nullptr ? std::nullopt : number_in(*value);
    if (!number) return {};
    out.push_back(*number);
  }
  return out;
}

/// x, y and what may stand beside them.
std::optional<Raw> plain_members(const json::object& object) {
  Raw raw;
  raw.numbers = members(object, {"x1", "y1", "x2", "y2"});
  if (raw.numbers.empty()) raw.numbers = members(object, {"left", "top", "right", "bottom"});
  if (raw.numbers.empty()) {
    raw.numbers = members(object, {"x", "y", "width", "height"});
    raw.size = !raw.numbers.empty();
  }
  if (raw.numbers.empty()) raw.numbers = members(object, {"x", "y"});
  if (raw.numbers.empty()) return std::nullopt;
  return raw;
}

struct Spelling {
  std::string_view name;
  Scale scale = Scale::Unknown;
  bool rows_first = false;
};
constexpr std::array kSpellings = {
    Spelling{"bbox_2d", Scale::Pixels},
    Spelling{"point_2d", Scale::Pixels},
    Spelling{"box_2d", Scale::Thousandths, true},
    Spelling{"point"},
    Spelling{"click_point"},
    Spelling{"coordinate"},
    Spelling{"coordinates"},
    Spelling{"center"},
    Spelling{"position"},
    Spelling{"bbox"},
    Spelling{"box"},
    Spelling{"bounding_box"},
};

void add_common(const json::object& object, Raw& raw) {
  for (const std::string_view name : {"confidence", "score"}) {
    const json::value* value = object.if_contains(name);
    const auto number = value == nullptr ? std::nullopt : number_in(*value);
    if (number && *number >= 0 && *number <= 1) raw.confidence = *number;
  }
  for (const std::string_view name : {"label", "text", "name"}) {
    const json::value* value = object.if_contains(name);
    if (value != nullptr && value->is_string() && raw.label.empty())
      raw.label = strip_terminal_controls(std::string_view(value->get_string()));
  }
}

void read_json(const json::value& value, std::vector<Raw>& out, std::size_t depth);

bool read_spelling(const json::object& object, const Spelling& spelling, std::vector<Raw>& out) {
  const json::value* value = object.if_contains(spelling.name);
  if (value == nullptr) return false;
  std::optional<Raw> raw;
  if (const json::array* list = value->if_array()) {
    raw.emplace();
    raw->numbers = numbers_of(*list);
  } else if (const json::object* inner = value->if_object()) {
    raw = plain_members(*inner);
  }
  if (!raw || raw->numbers.empty()) return false;
  raw->scale = spelling.scale;
  raw->rows_first = spelling.rows_first;
  add_common(object, *raw);
  out.push_back(std::move(*raw));
  return true;
}

bool says_nothing_there(const json::object& object) {
  const json::value* found = object.if_contains("found");
  return found != nullptr && found->is_bool() && !found->get_bool();
}

void read_object(const json::object& object, std::vector<Raw>& out, std::size_t depth) {
  if (says_nothing_there(object)) return;
  for (const Spelling& spelling : kSpellings) {
    if (read_spelling(object, spelling, out)) return;
  }
  if (auto raw = plain_members(object)) {
    add_common(object, *raw);
    out.push_back(std::move(*raw));
    return;
  }
  for (const auto& member : object) read_json(member.value(), out, depth + 1);
}

void read_json(const json::value& value, std::vector<Raw>& out, std::size_t depth) {
  if (depth > kDeepest || out.size() >= kMostTargets) return;
  if (const json::object* object = value.if_object()) return read_object(*object, out, depth);
  const json::array* list = value.if_array();
  if (list == nullptr) return;
  Raw raw;
  raw.numbers = numbers_of(*list);
  if (!raw.numbers.empty()) return out.push_back(std::move(raw));
  for (const json::value& item : *list) read_json(item, out, depth + 1);
}

/// The end of the JSON that begins at `at`, by its brackets; npos: it has none.
std::size_t json_end(std::string_view text, std::size_t at) {
  std::size_t open = 0;
  bool quoted = false;
  for (std::size_t i = at; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      ++open;
    } else if ((c == '}' || c == ']') && --open == 0) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

/// The first JSON in the text that names a place; `any` tells whether one was an object at all.
std::vector<Raw> json_targets(std::string_view text, bool& any) {
  constexpr std::size_t kTries = 64;
  std::vector<Raw> out;
  std::size_t tries = 0;
  for (std::size_t at = text.find_first_of("{["); at != std::string_view::npos && tries < kTries;
       at = text.find_first_of("{[", at), ++tries) {
    const std::size_t end = json_end(text, at);
    if (end == std::string_view::npos) {
      ++at;
      continue;
    }
    json::error_code problem;
    json::parse_options options;
    options.max_depth = kDeepest;
    const json::value value = json::parse(text.substr(at, end - at), problem, {}, options);
    if (problem) {
      ++at;
      continue;
    }
    any = any || value.is_object();
    read_json(value, out, 0);
    if (!out.empty()) return out;
    at = end;
  }
  return out;
}

/// The numbers in a text, at most four, whatever is between them.
std::vector<double> loose_numbers(std::string_view text) {
  std::vector<double> out;
  std::size_t i = 0;
  while (i < text.size() && out.size() < 4) {
    const char c = text[i];
    const bool begins = (c >= '0' && c <= '9') || (c == '-' && i + 1 < text.size() &&
                                                   text[i + 1] >= '0' && text[i + 1] <= '9');
    if (!begins) {
      ++i;
      continue;
    }
    const std::size_t end = text.find_first_not_of("0123456789.", i + 1);
    const std::string digits(text.substr(i, end == std::string_view::npos ? end : end - i));
    out.push_back(std::strtod(digits.c_str(), nullptr));
    i += digits.size();
  }
  return out;
}

struct Tag {
  std::string_view open;
  std::string_view close;
  Scale scale;
};
constexpr std::array kTags = {
    Tag{"<|box_start|>", "<|box_end|>", Scale::Thousandths},
    Tag{"<box>", "</box>", Scale::Thousandths},
    Tag{"<point>", "</point>", Scale::Unknown},
    Tag{"<points>", "</points>", Scale::Unknown},
    Tag{"<bbox>", "</bbox>", Scale::Unknown},
    Tag{"<point ", ">", Scale::Percents},  // x="61.5" y="40.4"
};

void read_tags(std::string_view text, const Tag& tag, std::vector<Raw>& out) {
  std::size_t at = 0;
  while (out.size() < kMostTargets && (at = text.find(tag.open, at)) != std::string_view::npos) {
    at += tag.open.size();
    const std::size_t end = std::min(text.find(tag.close, at), text.size());
    std::string_view inside = text.substr(at, end - at);
    if (tag.scale == Scale::Percents) inside = inside.substr(0, inside.find("alt="));
    Raw raw;
    raw.numbers = loose_numbers(inside);
    raw.scale = tag.scale;
    if (raw.numbers.size() == 3) raw.numbers.pop_back();
    if (raw.numbers.size() >= 2) out.push_back(std::move(raw));
    at = end;
  }
}

/// "(x, y)", "(x1,y1),(x2,y2)", "click(x=0.5, y=0.3)".
void read_brackets(std::string_view text, std::vector<Raw>& out) {
  std::size_t at = 0;
  while (out.size() < kMostTargets && (at = text.find('(', at)) != std::string_view::npos) {
    const std::size_t end = text.find(')', at);
    if (end == std::string_view::npos) return;
    const std::size_t inner = text.rfind('(', end);  // the innermost pair
    const std::string_view inside = text.substr(inner + 1, end - inner - 1);
    Raw raw;
    raw.numbers = loose_numbers(inside);
    const bool is_pair = raw.numbers.size() == 2 || raw.numbers.size() == 4;
    const bool follows = end + 1 < text.size() && text[end + 1] == ',';
    if (is_pair && raw.numbers.size() == 2 && follows) {
      const std::size_t second = text.find('(', end);
      const std::size_t last = text.find(')', second == std::string_view::npos ? end + 1 : second);
      if (second != std::string_view::npos && second <= end + 3 && last != std::string_view::npos) {
        const auto more = loose_numbers(text.substr(second, last - second));
        if (more.size() == 2) {
          raw.numbers.insert(raw.numbers.end(), more.begin(), more.end());
          at = last + 1;
        }
      }
    }
    at = std::max(at, end + 1);
    if (is_pair) out.push_back(std::move(raw));
  }
}

/// What the numbers are to be divided by so that the picture is 1 wide and high; 0: pixels.
double whole_of(const Raw& raw, Unit unit) {
  if (unit == Unit::Pixels) return 0;
  if (unit == Unit::Thousandths) return 1000;
  if (unit == Unit::Fractions) return 1;
  switch (raw.scale) {
    case Scale::Pixels: return 0;
    case Scale::Percents: return 100;
    case Scale::Thousandths: return 1000;
    case Scale::Unknown: break;
  }
  const bool fractions = std::all_of(raw.numbers.begin(), raw.numbers.end(),
                                     [](double n) { return n >= 0 && n <= 1; });
  const bool broken = std::any_of(raw.numbers.begin(), raw.numbers.end(),
                                  [](double n) { return std::floor(n) != n; });
  return fractions && broken ? 1 : 0;
}

std::optional<Target> target_of(Raw raw, SentSize sent, Unit unit) {
  if (raw.rows_first) {
    std::swap(raw.numbers[0], raw.numbers[1]);
    if (raw.numbers.size() == 4) std::swap(raw.numbers[2], raw.numbers[3]);
  }
  if (const double whole = whole_of(raw, unit); whole != 0) {
    for (std::size_t i = 0; i < raw.numbers.size(); ++i) {
      raw.numbers[i] *= (i % 2 == 0 ? sent.width : sent.height) / whole;
    }
  }
  Target out;
  out.confidence = raw.confidence;
  out.label = std::move(raw.label);
  out.x = raw.numbers[0];
  out.y = raw.numbers[1];
  if (raw.numbers.size() == 4) {
    out.width = raw.size ? raw.numbers[2] : std::abs(raw.numbers[2] - raw.numbers[0]);
    out.height = raw.size ? raw.numbers[3] : std::abs(raw.numbers[3] - raw.numbers[1]);
    if (!raw.size) {
      out.x = std::min(raw.numbers[0], raw.numbers[2]);
      out.y = std::min(raw.numbers[1], raw.numbers[3]);
    }
    out.x += out.width / 2;
    out.y += out.height / 2;
  }
  const bool inside = out.x >= 0 && out.y >= 0 && out.x <= sent.width && out.y <= sent.height &&
                      out.width >= 0 && out.height >= 0;
  if (!inside) return std::nullopt;
  // A number may be any; what it becomes is a whole number of pixels.
  out.width = std::min<double>(out.width, sent.width);
  out.height = std::min<double>(out.height, sent.height);
  return out;
}

}  // namespace

Unit unit_named(std::string_view name) {
  if (name == "pixels") return Unit::Pixels;
  if (name == "thousandths") return Unit::Thousandths;
  if (name == "fractions") return Unit::Fractions;
  return Unit::Auto;
}

std::vector<Target> targets_in(std::string_view text, SentSize sent, Unit unit) {
  text = text.substr(0, kLongest);
  // What a model thought before it answered is no answer.
  if (const std::size_t end = text.rfind("</think>"); end != std::string_view::npos) {
    text = text.substr(end);
  }
  std::vector<Raw> raws;
  for (const Tag& tag : kTags) {
    if (raws.empty()) read_tags(text, tag, raws);
  }
  bool any = false;
  if (raws.empty()) raws = json_targets(text, any);
  if (raws.empty() && !any) read_brackets(text, raws);
  std::vector<Target> out;
  for (Raw& raw : raws) {
    if (out.size() == kMostTargets) break;
    if (auto target = target_of(std::move(raw), sent, unit)) out.push_back(std::move(*target));
  }
  return out;
}

}  // namespace gantry::vision_vlm
