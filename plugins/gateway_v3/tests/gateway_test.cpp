// SPDX-License-Identifier: Apache-2.0
// Codes and their end, pieces that are joined, names of sessions, limits.
#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "frame.hpp"
#include "outbox.hpp"
#include "pairing.hpp"
#include "rate.hpp"
#include "roles.hpp"
#include "session_keys.hpp"
#include "text.hpp"

namespace gantry::gateway {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

PairingRequest asks(std::string sender, std::string address = "10.0.0.1") {
  PairingRequest request;
  request.sender = std::move(sender);
  request.channel = kBrowser;
  request.address = std::move(address);
  return request;
}

const OutboxLimits kRoomy{100, 1 << 20};

/// A client that takes so many frames, and then none until there is room again.
struct Client {
  int room = 0;
  std::vector<std::string> heard;
  Outbox::Send send = [this](std::string frame) {
    if (room == 0) return false;
    --room;
    heard.push_back(std::move(frame));
    return true;
  };
};

Outgoing piece(const std::string& run, const std::string& text, std::uint64_t seq) {
  Outgoing item;
  item.run = run + "/wrapped/";
  item.join = item.run + "chunk";
  item.event = "agent";
  item.envelope = R"("runId":")" + run + '"';
  item.nested = true;
  item.text = text;
  item.seq = seq;
  return item;
}

Outgoing whole(const std::string& frame, const std::string& run = {}) {
  Outgoing item;
  item.frame = frame;
  if (!run.empty()) item.run = run + "/wrapped/";
  return item;
}

TEST_CASE("what a client named in bytes that are no UTF-8 comes back as JSON") {
  const std::string told = "there is no GET /v1/\xff\xfe";
  const std::string frames[] = {write_answer("1", refused(wire::kNotFound, told)),
                                write_event("x", boost::json::object{{"text", told}}, 7)};
  for (const std::string& frame : frames) {
    INFO(frame);
    boost::system::error_code wrong;
    (void)boost::json::parse(frame, wrong);
    CHECK_FALSE(wrong);
    CHECK(frame.find("/v1/\xEF\xBF\xBD\xEF\xBF\xBD") != std::string::npos);
  }
}

TEST_CASE("a code ends after its time, and not before") {
  PairingSettings settings;
  settings.code_lifetime = 1000;
  Pairing pairing(settings, &random_bytes);
  const auto first = pairing.ask(asks("a"), 5000);
  REQUIRE(first.ok());
  CHECK(first->code.size() == kCodeLength);
  CHECK(first->code.find_first_not_of(kCodeSigns) == std::string::npos);
  CHECK(pairing.of_sender(kBrowser, "a", 5999).has_value());
  CHECK_FALSE(pairing.of_sender(kBrowser, "a", 6000).has_value());
  CHECK_FALSE(pairing.take(first->code, 6000).has_value());
}

TEST_CASE("whoever keeps codes elsewhere is told which have expired") {
  PairingSettings settings;
  settings.code_lifetime = 1000;
  Pairing pairing(settings, &random_bytes);
  const auto first = pairing.ask(asks("a"), 0);
  const auto second = pairing.ask(asks("b"), 500);
  REQUIRE(second.ok());
  CHECK(pairing.waiting(1000).size() == 1);
  CHECK(pairing.take_expired() == std::vector<std::string>{first->code});
  CHECK(pairing.take_expired().empty());
  CHECK(pairing.take(second->code, 1000).has_value());
  CHECK(pairing.waiting(5000).empty());
  CHECK(pairing.take_expired().empty());  // it was used
}

TEST_CASE("one address cannot take the places of others") {
  PairingSettings settings;
  settings.max_pending_per_address = 2;
  settings.max_pending = 3;
  Pairing pairing(settings, &random_bytes);
  CHECK(pairing.ask(asks("a"), 0).ok());
  const auto again = pairing.ask(asks("a"), 0);
  CHECK(again.ok());
  CHECK(pairing.waiting(0).size() == 1);
  CHECK(pairing.ask(asks("b"), 0).ok());
  CHECK(pairing.ask(asks("c"), 0).error().code == Code::ResourceExhausted);
  CHECK(pairing.ask(asks("d", "10.0.0.2"), 0).ok());
  CHECK(pairing.ask(asks("e", "10.0.0.3"), 0).error().code == Code::ResourceExhausted);
}

TEST_CASE("a code is not given twice, whatever the dice say") {
  int thrown = 0;
  Pairing pairing({}, [&thrown](std::size_t count) -> Result<std::vector<std::uint8_t>> {
    return std::vector<std::uint8_t>(count, static_cast<std::uint8_t>(thrown++ / 2));
  });
  const auto first = pairing.ask(asks("a"), 0);
  const auto second = pairing.ask(asks("b"), 0);
  CHECK(first->code == "AAAAAAAA");
  CHECK(second->code == "BBBBBBBB");
}

TEST_CASE("a sender that waits on two channels has a code on each") {
  std::uint8_t thrown = 0;
  Pairing pairing({}, [&thrown](std::size_t count) -> Result<std::vector<std::uint8_t>> {
    return std::vector<std::uint8_t>(count, thrown++);
  });
  PairingRequest other = asks("a");
  other.channel = "mail";
  CHECK(pairing.ask(other, 0)->code == "AAAAAAAA");
  CHECK(pairing.ask(asks("a"), 0)->code == "BBBBBBBB");
  const auto in_browser = pairing.of_sender(kBrowser, "a", 0);
  REQUIRE(in_browser.has_value());
  CHECK(in_browser->code == "BBBBBBBB");
  const auto by_mail = pairing.of_sender("mail", "a", 0);
  REQUIRE(by_mail.has_value());
  CHECK(by_mail->code == "AAAAAAAA");
  CHECK_FALSE(pairing.of_sender("phone", "a", 0).has_value());
}

TEST_CASE("frames are the JSON that was meant, whatever is in their texts") {
  namespace json = boost::json;
  const std::string odd = "a \"quote\", a \\, a\nline, \x01 and \xC3\xBC";
  CHECK(
      json::parse(write_event(odd, json::object{{"content", odd}}, 7)) ==
      json::value{{"type", "event"}, {"event", odd}, {"payload", {{"content", odd}}}, {"seq", 7}});
  CHECK(json::parse(write_event("gone", nullptr, std::nullopt)) ==
        json::value{{"type", "event"}, {"event", "gone"}});
  CHECK(json::parse(write_event("none", json::object(), std::nullopt)) ==
        json::value{{"type", "event"}, {"event", "none"}, {"payload", json::object()}});

  CHECK(json::parse(write_answer(boost::json::string(odd), fine(json::object{{"a", odd}}))) ==
        json::value{{"type", "res"}, {"id", odd}, {"ok", true}, {"payload", {{"a", odd}}}});
  CHECK(json::parse(write_answer(5, fine(nullptr))) ==
        json::value{{"type", "res"}, {"id", 5}, {"ok", true}});
  CHECK(json::parse(write_answer("x", refused("NOT_FOUND", odd))) ==
        json::value{{"type", "res"},
                    {"id", "x"},
                    {"ok", false},
                    {"error", {{"code", "NOT_FOUND"}, {"message", odd}}}});

  Outgoing item = piece("r", odd, 3);
  CHECK(json::parse(rendered(item)) ==
        json::value{{"type", "event"},
                    {"event", "agent"},
                    {"payload", {{"runId", "r"}, {"payload", {{"content", odd}}}}},
                    {"seq", 3}});
  item.nested = false;
  item.envelope.clear();
  CHECK(json::parse(rendered(item)) ==
        json::value{
            {"type", "event"}, {"event", "agent"}, {"payload", {{"content", odd}}}, {"seq", 3}});
}

TEST_CASE("pieces that wait are joined, with the last one's number") {
  Client client;
  Outbox outbox(kRoomy);
  CHECK(outbox.put(piece("r", "one ", 1), client.send));
  CHECK(outbox.put(piece("r", "two ", 2), client.send));
  CHECK(outbox.put(piece("s", "other", 7), client.send));
  CHECK(outbox.put(piece("r", "three", 3), client.send));
  CHECK(outbox.size() == 2);
  client.room = 10;
  outbox.flush(client.send);
  REQUIRE(client.heard.size() == 2);
  CHECK(
      client.heard[0] ==
      R"({"type":"event","event":"agent","payload":{"runId":"r","payload":{"content":"one two three"}},"seq":3})");
}

TEST_CASE("a piece does not go before what its run said in between") {
  Client client;
  Outbox outbox(kRoomy);
  CHECK(outbox.put(piece("r", "before", 1), client.send));
  CHECK(outbox.put(whole("a tool", "r"), client.send));
  CHECK(outbox.put(piece("r", "after", 3), client.send));
  CHECK(outbox.size() == 3);
  client.room = 2;
  outbox.flush(client.send);
  REQUIRE(client.heard.size() == 2);
  CHECK(client.heard[1] == "a tool");
  // What has been sent is not joined any more.
  CHECK(outbox.put(piece("r", " all", 4), client.send));
  client.room = 10;
  outbox.flush(client.send);
  REQUIRE(client.heard.size() == 3);
  CHECK(client.heard[2].find("after all") != std::string::npos);
}

TEST_CASE("who does not read is given up when too much waits, and what was read counts no more") {
  Client client;
  const OutboxLimits two{2, 1000};
  Outbox outbox(two);
  CHECK(outbox.put(whole("1"), client.send));
  CHECK(outbox.put(whole("2"), client.send));
  CHECK_FALSE(outbox.put(whole("3"), client.send));

  Client reader;
  const OutboxLimits thousand{100, 1000};
  Outbox read(thousand);
  for (int i = 0; i < 50; ++i) {
    CHECK(read.put(whole(std::string(900, 'x')), reader.send));
    reader.room = 1;
    read.flush(reader.send);
    reader.room = 0;
  }
  CHECK(read.put(whole(std::string(900, 'x')), reader.send));
  CHECK_FALSE(read.put(whole(std::string(900, 'x')), reader.send));
}

TEST_CASE("who waits until all is read is told then, or when the client has gone") {
  Client client;
  Outbox outbox(kRoomy);
  int told = 0;
  outbox.when_drained([&told] { ++told; });
  CHECK(told == 1);
  CHECK(outbox.put(whole("1"), client.send));
  CHECK(outbox.put(whole("2"), client.send));
  outbox.when_drained([&told] { ++told; });
  client.room = 1;
  outbox.flush(client.send);
  CHECK(told == 1);
  client.room = 1;
  outbox.flush(client.send);
  CHECK(told == 2);
  CHECK(outbox.put(whole("3"), client.send));
  outbox.when_drained([&told] { ++told; });
  outbox.drop();
  CHECK(told == 3);
  CHECK(outbox.size() == 0);
}

TEST_CASE("names of sessions there and back") {
  CHECK(parts_of("agent:fox:ws:direct:c1").agent == "fox");
  CHECK(parts_of("agent:fox:telegram:group:7:topic:2").channel == "telegram");
  CHECK(parts_of("agent:fox:main").channel == "main");
  CHECK(parts_of("anything").agent.empty());
  CHECK(engine_key("ann", "anything") == SessionKey{"ann", kWorkspace, "anything"});
  const SessionKey elsewhere{"ann", "a place~", "k:~1"};
  const std::string key = wire_key(elsewhere, "fox");
  CHECK(key == "agent:fox:ws:direct:~a%20place%7E~k:~1");
  CHECK(is_foreign(key));
  CHECK(engine_key("ann", key) == elsewhere);
  CHECK_FALSE(is_foreign("agent:fox:ws:direct:~no second mark"));
}

TEST_CASE("a limit fills again with time") {
  RateLimit limit(60, 2);
  CHECK(limit.take("a", 0));
  CHECK(limit.take("a", 0));
  CHECK_FALSE(limit.take("a", 0));
  CHECK(limit.take("b", 0));
  CHECK_FALSE(limit.has("a", kSecond - 1));
  CHECK(limit.take("a", kSecond));
  CHECK_FALSE(limit.take("a", kSecond));
  RateLimit none(0, 1);
  for (int i = 0; i < 100; ++i) CHECK(none.take("a", 0));
}

TEST_CASE("what a key may do") {
  CHECK(Scopes({"operator.read"}).role() == Role::Viewer);
  CHECK(Scopes({"operator.pairing"}).role() == Role::Operator);
  CHECK(Scopes({"operator.admin"}).role() == Role::Admin);
  CHECK(Scopes({"", "all"}).role() == Role::None);
  CHECK(Scopes({"operator.write"}).has(Scope::Read));
  CHECK_FALSE(Scopes({"operator.write"}).has(Scope::Approvals));
  CHECK_FALSE(Scopes({"operator.approvals"}).has(Scope::Read));
  CHECK(Scopes({"operator.admin"}).has(Scope::Pairing));
}

TEST_CASE("words that stop a run, and words that do not") {
  for (const char* word : {"stop", " STOP\n", "Never Mind", "thôi", "dừng", "hủy", "取消", "停"}) {
    INFO(word);
    CHECK(is_stop_word(word));
  }
  for (const char* word : {"", "stop it", "don't stop", "never", "停止"}) {
    INFO(word);
    CHECK_FALSE(is_stop_word(word));
  }
}

}  // namespace
}  // namespace gantry::gateway
