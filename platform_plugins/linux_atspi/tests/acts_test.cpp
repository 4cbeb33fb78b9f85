// SPDX-License-Identifier: Apache-2.0
// What the adapter does in an application, and the text that it never asks for.
#include <catch2/catch.hpp>

#include <string>

#include "support/desk.hpp"

using namespace gantry;
using namespace gantry::atspi;
using namespace gantry::atspi::testing;

TEST_CASE("a password is never asked for its text") {
  Desk desk;
  FakeNode secret = named(40, "secret");
  secret.interfaces.push_back("Text");
  secret.text = "hunter2";
  desk.app->add("p", "1", secret);
  FakeNode entry = named(79, "entry");
  entry.interfaces.push_back("Text");
  entry.text = "hello";
  desk.app->add("e", "1", entry);
  const Answer answer = desk.read();
  REQUIRE(answer);
  CHECK((*answer)->nodes[1].role == "Password");
  CHECK_FALSE((*answer)->nodes[1].value);
  CHECK((*answer)->nodes[2].value == "hello");
  CHECK(desk.app->calls("GetText") == 1);

  const Result<Acted> text =
      desk.act([&](Actions& a) { return a.get_text(desk.object("p"), 100); });
  REQUIRE_FALSE(text);
  CHECK(text.error().code == Code::PermissionDenied);
}

TEST_CASE("text is inserted whole: the length goes out in bytes") {
  Desk desk;
  FakeNode entry = named(79, "entry");
  entry.interfaces = {"Accessible", "Component", "Text", "EditableText"};
  desk.app->add("e", "1", entry);
  const std::string text = "naïve café — ünïcödé 😀";
  REQUIRE(desk.act([&](Actions& a) { return a.insert_text(desk.object("e"), 0, text); }));
  const Result<Acted> back =
      desk.act([&](Actions& a) { return a.get_text(desk.object("e"), 1000); });
  REQUIRE(back);
  CHECK(back->text == text);
}

TEST_CASE("actions say what is wrong") {
  Desk desk;
  desk.app->add("a", "1", named(43, "A"));
  const Result<Acted> done =
      desk.act([&](Actions& a) { return a.perform(desk.object("a"), "CLICK"); });
  REQUIRE(done);
  CHECK(done->accepted);
  const Result<Acted> none =
      desk.act([&](Actions& a) { return a.perform(desk.object("a"), "fly"); });
  REQUIRE_FALSE(none);
  CHECK(none.error().code == Code::Unimplemented);
  CHECK(none.error().message.find("click") != std::string::npos);
  const Result<Acted> gone = desk.act([&](Actions& a) {
    return a.focus({":1.9999", FakePeer::path_of("a")});
  });
  REQUIRE_FALSE(gone);
  CHECK(gone.error().code == Code::NotFound);
}
