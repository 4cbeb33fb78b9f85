// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>

#include "cookie.hpp"
#include "login.hpp"

namespace gantry::chat_aide {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;

TEST_CASE("a cookie is what was signed, and nothing else") {
  const std::string key(32, 'k');
  const std::string cookie = sign_cookie(key, {"ann@example.org", 7, 2000});
  const auto who = read_cookie(key, cookie, 1999);
  REQUIRE(who);
  CHECK(who->user == "ann@example.org");
  CHECK(who->epoch == 7);
  CHECK(who->expires_ms == 2000);
  CHECK_FALSE(read_cookie(key, cookie, 2000));  // expired
  CHECK_FALSE(read_cookie(std::string(32, 'x'), cookie, 1999));
  for (std::size_t at = 0; at < cookie.size(); ++at) {
    std::string forged = cookie;
    forged[at] = forged[at] == '1' ? '2' : '1';
    CHECK_FALSE(read_cookie(key, forged, 1999));
  }
  for (const std::string& wrong : {std::string(), std::string("..."), cookie + ".", "." + cookie,
                                   cookie.substr(0, cookie.size() - 1), std::string(5000, '.')}) {
    CHECK_FALSE(read_cookie(key, wrong, 1999));
  }
}

TEST_CASE("the cookie is found among others") {
  CHECK(cookie_named("a=1; aide_user=x.y; b=2", "aide_user") == "x.y");
  CHECK(cookie_named("aide_user=x", "aide_user") == "x");
  CHECK(cookie_named("xaide_user=x; aide_user2=y", "aide_user").empty());
  CHECK(cookie_named("aide_user", "aide_user").empty());
  CHECK(cookie_named("", "aide_user").empty());
}

HttpRequest posted(const std::string& type, const std::string& body) {
  HttpRequest request;
  request.method = "POST";
  request.headers.push_back({"content-type", type});
  request.body = Buffer::copy(body);
  return request;
}

TEST_CASE("a name and a password come as a form or as JSON") {
  const auto form = read_login(posted("application/x-www-form-urlencoded; charset=utf-8",
                                      "username=ann&password=a+b%26%3D%zz&x&password2=y"));
  REQUIRE(form);
  CHECK(form->username == "ann");
  CHECK(form->password == "a b&=%zz");
  const auto json = read_login(posted("application/json", R"({"username":"ann","password":"p"})"));
  REQUIRE(json);
  CHECK(json->password == "p");
  CHECK(read_login(posted("application/json", R"({"token":"t"})"))->token == "t");
  CHECK_FALSE(read_login(posted("application/json", "[]")));
  CHECK_FALSE(read_login(posted("application/json", R"({"username":5})")));
  CHECK_FALSE(read_login(posted("text/plain", "username=ann")));
  CHECK_FALSE(read_login(posted("application/json", std::string(9000, ' '))));
}

TEST_CASE("cookies keep to this site, and to TLS where there is one") {
  HttpResponse plain;
  set_cookie(plain, "value", 60'000, false);
  CHECK(plain.headers.back().value ==
        "aide_user=value; Path=/; HttpOnly; SameSite=Strict; Max-Age=60");
  HttpResponse safe;
  set_cookie(safe, "", 60'000, true);
  CHECK(safe.headers.back().value ==
        "aide_user=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0; Secure");
}

TEST_CASE("what comes back on a page is no markup") {
  const HttpResponse page = login_page(401, "<b>&\"", "\"><script>");
  CHECK(page.status == 401);
  CHECK(page.body.text().find("&lt;b&gt;&amp;&quot;") != std::string_view::npos);
  CHECK(page.body.text().find("value=\"&quot;&gt;&lt;script&gt;\"") != std::string_view::npos);
}

TEST_CASE("an address waits after too many failures, for a minute") {
  Failures failures;
  const std::string address = address_of("192.0.2.1:51234");
  CHECK(address == "192.0.2.1");
  for (int count = 0; count < 3; ++count) {
    CHECK(failures.wait_ms(address, 3, count * kSecondNs) == 0);
    failures.count(address, count * kSecondNs);
  }
  CHECK(failures.wait_ms(address, 3, 3 * kSecondNs) > 56'000);
  CHECK(failures.wait_ms("192.0.2.2", 3, 3 * kSecondNs) == 0);
  CHECK(failures.wait_ms(address, 3, 60 * kSecondNs) == 0);  // the first is a minute ago
  for (int count = 0; count < 30'000; ++count) {
    failures.count(std::to_string(count), 100 * kSecondNs);
  }
  CHECK(failures.wait_ms("29999", 1, 100 * kSecondNs) > 0);
}

}  // namespace
}  // namespace gantry::chat_aide
