// SPDX-License-Identifier: Apache-2.0
#include "config/yaml.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>
#include <gantry/utf8.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>
#include <system_error>

namespace gantry::config {
namespace {

struct Finding {
  int line;
  std::string message;
};

std::optional<std::int64_t> parse_int(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  std::string_view digits = text;
  if (!digits.empty() && (digits.front() == '-' || digits.front() == '+')) digits.remove_prefix(1);
  int base = 10;
  if (digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'o')) {
    base = digits[1] == 'x' ? 16 : 8;
    digits.remove_prefix(2);
  }
  if (digits.empty() || digits.front() == '-' || digits.front() == '+') return std::nullopt;
  // Read with the sign, because -2^63 has no positive twin.
  std::string signed_digits = negative ? "-" : "";
  signed_digits += digits;
  std::int64_t value = 0;
  const char* end = signed_digits.data() + signed_digits.size();
  const auto [at, error] = std::from_chars(signed_digits.data(), end, value, base);
  if (error != std::errc{} || at != end) return std::nullopt;
  return value;
}

std::optional<double> parse_float(std::string_view text) {
  if (text == ".inf" || text == "+.inf") return HUGE_VAL;
  if (text == "-.inf") return -HUGE_VAL;
  if (text == ".nan") return std::nan("");
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  // from_chars also reads "inf" and "nan", which YAML writes with a dot.
  if (text.find_first_of("0123456789") == std::string_view::npos) return std::nullopt;
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || at != end) return std::nullopt;
  return value;
}

/// What keeps `text` from being YAML at the level of characters (YAML 1.2 section 5.1), or nothing.
/// Asked before yaml-cpp 0.7 sees it, which reads other encodings by guess.
std::optional<Finding> find_unreadable(std::string_view text) {
  int line = 1;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t length = codec::utf8_length(text.substr(i));
    if (length == 0) return Finding{line, "not UTF-8 text"};
    const bool c0 = byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r';
    const bool c1 = byte == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (c0 || c1 || byte == 0x7F) {
      return Finding{line, "a control character; write it as an escape in double quotes"};
    }
    if (byte == '\n') ++line;
    i += length;
  }
  return std::nullopt;
}

/// Remembers where the last document began and ignores the rest.
class DocumentStart final : public YAML::EventHandler {
 public:
  int line = 0;

  void OnDocumentStart(const YAML::Mark& mark) override { line = mark.line + 1; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

/// The line on which a second document begins, or 0. YAML::LoadAll() would tell too, but it
/// collects empty documents for ever when one begins with a comma.
int second_document(std::string_view text) {
  std::istringstream stream{std::string(text)};
  YAML::Parser parser(stream);
  DocumentStart start;
  parser.HandleNextDocument(start);
  return parser.HandleNextDocument(start) ? start.line : 0;
}

/// The scalar as it was meant: yaml-cpp 0.7 turns the escapes \N and \_ into single Latin-1 bytes.
std::string scalar_text(const YAML::Node& node) {
  std::string out;
  const std::string& raw = node.Scalar();
  for (std::size_t i = 0; i < raw.size();) {
    const std::size_t length = codec::utf8_length(std::string_view(raw).substr(i));
    if (length == 0) out += '\xC2';
    out.append(raw, i, std::max<std::size_t>(length, 1));
    i += std::max<std::size_t>(length, 1);
  }
  return out;
}

class Converter {
 public:
  Converter(std::string file, const YamlLimits& limits, Diagnostics& diagnostics)
      : file_(std::move(file)), limits_(limits), diagnostics_(diagnostics) {}

  bool convert(const YAML::Node& node, const std::string& path, int depth, Value& out) {
    out.origin = origin(node);
    if (++nodes_ > limits_.nodes) {
      return refuse(node, path, "more than " + std::to_string(limits_.nodes) + " values");
    }
    if (depth > limits_.depth) {
      return refuse(node, path, "nested deeper than " + std::to_string(limits_.depth) + " levels");
    }
    switch (node.Type()) {
      case YAML::NodeType::Undefined:
      case YAML::NodeType::Null: break;
      case YAML::NodeType::Scalar: scalar(node, out); break;
      case YAML::NodeType::Sequence: return sequence(node, path, depth, out);
      case YAML::NodeType::Map: return map(node, path, depth, out);
    }
    return true;
  }

 private:
  Origin origin(const YAML::Node& node) const { return {file_, node.Mark().line + 1}; }

  bool refuse(const YAML::Node& node, const std::string& path, std::string message) {
    diagnostics_.error(origin(node), path, std::move(message));
    return false;
  }

  static void scalar(const YAML::Node& node, Value& out) {
    const Origin written = out.origin;
    // yaml-cpp tags a quoted scalar "!"; only a plain one may stand for another type than text.
    out = node.Tag() == "!" || node.Tag() == "tag:yaml.org,2002:str"
              ? Value(scalar_text(node))
              : plain_scalar(scalar_text(node));
    out.origin = written;
    out.spelling = scalar_text(node);
  }

  bool sequence(const YAML::Node& node, const std::string& path, int depth, Value& out) {
    auto& list = out.list();
    list.reserve(node.size());
    for (const auto& item : node) {
      Value& child = list.emplace_back();
      const std::string step = path + "[" + std::to_string(list.size() - 1) + "]";
      if (!convert(item, step, depth + 1, child)) return false;
    }
    return true;
  }

  bool map(const YAML::Node& node, const std::string& path, int depth, Value& out) {
    auto& entries = out.entries();
    std::set<std::string, std::less<>> seen;
    for (const auto& pair : node) {
      if (!pair.first.IsScalar()) {
        return refuse(pair.first, path, "a key must be a plain word, found a list or a map");
      }
      const std::string key = scalar_text(pair.first);
      if (!seen.insert(key).second) {
        return refuse(pair.first, join_path(path, key), "this key appears twice in the same map");
      }
      Entry& entry = entries.emplace_back();
      entry.key = key;
      entry.origin = origin(pair.first);
      if (!convert(pair.second, join_path(path, key), depth + 1, entry.value)) return false;
      // An empty value has no mark of its own.
      if (entry.value.is_null()) entry.value.origin = entry.origin;
    }
    return true;
  }

  std::string file_;
  const YamlLimits& limits_;
  Diagnostics& diagnostics_;
  std::size_t nodes_ = 0;
};

}  // namespace

Value plain_scalar(std::string_view text) {
  Value value;
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL") {
    value = Value();
  } else if (text == "true" || text == "True" || text == "TRUE") {
    value = Value(true);
  } else if (text == "false" || text == "False" || text == "FALSE") {
    value = Value(false);
  } else if (const auto whole = parse_int(text)) {
    value = Value(*whole);
  } else if (const auto real = parse_float(text)) {
    value = Value(*real);
  } else {
    value = Value(std::string(text));
  }
  value.spelling = std::string(text);
  return value;
}

std::optional<Value> parse_yaml(std::string_view text, const std::string& file,
                                Diagnostics& diagnostics, const YamlLimits& limits) {
  if (text.size() > limits.bytes) {
    diagnostics.error({file, 0}, "", "larger than " + std::to_string(limits.bytes) + " bytes");
    return std::nullopt;
  }
  if (const auto finding = find_unreadable(text)) {
    diagnostics.error({file, finding->line}, "", finding->message);
    return std::nullopt;
  }
  try {
    if (const int line = second_document(text); line > 0) {
      diagnostics.error({file, line}, "",
                        "a second document starts here; one file holds one document");
      return std::nullopt;
    }
    const YAML::Node document = YAML::Load(std::string(text));
    Value value = Value::map();
    value.origin = {file, 1};
    if (document.IsNull()) return value;
    Converter converter(file, limits, diagnostics);
    if (!converter.convert(document, "", 0, value)) return std::nullopt;
    return value;
  } catch (const YAML::Exception& error) {
    const int line = error.mark.is_null() ? 0 : error.mark.line + 1;
    diagnostics.error({file, line}, "", "not valid YAML: " + error.msg);
  } catch (const std::exception& error) {
    // yaml-cpp lets std exceptions of its containers through on some malformed input.
    diagnostics.error({file, 0}, "", std::string("not valid YAML: ") + error.what());
  }
  return std::nullopt;
}

std::optional<std::string> read_file(const std::filesystem::path& file, std::size_t limit,
                                     std::string& reason) {
  errno = 0;
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    reason = "is a directory";
    return std::nullopt;
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    reason = std::generic_category().message(errno == 0 ? EIO : errno);
    return std::nullopt;
  }
  std::string text;
  char block[16384];
  while (stream.read(block, sizeof block) || stream.gcount() > 0) {
    text.append(block, static_cast<std::size_t>(stream.gcount()));
    if (text.size() > limit) {
      reason = "is larger than " + std::to_string(limit) + " bytes";
      return std::nullopt;
    }
  }
  return text;
}

std::optional<Value> load_yaml(const std::filesystem::path& file, Diagnostics& diagnostics,
                               const YamlLimits& limits) {
  std::string reason;
  const auto text = read_file(file, limits.bytes, reason);
  if (!text) {
    diagnostics.error({file.string(), 0}, "", "cannot be read: " + reason);
    return std::nullopt;
  }
  return parse_yaml(*text, file.string(), diagnostics, limits);
}

}  // namespace gantry::config
