// SPDX-License-Identifier: Apache-2.0
//
// Chatting: what is said, and what must be heard.
#include <gantry/contracts/session.hpp>
#include <gantry/contracts/workspace.hpp>

#include <atomic>
#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "aide_world.hpp"

namespace gantry::conformance {
namespace {

using Types = std::vector<std::string>;

constexpr const char* kPixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg==";

TEST_CASE("aide: models come first, with the default among them") {
  AideWorld world;
  AideClient client(world, world.cookie());
  boost::json::object models = client.next();
  CHECK(text_in(models, "type") == "models");
  while (models.at("models").as_array().empty()) models = client.next();  // as known so far
  const auto& row = models.at("models").as_array().at(0).as_object();
  CHECK(text_in(row, "id") == "scripted:scripted");
  CHECK(text_in(row, "provider") == "scripted");
  CHECK(row.at("capabilities").as_object().at("tools").is_bool());
  CHECK(text_in(models, "default") == "scripted:scripted");
}

TEST_CASE("aide: nothing runs while nobody knows what the session's workspace forbids") {
  AideWorld world;
  auto problem = std::make_shared<std::atomic<Code>>(Code::Unavailable);
  REQUIRE(world.kernel()
              .host()
              .bus()
              .serve<WorkspaceGet>([problem](const WorkspaceRef&) -> Result<Workspace> {
                return Error{problem->load(), "the disk sleeps", {}};
              })
              .ok());
  SessionOpenRequest open;
  open.session = {"aide:ann", "w1", "k"};
  const auto opened = world.call<SessionOpen>(std::move(open));
  REQUIRE(opened.ok());
  AideClient client = greeted(world);
  client.say("@script reply x", R"(,"session_id":"from:w1:k")");
  const std::string error = text_in(client.until("error").back(), "message");
  CHECK(error.find("the disk sleeps") != std::string::npos);
  *problem = Code::NotFound;  // forgotten, or never one
  client.say("@script reply x", R"(,"session_id":"from:w1:k")");
  CHECK(text_in(client.until("done").back(), "text") == "x");
}

TEST_CASE("aide: a message is answered by texts and one done") {
  AideWorld world;
  AideClient client = greeted(world);
  client.say("@script reply It is sunny.", R"(,"session_id":"conversation-1")");
  const auto frames = client.until("done");
  std::string text;
  for (const auto& frame : frames) {
    if (text_in(frame, "type") == "text") text += text_in(frame, "content");
  }
  CHECK(text == "It is sunny.");
  CHECK(text_in(frames.back(), "text") == "It is sunny.");
  CHECK(text_in(frames.back(), "session_id") == "conversation-1");
  CHECK(frames.back().at("tool_calls_made").as_int64() == 0);
  CHECK(frames.back().at("usage").as_object().contains("input_tokens"));
}

TEST_CASE("aide: without session_id a connection has one new conversation") {
  AideWorld world;
  AideClient client = greeted(world);
  client.say("@script reply One.");
  const std::string first = text_in(client.until("done").back(), "session_id");
  CHECK(first.size() == 36);
  client.say("@script show messages");
  const auto second = client.until("done").back();
  CHECK(text_in(second, "session_id") == first);
  CHECK(text_in(second, "text").find("One.") != std::string::npos);
}

TEST_CASE("aide: a tool waits for its confirmation, which may come while the run is under way") {
  AideWorld world;
  AideClient client = greeted(world);
  client.say(kWrite);
  const auto asked = client.until("confirmation_required");
  CHECK(AideClient::types(asked) == Types{"tool_start", "confirmation_required"});
  const std::string call = text_in(asked.back(), "call_id");
  CHECK(text_in(asked.front(), "call_id") == call);
  CHECK(text_in(asked.back(), "tool_name") == "write_file");
  CHECK_FALSE(text_in(asked.back(), "description").empty());
  CHECK_FALSE(std::filesystem::exists(world.file("note.txt")));
  client.send(R"({"type":"confirm","call_id":"unknown","response":true})");  // is ignored
  client.send(R"({"type":"confirm","call_id":")" + call + R"(","response":true})");
  const auto rest = client.until("done");
  CHECK(AideClient::types(rest) == Types{"tool_done", "text", "done"});
  CHECK(rest.front().at("success").as_bool());
  CHECK(rest.front().at("confirmed").as_bool());
  CHECK(text_in(rest.front(), "call_id") == call);
  CHECK(rest.back().at("tool_calls_made").as_int64() == 1);
  CHECK(std::filesystem::exists(world.file("note.txt")));
}

TEST_CASE("aide: a denied call is not run, and the run goes on") {
  AideWorld world;
  AideClient client = greeted(world);
  client.say(kWrite);
  const std::string call = text_in(client.until("confirmation_required").back(), "call_id");
  client.send(R"({"type":"confirm","call_id":")" + call + R"(","response":false})");
  const auto rest = client.until("done");
  CHECK_FALSE(rest.front().at("success").as_bool());
  CHECK_FALSE(rest.front().at("confirmed").as_bool());
  CHECK(text_in(rest.front(), "result_summary") == "denied by user");
  CHECK_FALSE(std::filesystem::exists(world.file("note.txt")));
}

TEST_CASE("aide: a question that nobody answers counts as denied") {
  AideWorld world(", confirmation_timeout: 1s");
  AideClient client = greeted(world);
  client.say(kWrite);
  const auto frames = client.until("done");
  CHECK(AideClient::types(frames) ==
        Types{"tool_start", "confirmation_required", "tool_done", "text", "done"});
  CHECK_FALSE(std::filesystem::exists(world.file("note.txt")));
}

TEST_CASE("aide: only the same user confirms, at the same place") {
  AideWorld world;
  AideClient client = greeted(world);
  AideClient other(world, world.cookie("bob"), "s1");
  other.greet();
  client.say(kWrite);
  const std::string call = text_in(client.until("confirmation_required").back(), "call_id");
  other.send(R"({"type":"confirm","call_id":")" + call + R"(","response":true})");
  other.say("@script reply Mine.");
  CHECK(AideClient::types(other.until("done")) == Types{"text", "done"});  // nothing of ann's
  CHECK_FALSE(std::filesystem::exists(world.file("note.txt")));
  client.send(R"({"type":"confirm","call_id":")" + call + R"(","response":false})");
  CHECK_FALSE(client.until("done").front().at("success").as_bool());
}

TEST_CASE("aide: messages are answered in order, one run at a time") {
  AideWorld world;
  AideClient client = greeted(world);
  for (const char* word : {"One.", "Two.", "Three."}) {
    client.say("@script delay 20ms\n@script reply " + std::string(word));
  }
  for (const char* word : {"One.", "Two.", "Three."}) {
    CHECK(text_in(client.until("done").back(), "text") == word);
  }
}

TEST_CASE("aide: what is too much in line is refused after the run") {
  AideWorld world;
  AideClient client = greeted(world);
  client.say(kWrite);
  const std::string call = text_in(client.until("confirmation_required").back(), "call_id");
  for (int count = 0; count < 33; ++count) client.say("@script reply x");
  client.send(R"({"type":"confirm","call_id":")" + call + R"(","response":false})");
  CHECK(text_in(client.until("done").back(), "text") == "Written.");
  const auto refused = client.next();
  CHECK(text_in(refused, "type") == "error");
  CHECK(text_in(refused, "message") == "queue full");
  for (int count = 0; count < 32; ++count)
    CHECK(text_in(client.until("done").back(), "text") == "x");
}

TEST_CASE("aide: few large messages are too much in line as well") {
  AideWorld world;
  AideClient client = greeted(world);
  client.say(kWrite);
  const std::string call = text_in(client.until("confirmation_required").back(), "call_id");
  const std::string large(25 << 20, 'x');
  for (int count = 0; count < 3; ++count) client.say(large);
  client.send(R"({"type":"confirm","call_id":")" + call + R"(","response":false})");
  CHECK(text_in(client.until("done").back(), "text") == "Written.");
  CHECK(text_in(client.next(), "message") == "queue full");
  for (int count = 0; count < 2; ++count) {
    CHECK(text_in(client.until("error").back(), "message").starts_with("the message has 26214400"));
  }
}

TEST_CASE("aide: what waits of all users has a limit, and each a part of it") {
  AideWorld world(R"(,"waiting":65536)");
  const std::string cookie = world.cookie();
  const auto busy = [&](const char* session) {
    auto client = std::make_unique<AideClient>(world, cookie, session);
    client->greet();
    client->say(kWrite);
    return std::pair(text_in(client->until("confirmation_required").back(), "call_id"),
                     std::move(client));
  };
  const auto [greedy_call, greedy] = busy("s1");
  const auto [modest_call, modest] = busy("s2");
  const auto deny = [](AideClient& client, const std::string& call) {
    client.send(R"({"type":"confirm","call_id":")" + call + R"(","response":false})");
    client.until("done");
  };
  const auto refused_first = [&](AideClient& client, const std::string& call) {
    deny(client, call);
    CHECK(text_in(client.next(), "message") == "queue full");
  };
  greedy->say(kWrite);
  greedy->say("@script reply x\n" + std::string(60'000, ' '));
  greedy->say("@script reply y\n" + std::string(20'000, ' '));
  refused_first(*greedy, greedy_call);
  // The large one still waits, and has come before anything of the other user.
  const std::string next_call = text_in(greedy->until("confirmation_required").back(), "call_id");
  SECTION("one user") {
    deny(*greedy, next_call);
    CHECK(text_in(greedy->until("done").back(), "text") == "x");
  }
  SECTION("another one beside") {
    modest->say("@script reply z\n" + std::string(30'000, ' '));
    modest->say("@script reply z\n" + std::string(10'000, ' '));
    refused_first(*modest, modest_call);
    CHECK(text_in(modest->until("done").back(), "text") == "z");
  }
}

TEST_CASE("aide: an unknown model is named, and nothing is run") {
  AideWorld world;
  AideClient client = greeted(world);
  client.say("@script reply x", R"(,"model":"openai:none")");
  const auto error = client.next();
  CHECK(text_in(error, "type") == "error");
  CHECK(text_in(error, "message").find("openai:none") != std::string::npos);
  client.say("@script reply y", R"(,"model":"scripted:scripted")");
  CHECK(text_in(client.until("done").back(), "text") == "y");
}

TEST_CASE("aide: a run that fails has one error and no done") {
  AideWorld world;
  AideClient client = greeted(world);
  client.say("@script error bad_request the model says no");
  const auto frames = client.until("error");
  CHECK(text_in(frames.back(), "message").find("the model says no") != std::string::npos);
  client.say("@script reply Still here.");
  CHECK(AideClient::types(client.until("done")) == Types{"text", "done"});
}

TEST_CASE("aide: a bad frame is answered, after the run's own last frame") {
  AideWorld world;
  AideClient client = greeted(world);
  client.send("{");
  CHECK(text_in(client.next(), "message") == "Invalid message: not JSON");
  client.socket().send_binary("x");
  CHECK(text_in(client.next(), "message").starts_with("Invalid message: binary"));
  client.say("@script delay 50ms\n@script reply Late.");
  client.send(R"({"type":"hello"})");
  CHECK(text_in(client.until("done").back(), "text") == "Late.");
  CHECK(text_in(client.next(), "message") == "Invalid message: unknown type 'hello'");
}

TEST_CASE("aide: pictures reach the model, and come from it") {
  AideWorld world;
  AideClient client = greeted(world);
  const std::string picture =
      R"(,"attachments":[{"media_type":"image/png","data":")" + std::string(kPixel) + R"("}])";
  client.say("@script image?", picture);
  CHECK(text_in(client.until("done").back(), "text").find("png") != std::string::npos);
  // The picture is kept while the model goes on to speak.
  client.say("@script image\n@script delay 1s\n@script reply There.");
  const auto frames = client.until("done");
  bool shown = false;
  for (const auto& frame : frames) {
    if (text_in(frame, "type") != "images") continue;
    shown = boost::json::serialize(frame.at("data_urls")).find("data:image/png;base64,") !=
            std::string::npos;
  }
  CHECK(shown);
  client.say("x", R"(,"attachments":[{"media_type":"image/png","data":"AAAA"}])");
  CHECK(text_in(client.next(), "type") == "error");
  client.say("@script image?",
             R"(,"attachments":[{"media_type":"image/gif","data":")"
             "R0lGODlhAwACAIEAAP8AAAD/AAAA/woUHiH+A2hleQAsAAAAAAMAAgAAAgNENFYAOw=="
             R"("}])");
  CHECK(text_in(client.until("done").back(), "text").find("png") != std::string::npos);
  client.say("x", R"(,"attachments":[{"media_type":"image/gif","data":"R0lGODlhAwAC"}])");
  CHECK(text_in(client.next(), "message").find("GIF is cut off") != std::string::npos);
  client.say("x", R"(,"attachments":[{"media_type":"application/pdf","data":"AAAA"}])");
  CHECK(text_in(client.next(), "message").find("application/pdf") != std::string::npos);
  client.say("@script show request",
             R"(,"attachments":[{"media_type":"application/pdf","data":")"
             "JVBERi0xLjQKMSAwIG9iago8PC9UeXBlL0NhdGFsb2cvUGFnZXMgMiAwIFI+PgplbmRvYmoKMiAwIG9i"
             "ago8PC9UeXBlL1BhZ2VzL0tpZHNbMyAwIFJdL0NvdW50IDE+PgplbmRvYmoKMyAwIG9iago8PC9UeXBl"
             "L1BhZ2UvUGFyZW50IDIgMCBSL01lZGlhQm94WzAgMCAzMDAgMTQ0XS9Db250ZW50cyA0IDAgUi9SZXNv"
             "dXJjZXM8PC9Gb250PDwvRjEgNSAwIFI+Pj4+Pj4KZW5kb2JqCjQgMCBvYmoKPDwvTGVuZ3RoIDQyPj5z"
             "dHJlYW0KQlQgL0YxIDE4IFRmIDIwIDEwMCBUZCAoVGVhIGF0IGZpdmUpIFRqIEVUCmVuZHN0cmVhbQpl"
             "bmRvYmoKNSAwIG9iago8PC9UeXBlL0ZvbnQvU3VidHlwZS9UeXBlMS9CYXNlRm9udC9IZWx2ZXRpY2E+"
             "PgplbmRvYmoKeHJlZgowIDYKMDAwMDAwMDAwMCA2NTUzNSBmIAowMDAwMDAwMDA5IDAwMDAwIG4gCjAw"
             "MDAwMDAwNTQgMDAwMDAgbiAKMDAwMDAwMDEwNSAwMDAwMCBuIAowMDAwMDAwMjE3IDAwMDAwIG4gCjAw"
             "MDAwMDAzMDYgMDAwMDAgbiAKdHJhaWxlcjw8L1NpemUgNi9Sb290IDEgMCBSPj4Kc3RhcnR4cmVmCjM2"
             "OQolJUVPRgo="
             R"("}])");
  const std::string asked = text_in(client.until("done").back(), "text");
  CHECK(asked.find("[File: document.pdf]") != std::string::npos);
  CHECK(asked.find("Tea at five") != std::string::npos);
}

TEST_CASE("aide: conversations belong to their user") {
  AideWorld world;
  AideClient ann = greeted(world);
  ann.say("@script reply Of ann.", R"(,"session_id":"shared")");
  (void)ann.until("done");
  AideClient bob(world, world.cookie("bob"));
  bob.say("@script show messages", R"(,"session_id":"shared")");
  CHECK(text_in(bob.until("done").back(), "text").find("Of ann.") == std::string::npos);
  const auto sessions = world.call<SessionList>({"aide:ann", std::nullopt, 20, 0});
  REQUIRE(sessions.ok());
  REQUIRE(sessions->sessions.size() == 1);
  CHECK(sessions->sessions[0].session == SessionKey{"aide:ann", "aide", "shared"});
}

}  // namespace
}  // namespace gantry::conformance
