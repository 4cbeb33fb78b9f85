// SPDX-License-Identifier: Apache-2.0
//
// Signing in: passwords, links, cookies, and who is not let in.
#include <gantry/contracts/user.hpp>

#include <catch2/catch.hpp>
#include <string>

#include "aide_world.hpp"

namespace gantry::conformance {
namespace {

constexpr const char* kForm = "application/x-www-form-urlencoded";

TEST_CASE("aide: a password signs in, with a form or with JSON") {
  AideWorld world;
  const auto json = world.log_in("ann", kPassword);
  CHECK(json.status == 200);
  CHECK(json.body == R"({"ok":true,"message":"signed in"})");
  const std::string cookie = json.header("set-cookie");
  CHECK(cookie.starts_with("aide_user="));
  CHECK(cookie.find("; Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000") != std::string::npos);
  const auto form = world.post("/login", kForm, "username=ann&password=correct+horse");
  CHECK(form.status == 303);
  CHECK(form.header("location") == "/");
  CHECK(form.header("set-cookie").starts_with("aide_user="));
}

TEST_CASE("aide: a wrong name and a wrong password are the same answer") {
  AideWorld world;
  const auto name = world.log_in("nobody", kPassword);
  const auto password = world.log_in("ann", "wrong horse");
  CHECK(name.status == 401);
  CHECK(password.status == 401);
  CHECK(name.body == password.body);
  CHECK(name.header("set-cookie").empty());
  const auto form = world.post("/login", kForm, "username=ann&password=x");
  CHECK(form.status == 401);
  CHECK(form.body.find("The name or the password is wrong.") != std::string::npos);
  CHECK(world.post("/login", "text/plain", "x").status == 400);
}

TEST_CASE("aide: ten failures a minute, then the address waits") {
  AideWorld world(", failures_per_minute: 3");
  for (int count = 0; count < 3; ++count) CHECK(world.log_in("ann", "wrong horse").status == 401);
  const auto reply = world.log_in("ann", kPassword);
  CHECK(reply.status == 429);
  CHECK_FALSE(reply.header("retry-after").empty());
}

TEST_CASE("aide: a link signs in once, by a button") {
  AideWorld world;
  const auto link = world.call<UserLink>({"ann"});
  REQUIRE(link.ok());
  const std::string token = link->url.substr(link->url.rfind('/') + 1);
  CHECK(link->url == "http://127.0.0.1:" + std::to_string(world.port()) + "/link/" + token);
  const auto page = world.get("/link/" + token);
  CHECK(page.status == 200);
  CHECK(page.body.find("value=\"" + token + "\"") != std::string::npos);
  const auto used = world.post("/login", kForm, "token=" + token);
  CHECK(used.status == 303);
  const std::string cookie = used.header("set-cookie");
  CHECK(AideClient(world, cookie.substr(0, cookie.find(';'))).status() == 101);
  CHECK(world.post("/login", kForm, "token=" + token).status == 401);
  CHECK(world.call<UserLink>({"nobody"}).error().code == Code::NotFound);
}

TEST_CASE("aide: no socket without a cookie that counts") {
  AideWorld world;
  const std::string cookie = world.cookie();
  std::string forged = cookie;
  forged.back() = forged.back() == '0' ? '1' : '0';
  CHECK(AideClient(world, "").status() == 401);
  CHECK(AideClient(world, forged).status() == 401);
  CHECK(AideClient(world, "aide_user=").status() == 401);
  CHECK(AideClient(world, "other=" + cookie).status() == 401);
  CHECK(AideClient(world, cookie).status() == 101);
  CHECK(AideClient(world, "x=y; " + cookie).status() == 101);
}

TEST_CASE("aide: ids of sessions") {
  AideWorld world;
  const std::string cookie = world.cookie();
  for (const std::string& id :
       {std::string("a"), std::string("A.b_c:d-1"), std::string(128, 'x')}) {
    CHECK(AideClient(world, cookie, id).status() == 101);
  }
  for (const std::string& id :
       {std::string("a%20b"), std::string("a%2Fb"), std::string(129, 'x'), std::string("a/b")}) {
    CHECK(AideClient(world, cookie, id).status() == 404);
  }
}

TEST_CASE("aide: a new password and a removed user end what was signed before") {
  AideWorld world;
  const std::string cookie = world.cookie();
  AideClient client(world, cookie);
  CHECK(text_in(client.next(), "type") == "models");
  REQUIRE(world.call<UserAdd>({"ann", "another horse", true}).ok());
  CHECK(client.socket().receive().close_code() == 1008);
  CHECK(AideClient(world, cookie).status() == 401);
  CHECK(world.log_in("ann", kPassword).status == 401);
  CHECK(world.log_in("ann", "another horse").status == 200);
  const std::string bob = world.cookie("bob");
  REQUIRE(world.call<UserRemove>({"bob"}).ok());
  CHECK(AideClient(world, bob).status() == 401);
  REQUIRE(world.call<UserAdd>({"bob", kPassword, false}).ok());
  CHECK(AideClient(world, bob).status() == 401);  // a namesake's
}

TEST_CASE("aide: users are told apart and named plainly") {
  AideWorld world;
  CHECK(world.call<UserAdd>({"ann", kPassword, false}).error().code == Code::AlreadyExists);
  for (const char* name : {"", "a b", "a/b", "ä"}) {
    CHECK(world.call<UserAdd>({name, kPassword, false}).error().code == Code::InvalidArgument);
  }
  CHECK(world.call<UserAdd>({"carl", "short", false}).error().code == Code::InvalidArgument);
  CHECK(world.call<UserRemove>({"nobody"}).error().code == Code::NotFound);
  const auto users = world.call<UserList>({});
  REQUIRE(users.ok());
  REQUIRE(users->users.size() == 2);
  CHECK(users->users[0].name == "ann");
  CHECK(users->users[0].has_password);
}

TEST_CASE("aide: the page needs a cookie, and signing out takes it away") {
  AideWorld world;
  CHECK(world.get("/").status == 303);
  CHECK(world.get("/").header("location") == "/login");
  CHECK(world.get("/login").body.find("name=\"password\"") != std::string::npos);
  const auto page = world.get("/", world.cookie());
  CHECK(page.status == 200);
  CHECK(page.header("content-security-policy").find("frame-ancestors 'none'") != std::string::npos);
  const auto out = world.post("/logout", kForm, "");
  CHECK(out.status == 303);
  CHECK(out.header("set-cookie").starts_with("aide_user=; "));
}

TEST_CASE("aide: a cookie that was given back counts no more, also with who has a copy of it") {
  AideWorld world;
  const std::string cookie = world.cookie();
  const std::string other = world.cookie("bob");
  AideClient client(world, cookie);
  AideClient second(world, other);
  CHECK(text_in(client.next(), "type") == "models");
  CHECK(text_in(second.next(), "type") == "models");
  CHECK(world.post("/logout", kForm, "", cookie).status == 303);
  CHECK(client.socket().receive().close_code() == 1008);
  CHECK(AideClient(world, cookie).status() == 401);
  CHECK(world.get("/", cookie).status == 303);
  CHECK(AideClient(world, other).status() == 101);  // the others stay
  CHECK(AideClient(world, world.cookie()).status() == 101);
  CHECK(world.post("/logout", kForm, "", "aide_user=none").status == 303);
}

TEST_CASE("aide: without authentication everybody here is the local user") {
  AideWorld world(", auth: none");
  AideClient client(world, "");
  CHECK(client.status() == 101);
  CHECK(text_in(client.next(), "type") == "models");
  client.say("@script reply Hello.");
  CHECK(text_in(client.until("done").back(), "text") == "Hello.");
}

}  // namespace
}  // namespace gantry::conformance
