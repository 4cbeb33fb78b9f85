// SPDX-License-Identifier: Apache-2.0
#include "cli/observer_config.hpp"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <boost/json/stream_parser.hpp>
#include <boost/json/value.hpp>
#include <vector>

namespace gantry::cli {
namespace {

namespace json = boost::json;

using config::Diagnostics;
using config::Origin;
using config::Value;

enum class Convert {
  kAsIs,
  kSeconds,   ///< a number of seconds becomes a duration
  kLogLevel,  ///< Python's level names
};

enum class Weight {
  kComfort,   ///< without it the program still does what it should
  kProtects,  ///< a limit or a rule: running without it would be a lie
};

/// A published key and ours. An empty plugin: known, but nothing here needs it.
struct KeyRow {
  std::string_view published;
  std::string_view plugin;
  std::string_view key;
  Convert convert = Convert::kAsIs;
  Weight weight = Weight::kComfort;
};

constexpr std::string_view kNone{};
constexpr auto kProtects = Weight::kProtects;

/// Observer contract section 3. A row may end in ".*": then all keys below are taken.
constexpr KeyRow kKeys[] = {
    {"web_ui.host", "rest_observer", "host"},
    {"web_ui.port", "rest_observer", "port"},
    {"web_ui.cors_origins", "rest_observer", "cors_origins"},
    {"web_ui.debug", kNone, kNone},
    {"mcp.*", kNone, kNone},
    {"ocr.enabled", "observation", "ocr.enabled"},
    {"ocr.*", kNone, kNone},
    {"vlm.enabled", "observation", "vlm.enabled"},
    {"vlm.ground_with_tree", "observation", "vlm.ground_with_tree"},
    {"vlm.ground_with_ocr", "observation", "vlm.ground_with_ocr"},
    {"vlm.base_url", "vision_vlm", "base_url"},
    {"vlm.api_key", "vision_vlm", "api_key"},
    {"vlm.model", "vision_vlm", "model"},
    {"vlm.model_fast", "vision_vlm", "model_fast"},
    {"vlm.model_actions", "vision_vlm", "model_actions"},
    {"vlm.model_verify", "vision_vlm", "model_verify"},
    {"vlm.mode", "vision_vlm", "mode"},
    {"vlm.max_tokens", "vision_vlm", "max_tokens"},
    {"vlm.temperature", "vision_vlm", "temperature"},
    {"vlm.timeout_s", "vision_vlm", "timeout", Convert::kSeconds},
    {"vlm.image_max_dim", "vision_vlm", "image_max_dim"},
    {"vlm.ocr_max_chars", "vision_vlm", "ocr_max_chars"},
    {"vlm.prompt", "vision_vlm", "prompt"},
    {"vlm.*", kNone, kNone},
    {"ascii_sketch.grid_width", "observation", "sketch.grid_width"},
    {"ascii_sketch.grid_height", "observation", "sketch.grid_height"},
    {"ascii_sketch.unicode_box", "observation", "sketch.unicode_box"},
    {"ascii_sketch.role_glyphs", "observation", "sketch.role_glyphs"},
    {"ascii_sketch.occlusion_prune", "observation", "sketch.occlusion_prune"},
    {"ascii_sketch.tab_index_badges", "observation", "sketch.tab_index_badges"},
    {"ascii_sketch.landmark_headers", "observation", "sketch.landmark_headers"},
    {"ascii_sketch.vlm_fallback", kNone, kNone},
    {"tree.max_depth", "observation", "tree.max_depth"},
    {"tree.default_depth", "observation", "tree.default_depth"},
    {"tree.cache_ttl_s", "observation", "tree.cache_ttl", Convert::kSeconds},
    {"tree.sparse_threshold", "observation", "tree.sparse_threshold"},
    {"tree.strategy", kNone, kNone},
    {"logging.level", "log", "level", Convert::kLogLevel},
    {"logging.audit", "guard", "audit.enabled", Convert::kAsIs, kProtects},
    {"logging.audit_path", "guard", "audit.path", Convert::kAsIs, kProtects},
    {"logging.audit_max_bytes", "guard", "audit.max_bytes"},
    {"logging.audit_backups", "guard", "audit.backups"},
    {"audit.redact_arg_keys", "guard", "audit.redact_arg_keys", Convert::kAsIs, kProtects},
    {"actions.allow", "guard", "actions.allow", Convert::kAsIs, kProtects},
    {"actions.deny", "guard", "actions.deny", Convert::kAsIs, kProtects},
    {"actions.default", "guard", "actions.default", Convert::kAsIs, kProtects},
    {"confirmation_required", "guard", "confirmation_required", Convert::kAsIs, kProtects},
    {"confirmation.bbox_tolerance_px", "guard", "confirmation.bbox_tolerance_px"},
    {"confirmation.ttl_seconds", "guard", "confirmation.ttl", Convert::kSeconds},
    {"redaction.enabled", "guard", "redaction.enabled", Convert::kAsIs, kProtects},
    {"redaction.window_title_patterns", "guard", "redaction.window_title_patterns", Convert::kAsIs,
     kProtects},
    {"redaction.element_name_patterns", "guard", "redaction.element_name_patterns", Convert::kAsIs,
     kProtects},
    {"redaction.element_role_patterns", "guard", "redaction.element_role_patterns", Convert::kAsIs,
     kProtects},
    {"redaction.ocr_text_patterns", "guard", "redaction.ocr_text_patterns", Convert::kAsIs,
     kProtects},
    {"redaction.replacement", "guard", "redaction.replacement"},
    {"redaction.blur_screenshots", "guard", "redaction.blur_screenshots", Convert::kAsIs,
     kProtects},
    {"tracing.dir", "observation", "tracing.dir"},
    {"tracing.screenshot_every_n_actions", "observation", "tracing.screenshot_every_n_actions"},
    {"tracing.max_args_bytes", "observation", "tracing.max_args_bytes"},
    {"tracing.redact_keys", "observation", "tracing.redact_keys", Convert::kAsIs, kProtects},
    {"wait_for.max_timeout_ms", "observation", "wait_for.max_timeout_ms"},
    {"platform", kNone, kNone},
};
constexpr std::string_view kMockKey = "mock";

struct LevelRow {
  std::string_view published, ours;
};
constexpr LevelRow kLevels[] = {{"DEBUG", "debug"}, {"INFO", "info"},   {"WARNING", "warn"},
                                {"WARN", "warn"},   {"ERROR", "error"}, {"CRITICAL", "error"}};

Value value_of(const json::value& in, const Origin& origin) {
  Value out;
  switch (in.kind()) {
    case json::kind::null: break;
    case json::kind::bool_: out = Value(in.get_bool()); break;
    case json::kind::int64: out = Value(in.get_int64()); break;
    case json::kind::uint64: out = Value(static_cast<double>(in.get_uint64())); break;
    case json::kind::double_: out = Value(in.get_double()); break;
    case json::kind::string: out = Value(std::string(in.get_string())); break;
    case json::kind::array: {
      Value::List list;
      for (const json::value& element : in.get_array()) list.push_back(value_of(element, origin));
      out = Value(std::move(list));
      break;
    }
    case json::kind::object: {
      out = Value::map();
      for (const auto& [key, member] : in.get_object()) {
        out.set(std::string(key), value_of(member, origin));
      }
      break;
    }
  }
  // Durations and sizes are read from how a number is spelt.
  if (in.is_int64() || in.is_uint64()) out.spelling = json::serialize(in);
  out.origin = origin;
  return out;
}

Value converted(Convert convert, Value value) {
  const Origin origin = value.origin;
  Value out = std::move(value);
  if (convert == Convert::kSeconds &&
      (out.kind() == config::Kind::kInt || out.kind() == config::Kind::kFloat)) {
    out = Value(std::to_string(static_cast<std::int64_t>(out.as_float() * 1000)) + "ms");
  } else if (convert == Convert::kLogLevel && out.is_text()) {
    std::string name = out.as_text();
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
    for (const LevelRow& row : kLevels) {
      if (row.published == name) out = Value(std::string(row.ours));
    }
  }
  out.origin = origin;
  return out;
}

const KeyRow* row_of(std::string_view path) {
  for (const KeyRow& row : kKeys) {
    const bool group = row.published.ends_with(".*");
    if (group ? path.starts_with(row.published.substr(0, row.published.size() - 1))
              : path == row.published) {
      return &row;
    }
  }
  return nullptr;
}

/// Whether rows go on below this path.
bool is_section(std::string_view path) {
  const std::string prefix = std::string(path) + '.';
  return std::any_of(std::begin(kKeys), std::end(kKeys),
                     [&](const KeyRow& row) { return row.published.starts_with(prefix); });
}

class Reader {
 public:
  Reader(const HasKey& has_key, Value& tree, bool& mock, Diagnostics& diagnostics)
      : has_key_(has_key), tree_(tree), mock_(mock), diagnostics_(diagnostics) {}

  void read(const Value& value, const std::string& path) {
    if (path == kMockKey) {
      mock_ = mock_ || value.as_bool();
    } else if (const KeyRow* row = row_of(path)) {
      take(*row, value, path);
    } else if (value.is_map() && (path.empty() || is_section(path))) {
      for (const config::Entry& entry : value.as_map()) {
        read(entry.value, path.empty() ? entry.key : path + '.' + entry.key);
      }
    } else {
      std::vector<std::string> known;
      for (const KeyRow& row_known : kKeys) known.emplace_back(row_known.published);
      diagnostics_.warning(value.origin, path,
                           "unknown key, ignored." + config::did_you_mean(path, known));
    }
  }

 private:
  void take(const KeyRow& row, const Value& value, const std::string& path) {
    if (value.is_null()) return;  // the published default
    if (row.plugin.empty()) {
      diagnostics_.warning(value.origin, path, "has no effect in this program");
    } else if (row.plugin == "log" || has_key_(row.plugin, row.key)) {
      lay_key(tree_, row.plugin, row.key, converted(row.convert, value));
    } else if (row.weight == Weight::kProtects) {
      diagnostics_.error(value.origin, path,
                         "cannot be honoured: the installed plugins have no " +
                             std::string(row.plugin) + "." + std::string(row.key) +
                             "; install it, or remove the key if you can do without it");
    } else {
      diagnostics_.warning(value.origin, path, "has no effect with the installed plugins");
    }
  }

  const HasKey& has_key_;
  Value& tree_;
  bool& mock_;
  Diagnostics& diagnostics_;
};

/// Where parsing stopped, as people count.
struct Place {
  int line = 1;
  int column = 1;
};
Place place_of(std::string_view text, std::size_t offset) {
  Place place;
  for (const char c : text.substr(0, offset)) {
    ++place.column;
    if (c != '\n') continue;
    ++place.line;
    place.column = 1;
  }
  return place;
}

}  // namespace

void lay_key(Value& tree, std::string_view plugin, std::string_view key, Value value) {
  const Origin origin = value.origin;
  std::vector<std::string> parts;
  if (plugin == "log") {
    parts = {"log"};
  } else {
    parts = {"plugins", std::string(plugin), "config"};
  }
  while (!key.empty()) {
    const std::size_t dot = key.find('.');
    parts.emplace_back(key.substr(0, dot));
    key = dot == std::string_view::npos ? std::string_view() : key.substr(dot + 1);
  }
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    Value outer = Value::map();
    outer.origin = origin;
    outer.set(*part, std::move(value));
    value = std::move(outer);
  }
  config::merge(tree, value);
}

void lay_observer_config(std::string_view text, const std::string& file, const HasKey& has_key,
                         Value& tree, bool& mock, Diagnostics& diagnostics) {
  json::stream_parser parser;
  json::error_code broken;
  const std::size_t used = parser.write_some(text.data(), text.size(), broken);
  std::string problem;
  if (!broken) parser.finish(broken);
  if (broken) problem = broken.message();
  // What comes after the value may only be blank.
  if (!broken && text.find_first_not_of(" \t\r\n", used) != std::string_view::npos) {
    problem = "text after the end of the value";
  }
  if (!problem.empty()) {
    const Place place = place_of(text, used);
    diagnostics.error({file, place.line}, "",
                      "not valid JSON at line " + std::to_string(place.line) + ", column " +
                          std::to_string(place.column) + ": " + problem);
    return;
  }
  const Value root = value_of(parser.release(), {file, 0});
  if (!root.is_map()) {
    diagnostics.error(root.origin, "", "found " + root.describe() + ", allowed: an object");
    return;
  }
  Reader(has_key, tree, mock, diagnostics).read(root, "");
}

}  // namespace gantry::cli
