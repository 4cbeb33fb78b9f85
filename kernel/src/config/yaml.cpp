// SPDX-License-Identifier: Apache-2.0
#include "config/yaml.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>
#include <gantry/utf8.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <sstream>
#include <system_error>
#include <vector>

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

/// The scalar as it was meant: yaml-cpp 0.7 turns the escapes \N and \_ into single Latin-1 bytes.
std::string scalar_text(const std::string& raw) {
  std::string out;
  out.reserve(raw.size());
  for (std::size_t i = 0; i < raw.size();) {
    const std::size_t length = codec::utf8_length(std::string_view(raw).substr(i));
    if (length == 0) out += '\xC2';
    out.append(raw, i, std::max<std::size_t>(length, 1));
    i += std::max<std::size_t>(length, 1);
  }
  return out;
}

/// Builds the tree of one document from the parser's events: in one pass, because the manifests of
/// all plugins are read at every start and YAML::Node took most of that time.
class Builder final : public YAML::EventHandler {
 public:
  Builder(std::string file, const YamlLimits& limits) : file_(std::move(file)), limits_(limits) {}

  /// The document's value; a map when it is empty. Asked once, after the last event.
  Value take() {
    if (!root_.is_null()) return std::move(root_);
    Value empty = Value::map();
    empty.origin = {file_, 1};
    return empty;
  }

  /// What keeps the document from being a tree: the first such finding, or nothing.
  bool refused() const { return refusal_.has_value(); }
  void report(Diagnostics& diagnostics) const {
    diagnostics.error({file_, refusal_->line}, refusal_->path, refusal_->message);
  }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (wants_key()) return refuse_key(mark);
    if (Value* slot = open_slot(mark)) close_slot(*slot, anchor, 1, 0);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& raw) override {
    if (refused()) return;
    Value value = scalar(tag, scalar_text(raw));
    value.origin = {file_, mark.line + 1};
    if (wants_key()) {
      add_key(mark, value.spelling);
      if (anchor != 0) anchors_[anchor] = {std::move(value), 1, 0};
      return;
    }
    Value* slot = open_slot(mark);
    if (slot == nullptr) return;
    *slot = std::move(value);
    close_slot(*slot, anchor, 1, 0);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (refused()) return;
    const auto at = anchors_.find(anchor);
    if (at == anchors_.end()) return refuse(mark, path(), "an alias inside of what it stands for");
    const Anchored& meant = at->second;
    if (wants_key()) {
      const bool word = !meant.value.is_null() && !meant.value.is_list() && !meant.value.is_map();
      return word ? add_key(mark, meant.value.spelling) : refuse_key(mark);
    }
    nodes_ += meant.nodes - 1;
    Value* slot = open_slot(mark);
    if (slot == nullptr) return;
    if (static_cast<int>(frames_.size()) + meant.height > limits_.depth) return refuse_depth(mark);
    *slot = meant.value;
    close_slot(*slot, 0, meant.nodes, meant.height);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open_collection(mark, anchor, false);
  }
  void OnSequenceEnd() override { close_collection(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open_collection(mark, anchor, true);
  }
  void OnMapEnd() override { close_collection(); }

 private:
  struct Refusal {
    int line;
    std::string path;
    std::string message;
  };
  struct Anchored {
    Value value;
    std::size_t nodes = 0;
    int height = 0;
  };
  /// A list or map whose end has not come. The value stands in its parent, which does not grow
  /// meanwhile.
  struct Frame {
    Value* value;
    YAML::anchor_t anchor;
    bool map;
    bool key_open = false;  ///< the last entry waits for its value
    std::size_t nodes = 1;
    int height = 0;
    std::set<std::string, std::less<>> seen{};
  };

  static Value scalar(const std::string& tag, std::string text) {
    // yaml-cpp tags a quoted scalar "!"; only a plain one may stand for another type than text.
    if (tag != "!" && tag != "tag:yaml.org,2002:str") return plain_scalar(text);
    Value value{text};
    value.spelling = std::move(text);
    return value;
  }

  bool wants_key() const {
    return !refused() && !frames_.empty() && frames_.back().map && !frames_.back().key_open;
  }

  std::string path() const {
    std::string out;
    for (const auto& frame : frames_) {
      if (frame.map && frame.key_open) {
        out = join_path(out, frame.value->as_map().back().key);
      } else if (!frame.map && !frame.value->as_list().empty()) {
        out += "[" + std::to_string(frame.value->as_list().size() - 1) + "]";
      }
    }
    return out;
  }

  void refuse(const YAML::Mark& mark, std::string path, std::string message) {
    if (!refused()) refusal_ = Refusal{mark.line + 1, std::move(path), std::move(message)};
  }
  void refuse_key(const YAML::Mark& mark) {
    refuse(mark, path(), "a key must be a plain word, found a list or a map");
  }
  void refuse_depth(const YAML::Mark& mark) {
    refuse(mark, path(), "nested deeper than " + std::to_string(limits_.depth) + " levels");
  }

  void add_key(const YAML::Mark& mark, const std::string& key) {
    Frame& frame = frames_.back();
    if (!frame.seen.insert(key).second) {
      return refuse(mark, join_path(path(), key), "this key appears twice in the same map");
    }
    Entry& entry = frame.value->entries().emplace_back();
    entry.key = key;
    entry.origin = {file_, mark.line + 1};
    frame.key_open = true;
  }

  /// Where the value that begins at `mark` goes; nullptr once the document is refused.
  Value* open_slot(const YAML::Mark& mark) {
    if (refused()) return nullptr;
    Value* slot = &root_;
    if (!frames_.empty()) {
      Frame& frame = frames_.back();
      slot = frame.map ? &frame.value->entries().back().value : &frame.value->list().emplace_back();
    }
    slot->origin = {file_, mark.line + 1};
    if (++nodes_ > limits_.nodes) {
      refuse(mark, path(), "more than " + std::to_string(limits_.nodes) + " values");
    } else if (static_cast<int>(frames_.size()) > limits_.depth) {
      refuse_depth(mark);
    }
    return refused() ? nullptr : slot;
  }

  void close_slot(const Value& value, YAML::anchor_t anchor, std::size_t nodes, int height) {
    if (anchor != 0) anchors_[anchor] = {value, nodes, height};
    if (frames_.empty()) return;
    Frame& frame = frames_.back();
    frame.nodes += nodes;
    frame.height = std::max(frame.height, height + 1);
    if (!frame.map) return;
    Entry& entry = frame.value->entries().back();
    // An empty value has no mark of its own.
    if (entry.value.is_null()) entry.value.origin = entry.origin;
    frame.key_open = false;
  }

  void open_collection(const YAML::Mark& mark, YAML::anchor_t anchor, bool map) {
    if (wants_key()) refuse_key(mark);
    Value* slot = open_slot(mark);
    if (slot == nullptr) return;
    if (map) {
      slot->entries();
    } else {
      slot->list();
    }
    frames_.push_back(Frame{slot, anchor, map});
  }

  void close_collection() {
    if (refused()) return;
    const Frame done = std::move(frames_.back());
    frames_.pop_back();
    close_slot(*done.value, done.anchor, done.nodes, done.height);
  }

  std::string file_;
  const YamlLimits& limits_;
  Value root_;
  std::vector<Frame> frames_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  std::size_t nodes_ = 0;
  std::optional<Refusal> refusal_;
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
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    Builder builder(file, limits);
    parser.HandleNextDocument(builder);
    // YAML::LoadAll() collects empty documents for ever when one begins with a comma.
    DocumentStart next;
    if (parser.HandleNextDocument(next)) {
      diagnostics.error({file, next.line}, "",
                        "a second document starts here; one file holds one document");
      return std::nullopt;
    }
    if (!builder.refused()) return builder.take();
    builder.report(diagnostics);
  } catch (const YAML::Exception& error) {
    const int line = error.mark.is_null() ? 0 : error.mark.line + 1;
    diagnostics.error({file, line}, "", "not valid YAML: " + error.msg);
  } catch (const std::exception& error) {
    // yaml-cpp lets std exceptions of its containers through on some malformed input.
    diagnostics.error({file, 0}, "", std::string("not valid YAML: ") + error.what());
  }
  return std::nullopt;
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
