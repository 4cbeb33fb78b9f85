// SPDX-License-Identifier: Apache-2.0
#include "library.hpp"

#include <gantry/llm/wire.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "player.hpp"
#include "show.hpp"

namespace gantry::scripted {
namespace {

constexpr std::uintmax_t kLargestScript = 10'485'760;

constexpr std::string_view kNoScript =
    "I am the scripted model: I answer what lines beginning with @script tell me to, and this "
    "message has none. Try: @script reply Hello.";

Result<std::string> read_file(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error || size > kLargestScript) {
    return not_found("the script " + path.string() + " cannot be read" +
                     (error ? ": " + error.message() : ": it is larger than 10 MiB"));
  }
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) return not_found("the script " + path.string() + " cannot be read");
  return text.str();
}

/// A name is one file of the folder, nothing else.
Result<std::string> read_named(const std::string& name, const std::string& folder) {
  if (folder.empty()) {
    return failed_precondition("`@script file` needs the configuration key script_dir");
  }
  if (name.empty() || name.front() == '.' || name.find_first_of("/\\") != std::string::npos) {
    return invalid_argument("'" + name + "' is no name of a file in script_dir");
  }
  return read_file(std::filesystem::path(folder) / name);
}

ScriptedAnswer say(std::string text) {
  Statement reply;
  reply.verb = Verb::Reply;
  reply.text = std::move(text);
  return {reply};
}

std::string last_user_text(const LlmChatRequest& request) {
  for (auto it = request.messages.rbegin(); it != request.messages.rend(); ++it) {
    if (it->role == LlmRole::User) return llm::text_of(*it);
  }
  return {};
}

}  // namespace

Result<ScriptedAnswer> due_answer(const LlmChatRequest& request, const Settings& settings) {
  std::string text = script_lines(last_user_text(request));
  if (text.empty() && !settings.script_file.empty()) {
    GANTRY_ASSIGN(text, read_file(settings.script_file));
  }
  GANTRY_ASSIGN(Script script, parse_script(text));
  if (!script.answers.empty() && script.answers.front().front().verb == Verb::File) {
    GANTRY_ASSIGN(text, read_named(script.answers.front().front().text, settings.script_dir));
    GANTRY_ASSIGN(script, parse_script(text));
  }
  const std::size_t due = answers_given(request);
  if (due < script.answers.size()) return script.answers[due];
  std::string results = describe_results(request);
  if (!results.empty()) return say(std::move(results));
  return say(script.answers.empty() ? std::string(kNoScript) : "The script has ended.");
}

}  // namespace gantry::scripted
