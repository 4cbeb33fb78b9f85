// SPDX-License-Identifier: Apache-2.0
#include "replay.hpp"

#include <map>
#include <utility>

#include "feeds.hpp"
#include "session_keys.hpp"

namespace gantry::gateway {
namespace {

constexpr std::int32_t kPage = 100;

/// Runs of the log, as events name them.
class Runs {
 public:
  Runs(const Server& server, std::string key, std::string user)
      : server_(server), key_(std::move(key)), user_(std::move(user)) {}

  Run& of(const std::string& turn) {
    const auto [slot, made] = runs_.try_emplace(turn);
    if (made) {
      slot->second.id = turn;
      slot->second.key = key_;
      slot->second.user = user_;
      const KeyParts parts = parts_of(key_);
      slot->second.agent = parts.agent.empty() ? server_.agents().usual()->key : parts.agent;
      slot->second.chat = parts.chat;
    }
    return slot->second;
  }

 private:
  const Server& server_;
  std::string key_;
  std::string user_;
  std::map<std::string, Run> runs_;
};

}  // namespace

Task<Result<Replayed>> replay(CallPtr call, SessionAccess access, std::string key,
                              std::uint64_t seen) {
  Replayed out;
  out.last = seen;
  Runs runs(call->server, key, access.user);
  const std::uint64_t entry = seen / kSeqPerEntry;  // of which some events may be missing
  std::uint64_t after = entry == 0 ? 0 : entry - 1;
  for (;;) {
    SessionPollRequest request;
    request.session = access.session;
    request.after_sequence = after;
    request.limit = kPage;
    const auto page = co_await ask<SessionPoll>(call->host(), std::move(request));
    if (!page.ok()) co_return page.error();
    for (const SessionEvent& event : (*page)->events) {
      after = event.sequence;
      if (event.turn.empty()) continue;
      Run& run = runs.of(event.turn);
      for (const RunEvent& made : run.view.take(event)) {
        if (made.seq <= seen) continue;
        call->connection->send_now(wrapped_event(run, made));
        out.last = made.seq;
        ++out.events;
      }
    }
    if ((*page)->events.size() < static_cast<std::size_t>(kPage)) co_return out;
    const auto connection = call->connection;
    // By reference: GCC 12 destroys what a closure in an await expression holds twice.
    const bool open = co_await completion<bool>([&connection](auto done) {
      connection->when_drained([connection, done]() mutable { done(!connection->is_closed()); });
    });
    if (!open) co_return Error{Code::Cancelled, "the connection has gone", {}};
  }
}

}  // namespace gantry::gateway
