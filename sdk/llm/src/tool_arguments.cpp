// SPDX-License-Identifier: Apache-2.0
#include <gantry/llm/json.hpp>
#include <gantry/llm/tool_arguments.hpp>

#include <array>
#include <cctype>
#include <optional>

namespace gantry::llm {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

/// Without ```json … ``` around it.
std::string_view without_fence(std::string_view text) {
  constexpr std::string_view kFence = "```";
  if (!text.starts_with(kFence) || !text.ends_with(kFence)) return text;
  const std::size_t line = text.find('\n');
  if (line == std::string_view::npos || line + kFence.size() >= text.size()) return text;
  return trim(text.substr(line, text.size() - line - kFence.size()));
}

enum class Form { Object, Text, Other };

/// What `text` is as strict JSON; `inner` is the content of a JSON string.
std::optional<Form> form_of(std::string_view text, std::string& inner) {
  Form form = Form::Other;
  const auto read = read_json(text, [&](const boost::json::value& value) {
    if (value.is_object()) form = Form::Object;
    if (const auto* string = value.if_string()) {
      form = Form::Text;
      inner.assign(string->data(), string->size());
    }
  });
  if (!read.ok()) return std::nullopt;
  return form;
}

/// Rewrites almost-JSON token by token. Nothing is guessed: whatever it does not know, it copies,
/// and the strict parser has the last word.
class Mender {
 public:
  explicit Mender(std::string_view text) : in_(text) {}

  /// Empty when a string does not end.
  std::optional<std::string> mend(bool close_brackets) {
    while (at_ < in_.size()) {
      const char c = in_[at_];
      if (c == '"' || c == '\'') {
        if (!string(c)) return std::nullopt;
      } else if (c == '/' && comment()) {
        continue;
      } else if (std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_') {
        word();
      } else {
        punctuation(c);
      }
    }
    if (!close_brackets && !open_.empty()) return std::nullopt;
    drop_comma();
    while (!open_.empty()) {
      out_ += open_.back();
      open_.pop_back();
    }
    return out_;
  }

 private:
  bool string(char quote) {
    out_ += '"';
    for (++at_; at_ < in_.size(); ++at_) {
      const char c = in_[at_];
      if (c == quote) {
        ++at_;
        out_ += '"';
        return true;
      }
      if (c == '\\' && at_ + 1 < in_.size()) {
        escape(in_[++at_]);
      } else if (c == '"') {
        out_ += "\\\"";
      } else if (static_cast<unsigned char>(c) < 0x20) {
        control(c);
      } else {
        out_ += c;
      }
    }
    return false;
  }
  void escape(char c) {
    if (std::string_view("\"\\/bfnrtu").find(c) != std::string_view::npos) {
      out_ += '\\';
    } else if (c != '\'') {
      out_ += "\\\\";  // C:\Windows, written by somebody who forgot to escape
    }
    out_ += c;
  }
  void control(char c) {
    constexpr std::string_view kHex = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    out_ += "\\u00";
    out_ += kHex[byte >> 4U];
    out_ += kHex[byte & 0xFU];
  }
  bool comment() {
    if (in_.substr(at_, 2) == "//") {
      at_ = std::min(in_.find('\n', at_), in_.size());
      return true;
    }
    if (in_.substr(at_, 2) == "/*") {
      const std::size_t end = in_.find("*/", at_ + 2);
      at_ = end == std::string_view::npos ? in_.size() : end + 2;
      return true;
    }
    return false;
  }
  void word() {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kWords{
        {{"true", "true"},
         {"false", "false"},
         {"null", "null"},
         {"True", "true"},
         {"False", "false"},
         {"None", "null"},
         {"undefined", "null"}}};
    const std::size_t begin = at_;
    while (at_ < in_.size() &&
           (std::isalnum(static_cast<unsigned char>(in_[at_])) != 0 || in_[at_] == '_')) {
      ++at_;
    }
    const std::string_view word = in_.substr(begin, at_ - begin);
    const std::size_t after = in_.find_first_not_of(kBlank, at_);
    if (after != std::string_view::npos && in_[after] == ':') {
      out_ += '"';
      out_ += word;
      out_ += '"';
      return;
    }
    for (const auto& [from, to] : kWords) {
      if (word == from) {
        out_ += to;
        return;
      }
    }
    out_ += word;
  }
  void punctuation(char c) {
    ++at_;
    if (c == '{') open_ += '}';
    if (c == '[') open_ += ']';
    if (c == '}' || c == ']') {
      drop_comma();
      if (!open_.empty() && open_.back() == c) open_.pop_back();
    }
    out_ += c;
  }
  void drop_comma() {
    const std::size_t last = out_.find_last_not_of(kBlank);
    if (last != std::string::npos && out_[last] == ',') out_.erase(last, 1);
  }

  std::string_view in_;
  std::size_t at_ = 0;
  std::string out_;
  std::string open_;  // the closing brackets that are due
};

}  // namespace

ToolArguments read_tool_arguments(std::string_view text, bool cut_off) {
  const std::string_view whole = trim(text);
  if (whole.empty() || whole == "null") return {};
  std::string inner;
  const auto form = form_of(whole, inner);
  if (form == Form::Object) return {std::string(whole), false, {}};

  const std::string unpacked =
      form == Form::Text ? std::string(trim(inner)) : std::string(without_fence(whole));
  if (unpacked.empty()) return {"{}", true, {}};
  std::string ignored;
  if (form_of(unpacked, ignored) == Form::Object) return {unpacked, true, {}};
  if (const auto mended = Mender(unpacked).mend(!cut_off);
      mended && form_of(*mended, ignored) == Form::Object) {
    return {*mended, true, {}};
  }
  ToolArguments failed;
  failed.problem = cut_off
                       ? "the arguments were cut off at the end of the answer; the call was not "
                         "made. Write them again, shorter."
                       : "the arguments are not a JSON object; the call was not made. Write them "
                         "again as one JSON object.";
  return failed;
}

}  // namespace gantry::llm
