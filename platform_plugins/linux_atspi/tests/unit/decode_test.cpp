// SPDX-License-Identifier: Apache-2.0
// The decoders on messages made by hand, good and bad.
#include "decode.hpp"

#include <catch2/catch.hpp>

#include <sys/socket.h>
#include <unistd.h>

#include <functional>

using namespace gantry::atspi;

namespace {

/// A message that was never sent: an unfinished connection is enough to make and read one.
class Message {
 public:
  explicit Message(const std::function<int(sd_bus_message*)>& fill, const char* member = "Reply") {
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends_) == 0);
    REQUIRE(sd_bus_new(&bus_) >= 0);
    REQUIRE(sd_bus_set_fd(bus_, ends_[0], ends_[0]) >= 0);
    REQUIRE(sd_bus_start(bus_) >= 0);
    REQUIRE(sd_bus_message_new_signal(bus_, &message_, "/org/a11y/atspi/accessible/5",
                                      "org.a11y.atspi.Event.Object", member) >= 0);
    REQUIRE(sd_bus_message_set_sender(message_, ":1.9") >= 0);
    REQUIRE(fill(message_) >= 0);
    REQUIRE(sd_bus_message_seal(message_, 1, 0) >= 0);
    REQUIRE(sd_bus_message_rewind(message_, 1) >= 0);
  }
  ~Message() {
    sd_bus_message_unref(message_);
    sd_bus_close_unref(bus_);
    close(ends_[1]);
  }
  sd_bus_message* get() const { return message_; }

 private:
  int ends_[2] = {-1, -1};
  sd_bus* bus_ = nullptr;
  sd_bus_message* message_ = nullptr;
};

}  // namespace

TEST_CASE("GetItems in today's format") {
  const Message message([](sd_bus_message* m) {
    return sd_bus_message_append(m, "a((so)(so)(so)iiassusau)", 1, ":1.9", "/a/1", ":1.9",
                                 "/a/root", ":1.9", "/a/0", 3, 2, 2, "org.a11y.atspi.Action",
                                 "org.a11y.atspi.Text", "Name", 43U, "Help", 2, 0x1000U, 0x200U);
  });
  const auto items = decode_cache_items(message.get(), 10);
  REQUIRE(items);
  REQUIRE(items->size() == 1);
  const CacheItem& item = items->front();
  CHECK(item.object == ObjectRef{":1.9", "/a/1"});
  CHECK(item.parent == ObjectRef{":1.9", "/a/0"});
  CHECK(item.index == 3);
  CHECK(item.child_count == 2);
  CHECK(item.interfaces == (kHasAction | kHasText));
  CHECK(item.name == "Name");
  CHECK(item.role == 43);
  CHECK(item.description == "Help");
  CHECK(item.states.has(State::kFocused));
  CHECK(item.states.has(State::kCheckable));
  CHECK_FALSE(item.lists_children);
}

TEST_CASE("GetItems in the format before 2015") {
  const Message message([](sd_bus_message* m) {
    return sd_bus_message_append(m, "a((so)(so)(so)a(so)assusau)", 1, ":1.9", "/a/1", ":1.9",
                                 "/a/root", ":1.9", "/a/0", 2, ":1.9", "/a/2", ":1.9", "/a/3", 0,
                                 "Name", 43U, "", 2, 0U, 0U);
  });
  const auto items = decode_cache_items(message.get(), 10);
  REQUIRE(items);
  REQUIRE(items->size() == 1);
  CHECK(items->front().lists_children);
  CHECK(items->front().child_count == 2);
  CHECK(items->front().children[1] == ObjectRef{":1.9", "/a/3"});
}

TEST_CASE("an answer of another shape is an error that names it") {
  const Message message(
      [](sd_bus_message* m) { return sd_bus_message_append(m, "s", "surprise"); });
  const auto items = decode_cache_items(message.get(), 10);
  REQUIRE_FALSE(items);
  CHECK(items.error().message.find("\"s\"") != std::string::npos);
}

TEST_CASE("states are read from one, two or more words") {
  const Message one([](sd_bus_message* m) { return sd_bus_message_append(m, "au", 1, 0x1000U); });
  const auto states = decode_states(one.get());
  REQUIRE(states);
  CHECK(states->has(State::kFocused));
  const Message three(
      [](sd_bus_message* m) { return sd_bus_message_append(m, "au", 3, 0U, 1U, 7U); });
  const auto wide = decode_states(three.get());
  REQUIRE(wide);
  CHECK(wide->has(State::kIndeterminate));
}

TEST_CASE("extents come as a structure or as four numbers") {
  const Message packed(
      [](sd_bus_message* m) { return sd_bus_message_append(m, "(iiii)", 1, 2, 3, 4); });
  CHECK(*decode_extents(packed.get()).value() == Bounds{1, 2, 3, 4});
  const Message plain(
      [](sd_bus_message* m) { return sd_bus_message_append(m, "iiii", 1, 2, 3, 4); });
  CHECK(*decode_extents(plain.get()).value() == Bounds{1, 2, 3, 4});
  const Message sentinel([](sd_bus_message* m) {
    return sd_bus_message_append(m, "(iiii)", INT32_MIN, INT32_MIN, 1, 1);
  });
  CHECK_FALSE(decode_extents(sentinel.get()).value().has_value());
}

TEST_CASE("numbers in variants may be of any of the protocol's types") {
  const Message real([](sd_bus_message* m) { return sd_bus_message_append(m, "v", "d", 1.5); });
  CHECK(decode_variant_double(real.get()).value() == 1.5);
  const Message whole([](sd_bus_message* m) { return sd_bus_message_append(m, "v", "i", -3); });
  CHECK(decode_variant_double(whole.get()).value() == -3);
  const Message text([](sd_bus_message* m) { return sd_bus_message_append(m, "v", "s", "x"); });
  CHECK_FALSE(decode_variant_int(text.get()));
}

TEST_CASE("GetAll of an accessible skips what it does not know") {
  const Message message([](sd_bus_message* m) {
    return sd_bus_message_append(m, "a{sv}", 4, "Name", "s", "N", "Parent", "(so)", ":1.9", "/a",
                                 "ChildCount", "i", 4, "Description", "s", "D");
  });
  const auto properties = decode_accessible_properties(message.get());
  REQUIRE(properties);
  CHECK(properties->name == "N");
  CHECK(properties->description == "D");
  CHECK(properties->child_count == 4);
}

TEST_CASE("events carry their source, detail and variant") {
  const Message text(
      [](sd_bus_message* m) {
        return sd_bus_message_append(m, "siiv(so)", "accessible-name", 1, 2, "s", "New", ":1.9",
                                     "/r");
      },
      "PropertyChange");
  const auto event = decode_event(text.get());
  REQUIRE(event);
  CHECK(event->source == ObjectRef{":1.9", "/org/a11y/atspi/accessible/5"});
  CHECK(event->interface == "Object");
  CHECK(event->member == "PropertyChange");
  CHECK(event->detail == "accessible-name");
  CHECK(event->text == "New");
  const Message child(
      [](sd_bus_message* m) {
        return sd_bus_message_append(m, "siiva{sv}", "add", 0, 0, "(so)", ":1.9", "/a/7", 0);
      },
      "ChildrenChanged");
  const auto added = decode_event(child.get());
  REQUIRE(added);
  CHECK(added->object == ObjectRef{":1.9", "/a/7"});
  const Message broken([](sd_bus_message* m) { return sd_bus_message_append(m, "u", 1U); });
  CHECK_FALSE(decode_event(broken.get()));
}
