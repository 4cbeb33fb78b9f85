// SPDX-License-Identifier: Apache-2.0
#include "script.hpp"

#include <gantry/contract.hpp>
#include <gantry/llm/json.hpp>
#include <gantry/llm/wire.hpp>

#include <array>
#include <charconv>

namespace gantry::scripted {
namespace {

constexpr std::string_view kMark = "@script";
constexpr std::string_view kBlank = " \t\r\n";

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

/// Takes the first word away.
std::string_view take_word(std::string_view& text) {
  text = trim(text);
  const std::size_t end = std::min(text.find_first_of(kBlank), text.size());
  const std::string_view word = text.substr(0, end);
  text = trim(text.substr(end));
  return word;
}

bool is_mark(std::string_view line) {
  const std::string_view text = trim(line);
  return text.starts_with(kMark) &&
         (text.size() == kMark.size() || kBlank.find(text[kMark.size()]) != std::string_view::npos);
}

Result<Duration> read_duration(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (error == std::errc() && number >= 0 && number <= 3'600'000) {
    if (unit == "ms") return Duration(std::chrono::milliseconds(number));
    if (unit == "s") return Duration(std::chrono::seconds(number));
  }
  return invalid_argument("expected a time such as 50ms or 2s, found '" + std::string(text) + "'");
}

using Read = Result<void> (*)(Statement&, std::string_view);

Result<void> read_text(Statement& out, std::string_view rest) {
  out.text = rest;
  return {};
}

Result<void> read_chunks(Statement& out, std::string_view rest) {
  const std::size_t end = rest.rfind(']');
  const std::string_view list = rest.substr(0, end == std::string_view::npos ? 0 : end + 1);
  const boost::json::value parsed = llm::parse_or_null(list);
  const auto* array = parsed.if_array();
  if (array == nullptr) return invalid_argument("expected a JSON array of texts after `chunks`");
  for (const auto& element : *array) {
    const auto* text = element.if_string();
    if (text == nullptr) return invalid_argument("every chunk must be a text");
    out.chunks.emplace_back(text->data(), text->size());
  }
  std::string_view after = rest.substr(list.size());
  std::string_view word = take_word(after);
  if (word == "every") word = take_word(after);
  if (word.empty()) return {};
  GANTRY_ASSIGN(out.time, read_duration(word));
  return {};
}

Result<void> read_tool(Statement& out, std::string_view rest) {
  ScriptCall call;
  call.tool = take_word(rest);
  if (call.tool.empty()) return invalid_argument("expected the name of a tool");
  call.arguments = rest.empty() ? "{}" : std::string(rest);
  if (!llm::parse_or_null(call.arguments).is_object()) {
    return invalid_argument(
        "expected a JSON object after the name of the tool (`malformed` takes "
        "anything)");
  }
  out.calls.push_back(std::move(call));
  return {};
}

Result<void> read_malformed(Statement& out, std::string_view rest) {
  ScriptCall call;
  call.tool = take_word(rest);
  call.arguments = rest;
  if (call.tool.empty()) return invalid_argument("expected the name of a tool");
  out.calls.push_back(std::move(call));
  return {};
}

Result<void> read_batch(Statement& out, std::string_view rest) {
  const boost::json::value parsed = llm::parse_or_null(rest);
  const auto* array = parsed.if_array();
  if (array == nullptr || array->empty()) {
    return invalid_argument(R"(expected [{"tool": "name", "args": {…}}, …] after `batch`)");
  }
  for (const auto& element : *array) {
    ScriptCall call;
    call.tool = llm::text_of(element, "tool");
    if (call.tool.empty()) return invalid_argument("every call of a batch needs `tool`, a text");
    const auto* arguments = llm::member(element, "args");
    call.arguments = arguments == nullptr ? "{}" : codec::serialize(*arguments);
    out.calls.push_back(std::move(call));
  }
  return {};
}

Result<void> read_delay(Statement& out, std::string_view rest) {
  GANTRY_ASSIGN(out.time, read_duration(rest));
  return {};
}

Result<void> read_usage(Statement& out, std::string_view rest) {
  const boost::json::value parsed = llm::parse_or_null(rest);
  if (!parsed.is_object()) return invalid_argument("expected a JSON object of numbers");
  out.usage.prompt_tokens = llm::number_of(parsed, "prompt_tokens").value_or(0);
  out.usage.output_tokens = llm::number_of(parsed, "output_tokens").value_or(0);
  out.usage.thinking_tokens = llm::number_of(parsed, "thinking_tokens");
  out.usage.cached_tokens = llm::number_of(parsed, "cached_tokens");
  out.usage.cache_write_tokens = llm::number_of(parsed, "cache_write_tokens");
  return {};
}

Result<void> read_finish(Statement& out, std::string_view rest) {
  constexpr std::array<std::pair<std::string_view, LlmFinishReason>, 5> kReasons{
      {{"stop", LlmFinishReason::Stop},
       {"tool_calls", LlmFinishReason::ToolCalls},
       {"length", LlmFinishReason::Length},
       {"content_filter", LlmFinishReason::ContentFilter},
       {"refusal", LlmFinishReason::Refusal}}};
  for (const auto& [name, reason] : kReasons) {
    if (rest != name) continue;
    out.reason = reason;
    return {};
  }
  return invalid_argument("expected stop, tool_calls, length, content_filter or refusal");
}

Result<void> read_error(Statement& out, std::string_view rest) {
  const std::string kind(take_word(rest));
  const auto trouble = llm::trouble_of(kind);
  if (!trouble) return invalid_argument("there is no error '" + kind + "'");
  out.trouble = *trouble;
  constexpr std::string_view kRetry = "retry_after=";
  if (rest.starts_with(kRetry)) {
    GANTRY_ASSIGN(const Duration wait, read_duration(take_word(rest).substr(kRetry.size())));
    out.retry_after_ms = std::chrono::duration_cast<std::chrono::milliseconds>(wait).count();
  }
  out.text = rest.empty() ? "the script ends with " + kind : std::string(rest);
  return {};
}

Result<void> read_nothing(Statement&, std::string_view rest) {
  if (rest.empty()) return {};
  return invalid_argument("nothing may follow, found '" + std::string(rest.substr(0, 40)) + "'");
}

struct VerbRow {
  std::string_view name;
  Verb verb;
  Read read;
  bool ends_answer;  // what follows belongs to the next call of the model
};

constexpr std::array kVerbs{
    VerbRow{"reply", Verb::Reply, read_text, false},
    VerbRow{"chunks", Verb::Chunks, read_chunks, false},
    VerbRow{"thinking", Verb::Thinking, read_text, false},
    VerbRow{"tool", Verb::Tool, read_tool, true},
    VerbRow{"batch", Verb::Batch, read_batch, true},
    VerbRow{"malformed", Verb::Malformed, read_malformed, true},
    VerbRow{"image", Verb::Image, read_nothing, false},
    VerbRow{"image?", Verb::ImageQuestion, read_nothing, false},
    VerbRow{"show", Verb::Show, read_text, false},
    VerbRow{"search", Verb::Search, read_text, false},
    VerbRow{"delay", Verb::Delay, read_delay, false},
    VerbRow{"usage", Verb::Usage, read_usage, false},
    VerbRow{"finish", Verb::Finish, read_finish, false},
    VerbRow{"error", Verb::Error, read_error, true},
    VerbRow{"hang", Verb::Hang, read_nothing, true},
    VerbRow{"next", Verb::Next, read_nothing, true},
    VerbRow{"file", Verb::File, read_text, true},
};

/// Calls `use(line, its number from 1)` until that fails.
template <class F>
Result<void> each_line(std::string_view text, F&& use) {
  for (std::size_t begin = 0, number = 1; begin < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    GANTRY_TRY(use(text.substr(begin, end - begin), number));
    begin = end + 1;
  }
  return {};
}

class Parser {
 public:
  Result<void> line(std::string_view line, std::size_t number) {
    if (is_mark(line)) {
      GANTRY_TRY(finish_statement());
      pending_ = std::string(trim(line).substr(kMark.size()));
      pending_line_ = number;
      open_ = true;
    } else if (open_) {
      pending_ += '\n';
      pending_ += line;
    } else if (!trim(line).empty() && !trim(line).starts_with('#')) {
      return invalid_argument("line " + std::to_string(number) + " does not begin with @script");
    }
    return {};
  }

  Result<Script> done() {
    GANTRY_TRY(finish_statement());
    if (!answer_.empty()) script_.answers.push_back(std::move(answer_));
    return std::move(script_);
  }

 private:
  Result<void> finish_statement() {
    if (!open_) return {};
    open_ = false;
    std::string_view rest = pending_;
    const std::string name(take_word(rest));
    for (const VerbRow& row : kVerbs) {
      if (row.name != name) continue;
      Statement statement;
      statement.verb = row.verb;
      if (const auto read = row.read(statement, rest); !read.ok()) {
        return read.error().with_context(where() + "`" + name + "`");
      }
      if (row.verb != Verb::Next || answer_.empty()) answer_.push_back(std::move(statement));
      if (row.ends_answer) script_.answers.push_back(std::exchange(answer_, {}));
      return {};
    }
    std::string known;
    for (const VerbRow& row : kVerbs) {
      known += known.empty() ? "" : ", ";
      known += row.name;
    }
    return invalid_argument(where() + "'" + name + "' is no verb; known are " + known);
  }
  [[nodiscard]] std::string where() const {
    return "line " + std::to_string(pending_line_) + " of the script: ";
  }

  Script script_;
  ScriptedAnswer answer_;
  std::string pending_;
  std::size_t pending_line_ = 0;
  bool open_ = false;
};

}  // namespace

std::string script_lines(std::string_view text) {
  text = llm::user_query(text);
  std::string out;
  bool inside = false;
  (void)each_line(text, [&](std::string_view line, std::size_t) -> Result<void> {
    inside = inside || is_mark(line);
    if (inside) {
      out += line;
      out += '\n';
    }
    return {};
  });
  return out;
}

Result<Script> parse_script(std::string_view text) {
  Parser parser;
  GANTRY_TRY(each_line(
      text, [&](std::string_view line, std::size_t number) { return parser.line(line, number); }));
  return parser.done();
}

}  // namespace gantry::scripted
