// SPDX-License-Identifier: Apache-2.0
#include "login.hpp"

#include <gantry/contract.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

#include "pages.hpp"

namespace gantry::chat_aide {
namespace {

constexpr std::int64_t kMinuteNs = 60'000'000'000;
constexpr std::int64_t kNsInMs2 = 1'000'000;
constexpr std::size_t kMaxAddresses = 10'000;
constexpr std::size_t kMaxForm = 8192;

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '+') {
      out += ' ';
    } else if (text[at] == '%' && at + 2 < text.size()) {
      unsigned value = 0;
      const char* const end = text.data() + at + 3;
      const auto read = std::from_chars(text.data() + at + 1, end, value, 16);
      if (read.ec == std::errc() && read.ptr == end) {
        out += static_cast<char>(value);
        at += 2;
      } else {
        out += '%';
      }
    } else {
      out += text[at];
    }
  }
  return out;
}

LoginFields read_form(std::string_view body) {
  LoginFields out;
  const std::pair<std::string_view, std::string*> fields[] = {
      {"username", &out.username}, {"password", &out.password}, {"token", &out.token}};
  while (!body.empty()) {
    const std::size_t end = std::min(body.find('&'), body.size());
    const std::string_view pair = body.substr(0, end);
    body.remove_prefix(std::min(end + 1, body.size()));
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) continue;
    for (const auto& [name, value] : fields) {
      if (pair.substr(0, equals) == name) *value = percent_decoded(pair.substr(equals + 1));
    }
  }
  return out;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

HttpResponse html(std::int32_t status, std::string page) {
  HttpResponse response;
  response.status = status;
  response.content_type = "text/html; charset=utf-8";
  response.headers = {
      {"Cache-Control", "no-store"},
      {"Content-Security-Policy",
       "default-src 'self'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
       "img-src 'self' data:; form-action 'self'; frame-ancestors 'none'"},
      // Not no-referrer: with it browsers send the forms with the origin null, which is refused.
      {"Referrer-Policy", "same-origin"},
      {"X-Content-Type-Options", "nosniff"}};
  response.body = Buffer::of(std::move(page));
  return response;
}

}  // namespace

std::string_view header_of(const HttpRequest& request, std::string_view name) {
  const auto found = std::find_if(request.headers.begin(), request.headers.end(),
                                  [&](const HttpHeader& row) { return row.name == name; });
  return found == request.headers.end() ? std::string_view() : std::string_view(found->value);
}

bool is_json(const HttpRequest& request) {
  return header_of(request, "content-type").starts_with("application/json");
}

std::optional<LoginFields> read_login(const HttpRequest& request) {
  const std::string_view body = request.body.text();
  if (body.size() > kMaxForm) return std::nullopt;
  if (is_json(request)) {
    Result<LoginFields> fields = from_json<LoginFields>(body);
    if (!fields.ok()) return std::nullopt;
    return std::move(*fields);
  }
  if (!header_of(request, "content-type").starts_with("application/x-www-form-urlencoded")) {
    return std::nullopt;
  }
  return read_form(body);
}

HttpResponse login_page(std::int32_t status, std::string_view problem, std::string_view token) {
  std::string fields;
  if (token.empty()) {
    fields =
        "<label>Name <input name=\"username\" autocomplete=\"username\" required autofocus></label>"
        "<label>Password <input name=\"password\" type=\"password\" "
        "autocomplete=\"current-password\" required></label>";
  } else {
    fields = "<input type=\"hidden\" name=\"token\" value=\"" + escaped(token) + "\">";
  }
  std::string page(kPageHead);
  page += "<main><h1>Sign in</h1>";
  if (!problem.empty()) page += "<p role=\"alert\">" + escaped(problem) + "</p>";
  page += "<form method=\"post\" action=\"/login\">" + fields +
          "<button>Sign in</button></form></main></html>\n";
  return html(status, std::move(page));
}

HttpResponse chat_page() { return html(200, std::string(kPageHead) + std::string(kChatPage)); }

HttpResponse json_answer(std::int32_t status, bool ok, std::string message) {
  HttpResponse response;
  response.status = status;
  response.content_type = "application/json";
  response.headers = {{"Cache-Control", "no-store"}};
  response.body = Buffer::of(to_json(LoginAnswer{ok, std::move(message)}));
  return response;
}

HttpResponse redirect(std::string location) {
  HttpResponse response;
  response.status = 303;
  response.headers = {{"Location", std::move(location)}, {"Cache-Control", "no-store"}};
  return response;
}

void set_cookie(HttpResponse& response, std::string_view value, std::int64_t lifetime_ms,
                bool secure) {
  std::string cookie = std::string(kCookieName) + "=" + std::string(value) +
                       "; Path=/; HttpOnly; SameSite=Strict; Max-Age=" +
                       std::to_string(value.empty() ? 0 : lifetime_ms / 1000);
  if (secure) cookie += "; Secure";
  response.headers.push_back({"Set-Cookie", std::move(cookie)});
}

std::string address_of(std::string_view peer) {
  const std::size_t colon = peer.rfind(':');
  return std::string(peer.substr(0, colon));
}

void Failures::count(const std::string& address, std::int64_t now_ns) {
  if (failures_.size() >= kMaxAddresses) {
    std::erase_if(failures_, [&](const auto& entry) {
      return entry.second.empty() || entry.second.back() + kMinuteNs <= now_ns;
    });
    if (failures_.size() >= kMaxAddresses) failures_.erase(failures_.begin());
  }
  failures_[address].push_back(now_ns);
}

std::int64_t Failures::wait_ms(const std::string& address, int allowed, std::int64_t now_ns) {
  const auto found = failures_.find(address);
  if (found == failures_.end()) return 0;
  std::erase_if(found->second, [&](std::int64_t at) { return at + kMinuteNs <= now_ns; });
  if (std::ssize(found->second) < allowed) return 0;
  return (found->second.front() + kMinuteNs - now_ns) / kNsInMs2 + 1;
}

}  // namespace gantry::chat_aide
