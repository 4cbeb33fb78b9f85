// SPDX-License-Identifier: Apache-2.0
#include "event.hpp"

#include <gantry/codec.hpp>

#include <boost/describe/enum_from_string.hpp>
#include <boost/describe/enum_to_string.hpp>
#include <utility>

namespace gantry::agent {
namespace {

/// Short names, for the log holds very many of them. As body_of() writes it.
struct LoggedEvent {
  std::string t;          // turn
  std::int64_t at = 0;    // milliseconds since 1970
  std::string x;          // text
  std::optional<Json> b;  // body
};
BOOST_DESCRIBE_STRUCT(LoggedEvent, (), (t, at, x, b))

/// Without a copy of what it holds, which may be long: every event is written this way.
Json body_of(const SessionEvent& event) {
  constexpr std::size_t kRest = 64;  // roughly: names, and a few escapes
  const bool bare = event.body.text.empty() || event.body.text == "null";
  std::string out;
  out.reserve(event.turn.size() + event.text.size() + event.body.text.size() + kRest);
  out += R"({"t":)";
  codec::write_string(out, event.turn);
  out += R"(,"at":)";
  codec::write_integer(out, event.at_ms);
  out += R"(,"x":)";
  codec::write_string(out, event.text);
  if (!bare) {
    out += R"(,"b":)";
    out += event.body.text;
  }
  out += '}';
  return Json(std::move(out));
}

}  // namespace

std::string_view kind_name(EventKind kind) {
  return boost::describe::enum_to_string(kind, "unknown");
}

StoreEntry to_entry(const SessionEvent& event) {
  StoreEntry entry;
  entry.type = std::string(kind_name(event.kind));
  entry.body = body_of(event);
  return entry;
}

Result<SessionEvent> from_entry(const StoredEntry& entry) {
  SessionEvent event;
  event.sequence = static_cast<std::uint64_t>(entry.sequence);
  if (!boost::describe::enum_from_string(entry.type.c_str(), event.kind)) {
    return Error{
        Code::DataLoss, "the log has an event of the unknown kind '" + entry.type + "'", {}};
  }
  auto logged = from_json<LoggedEvent>(entry.body.text);
  if (!logged.ok()) {
    return Error{Code::DataLoss, "an event cannot be read: " + logged.error().message, {}};
  }
  event.turn = std::move(logged->t);
  event.at_ms = logged->at;
  event.text = std::move(logged->x);
  if (logged->b) event.body = std::move(*logged->b);
  return event;
}

SessionEvent text_event(EventKind kind, std::string text) {
  SessionEvent event;
  event.kind = kind;
  event.text = std::move(text);
  return event;
}

}  // namespace gantry::agent
