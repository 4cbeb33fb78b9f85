// SPDX-License-Identifier: Apache-2.0
//
// Signing in over HTTP: what a browser or a program sends, the pages, the cookie. Pure functions.
#pragma once

#include <gantry/contracts/http.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::chat_aide {

inline constexpr const char* kCookieName = "aide_user";

/// A name and a password, or the token of a link.
struct LoginFields {
  std::string username;
  std::string password;
  std::string token;
};
BOOST_DESCRIBE_STRUCT(LoginFields, (), (username, password, token))

struct LoginAnswer {
  bool ok = false;
  std::string message;
};
BOOST_DESCRIBE_STRUCT(LoginAnswer, (), (ok, message))

[[nodiscard]] std::string_view header_of(const HttpRequest& request, std::string_view name);
/// Whether the body is JSON; else it is a form's.
[[nodiscard]] bool is_json(const HttpRequest& request);
/// Nothing: neither a form nor JSON.
[[nodiscard]] std::optional<LoginFields> read_login(const HttpRequest& request);

/// The page to sign in, with what went wrong before; or with a link's token, one button.
[[nodiscard]] HttpResponse login_page(std::int32_t status, std::string_view problem = {},
                                      std::string_view token = {});
[[nodiscard]] HttpResponse json_answer(std::int32_t status, bool ok, std::string message);
[[nodiscard]] HttpResponse redirect(std::string location);
/// The page of the chat.
[[nodiscard]] HttpResponse chat_page();
/// Sets the cookie, or with an empty value takes it away.
void set_cookie(HttpResponse& response, std::string_view value, std::int64_t lifetime_ms,
                bool secure);

/// Without the port: whose failures are counted.
[[nodiscard]] std::string address_of(std::string_view peer);

/// Failures by address, in the last minute. Not more than 10,000 addresses are remembered.
class Failures {
 public:
  void count(const std::string& address, std::int64_t now_ns);
  /// Milliseconds to wait; 0: none.
  [[nodiscard]] std::int64_t wait_ms(const std::string& address, int allowed, std::int64_t now_ns);

 private:
  std::map<std::string, std::vector<std::int64_t>> failures_;
};

}  // namespace gantry::chat_aide
