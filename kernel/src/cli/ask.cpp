// SPDX-License-Identifier: Apache-2.0
// gantry ask, gantry chat: the agent in a terminal.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "cli/conversation.hpp"
#include "cli/printable.hpp"
#include "cli/told.hpp"
#include "config/diagnostic.hpp"

namespace gantry::cli {
namespace {

/// A conversation of its own each time, unless one was named.
std::string key_of(const Invocation& invocation) {
  if (!invocation.session.empty()) return invocation.session;
  return std::to_string(std::time(nullptr)) + "-" + std::to_string(getpid());
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

/// Bytes of a question that any daemon takes unless its configuration says less, and says so.
constexpr std::size_t kTakenByDefault = 10U << 20U;

/// What the configuration lets a question have: a daemon takes no more in, and reads the rest only
/// to throw it away. Of one that --socket names nothing is known here, it says so itself.
std::size_t longest_question(const Invocation& invocation) {
  if (!invocation.socket.empty()) return SIZE_MAX;
  config::Diagnostics ignored;
  const auto plan = plugin::make_plan(plan_options(invocation), ignored);
  const auto* engine = plan ? plan->settings.find("agent_engine") : nullptr;
  const auto* most = engine ? engine->config.find_path("limits.message_bytes") : nullptr;
  return most == nullptr ? kTakenByDefault : static_cast<std::size_t>(most->as_int());
}

/// True, and said, when nobody would take the question in.
bool is_too_long(const Invocation& invocation, const std::string& text) {
  if (text.size() <= kTakenByDefault) return false;
  const std::size_t most = longest_question(invocation);
  if (text.size() <= most) return false;
  complain("the question has " + std::to_string(text.size()) + " bytes; at most " +
           std::to_string(most) + " are taken (agent_engine.limits.message_bytes)");
  return true;
}

/// What a conversation knows beside questions.
void explain(std::string_view command) {
  if (command != "/help") {
    complain("there is no command " + printable(command) + "; /help lists them");
    return;
  }
  std::fputs(
      "/help  this list\n"
      "/exit  ends the conversation, and so does Ctrl-D\n"
      "Everything else is asked for. A line that begins with a blank is never a command.\n",
      stderr);
}

int fail(const Error& error) {
  complain(error.message);
  return exit_of(error);
}

Result<std::unique_ptr<Access>> open_agent(const Invocation& invocation) {
  return open_access(invocation, Need::kContract, std::string(TurnStart::kName));
}

}  // namespace

int ask(const Invocation& invocation) {
  std::string text = joined(invocation.arguments);
  if (text.empty() && isatty(STDIN_FILENO) == 0) {
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
  }
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    complain("usage: gantry ask WORDS…, or the words on standard input");
    return kUsage;
  }
  if (is_too_long(invocation, text)) return kUsage;
  auto access = open_agent(invocation);
  if (!access.ok()) return fail(access.error());
  catch_interrupts();
  return Conversation(**access, invocation, key_of(invocation)).say(text);
}

int chat(const Invocation& invocation) {
  if (!invocation.arguments.empty()) {
    complain("usage: gantry chat; what you say is asked for");
    return kUsage;
  }
  auto access = open_agent(invocation);
  if (!access.ok()) return fail(access.error());
  catch_interrupts();
  Conversation conversation(**access, invocation, key_of(invocation));
  const bool terminal = isatty(STDIN_FILENO) != 0;
  std::string line;
  int last = kOk;
  while (true) {
    if (terminal) {
      auto typed = read_line("> ");
      if (!typed) return last;
      line = std::move(*typed);
    } else if (!std::getline(std::cin, line)) {
      return last;
    }
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    if (const std::string_view command = command_of(line); !command.empty()) {
      if (command == "/exit") return last;
      explain(command);
      continue;
    }
    last = conversation.say(line);
    if (last == kUnavailable || was_interrupted_twice()) return last;
    forget_interrupt();
  }
}

}  // namespace gantry::cli
