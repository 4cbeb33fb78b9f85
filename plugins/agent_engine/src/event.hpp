// SPDX-License-Identifier: Apache-2.0
#pragma once
// Events of a session's log and their stored form. Pure functions.

#include <gantry/contracts/approval.hpp>
#include <gantry/contracts/session.hpp>
#include <gantry/contracts/store.hpp>
#include <gantry/contracts/turn.hpp>
#include <gantry/result.hpp>

#include <string>
#include <string_view>

namespace gantry::agent {

[[nodiscard]] std::string_view kind_name(EventKind kind);

[[nodiscard]] inline bool is_delta(EventKind kind) {
  return kind == EventKind::TextDelta || kind == EventKind::ThinkingDelta;
}

/// Everything of the event but its sequence, which is the entry's place in the log.
[[nodiscard]] StoreEntry to_entry(const SessionEvent& event);
/// Errors: data_loss (the entry was not written by to_entry).
[[nodiscard]] Result<SessionEvent> from_entry(const StoredEntry& entry);

/// An event that says only a text.
[[nodiscard]] SessionEvent text_event(EventKind kind, std::string text);

/// An event with a body.
template <class T>
[[nodiscard]] SessionEvent body_event(EventKind kind, const T& body) {
  SessionEvent event;
  event.kind = kind;
  event.body = Json(to_json(body));
  return event;
}

}  // namespace gantry::agent
