// SPDX-License-Identifier: Apache-2.0
// user: who may sign in to the aide chat, decided at the daemon's machine.
#include <gantry/contracts/user.hpp>

#include <termios.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "cli/access.hpp"

namespace gantry::cli {
namespace {

int user_refused(const Error& error) {
  complain(error.message);
  return error.code == Code::Unavailable ? kUnavailable : kFailed;
}

/// A line of standard input; on a terminal it is asked for and not shown.
std::string read_password() {
  termios before{};
  const bool terminal = ::isatty(STDIN_FILENO) == 1 && ::tcgetattr(STDIN_FILENO, &before) == 0;
  if (terminal) {
    termios silent = before;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    (void)::tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
    std::fputs("Password: ", stderr);
  }
  std::string line;
  std::getline(std::cin, line);
  if (terminal) {
    (void)::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
    std::fputs("\n", stderr);
  }
  return line;
}

int list_users(Access& access) {
  const auto found = call_typed<UserList>(access, {});
  if (!found.ok()) return user_refused(found.error());
  std::vector<std::vector<std::string>> rows{{"USER", "PASSWORD"}};
  for (const UserInfo& row : (*found)->users) {
    rows.push_back({row.name, row.has_password ? "yes" : "no"});
  }
  std::fputs(table(rows).c_str(), stdout);
  return kOk;
}

int add_user(Access& access, const std::string& name, bool replace) {
  UserAddRequest request{name, read_password(), replace};
  if (request.password.empty()) {
    complain("no password came on standard input; users without one: gantry user link");
    return kUsage;
  }
  const auto added = call_typed<UserAdd>(access, request);
  if (!added.ok()) return user_refused(added.error());
  std::printf("%s %s\n", replace ? "changed" : "added", name.c_str());
  return kOk;
}

/// A user who is not there is made, without a password.
int link_user(Access& access, const std::string& name) {
  auto link = call_typed<UserLink>(access, {name});
  if (!link.ok() && link.error().code == Code::NotFound) {
    const auto added = call_typed<UserAdd>(access, {name, {}, false});
    if (!added.ok()) return user_refused(added.error());
    link = call_typed<UserLink>(access, {name});
  }
  if (!link.ok()) return user_refused(link.error());
  std::printf("%s\n", (*link)->url.c_str());
  return kOk;
}

int remove_user(Access& access, const std::string& name) {
  const auto removed = call_typed<UserRemove>(access, {name});
  if (!removed.ok()) return user_refused(removed.error());
  std::printf("removed %s\n", name.c_str());
  return kOk;
}

}  // namespace

int user(const Invocation& invocation) {
  const auto& words = invocation.arguments;
  const std::string verb = words.empty() ? "list" : words[0];
  const bool bare = verb == "list" && words.size() <= 1;
  const bool named = (verb == "add" || verb == "password" || verb == "link" || verb == "remove") &&
                     words.size() == 2;
  if (!bare && !named) {
    complain("usage: gantry user [list | add NAME | password NAME | link NAME | remove NAME]");
    return kUsage;
  }
  const auto access = open_daemon(invocation);
  if (!access.ok()) return user_refused(access.error());
  if (bare) return list_users(**access);
  if (verb == "link") return link_user(**access, words[1]);
  if (verb == "remove") return remove_user(**access, words[1]);
  return add_user(**access, words[1], verb == "password");
}

}  // namespace gantry::cli
