// SPDX-License-Identifier: Apache-2.0
#include "event.hpp"

#include <gantry/codec.hpp>

#include <boost/describe/enum_from_string.hpp>
#include <boost/describe/enum_to_string.hpp>
#include <utility>

namespace gantry::agent {
namespace {

/// Short names, for the log holds very many of them.
struct LoggedEvent {
  std::string t;          // turn
  std::int64_t at = 0;    // milliseconds since 1970
  std::string x;          // text
  std::optional<Json> b;  // body
};
BOOST_DESCRIBE_STRUCT(LoggedEvent, (), (t, at, x, b))

}  // namespace

std::string_view kind_name(EventKind kind) {
  return boost::describe::enum_to_string(kind, "unknown");
}

StoreEntry to_entry(const SessionEvent& event) {
  StoreEntry entry;
  entry.type = std::string(kind_name(event.kind));
  LoggedEvent logged;
  logged.t = event.turn;
  logged.at = event.at_ms;
  logged.x = event.text;
  if (event.body.text != "null") logged.b = event.body;
  entry.body = Json(to_json(logged));
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
