// SPDX-License-Identifier: Apache-2.0
// Life of the engine, and the contracts of sessions.
#include "engine.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "event.hpp"
#include "leftover.hpp"

namespace gantry::agent {
namespace {

constexpr auto kSweep = std::chrono::seconds(10);
constexpr auto kRetry = std::chrono::seconds(5);
constexpr std::size_t kLongestName = 4'096;
constexpr std::size_t kLongestTitle = 4'096;
/// Of one session: lists carry it for each of a thousand.
constexpr std::size_t kMostMetadata = std::size_t{64} << 10U;

Result<void> check(const SessionKey& key) {
  if (key.principal.empty()) return invalid_argument("a session needs a principal");
  if (key.principal.size() + key.workspace.size() + key.key.size() > kLongestName) {
    return invalid_argument("the session's key is longer than 4096 bytes");
  }
  return {};
}

Error too_long(std::string_view what, std::size_t size, std::size_t most) {
  return {Code::OutOfRange,
          "the session's " + std::string(what) + " would have " + std::to_string(size) +
              " bytes; at most " + std::to_string(most) + " are kept",
          {}};
}

/// What clients say of a session; absent is nothing new.
Result<void> check_said(const std::string* title, const Json* metadata) {
  if (title != nullptr && title->size() > kLongestTitle) {
    return too_long("title", title->size(), kLongestTitle);
  }
  if (metadata != nullptr && metadata->text.size() > kMostMetadata) {
    return too_long("metadata", metadata->text.size(), kMostMetadata);
  }
  return {};
}

Error no_session(const SessionKey& key) {
  return not_found("there is no session '" + key.key + "' of this principal");
}

constexpr std::int64_t kLongestPollMs = 60'000;

Error busy(std::string_view what) {
  return failed_precondition("a turn of this session is running; stop it, then " +
                             std::string(what));
}

Error beyond(std::uint64_t asked, std::uint64_t last) {
  return {Code::OutOfRange,
          "the session's log ends at " + std::to_string(last) + ", before " + std::to_string(asked),
          {}};
}

SessionHistoryRows rows_of(const Session& session) {
  const History& history = session.history();
  return {history.revision, history.rows, history.system_prompt};
}

}  // namespace

void Engine::begin() {
  core_.store.begin();
  sweep_ = core_.host.every(kSweep, [this] { core_.sessions.sweep(); });
  const auto recovery = std::make_shared<Recovery>(
      core_.host, core_.store, core_.sessions, [this](const Result<void>& done) {
        if (done.ok()) {
          core_.host.healthy("sessions");
          return core_.sessions.ready();
        }
        core_.host.failed("sessions", "the sessions cannot be read: " + done.error().message,
                          "see `gantry doctor` about the store; this is tried again by itself");
        retry_ = core_.host.after(kRetry, [this] { begin(); });
      });
  recovery->begin();
}

void Engine::end() {
  sweep_ = {};
  retry_ = {};
  core_.places.clear();
  for (const auto& [id, session] : core_.sessions.all()) {
    for (const auto& turn : session->line) turn->drop();
    if (session->running) session->running->drop();
    // A turn holds its session: together they would outlive the engine.
    session->line.clear();
    session->running.reset();
  }
}

template <class T>
void Engine::with(const SessionKey& key, Done<T> done, std::function<void(const Pointer&)> use) {
  if (const auto checked = check(key); !checked.ok()) return done(checked.error());
  core_.sessions.find(
      key, [key, done = std::move(done), use = std::move(use)](const Result<Pointer>& session) {
        if (!session.ok()) return done(session.error());
        if (!(*session)->exists()) return done(no_session(key));
        use(*session);
      });
}

template <class T>
void Engine::save(const Pointer& session, Done<T> done, std::function<T()> answer) {
  session->save(session->running ? Session::At::Work : Session::At::Rest, {},
                [done = std::move(done), answer = std::move(answer)](const Result<void>& saved) {
                  if (!saved.ok()) return done(saved.error());
                  done(answer());
                });
}

void Engine::open(const SessionOpenRequest& request, Done<SessionInfo> done) {
  if (const auto checked = check(request.session); !checked.ok()) return done(checked.error());
  if (const auto fits = check_said(&request.title, &request.metadata); !fits.ok()) {
    return done(fits.error());
  }
  core_.sessions.find(request.session,
                      [this, request, done = std::move(done)](const Result<Pointer>& session) {
                        if (!session.ok()) return done(session.error());
                        const Pointer& found = *session;
                        if (found->exists()) return done(found->info());
                        if (!request.create) return done(no_session(request.session));
                        found->record.title = request.title;
                        found->record.metadata = request.metadata;
                        save<SessionInfo>(found, done, [found] { return found->info(); });
                      });
}

void Engine::list(const SessionListRequest& request, Done<SessionInfoList> done) {
  if (request.limit < 1 || request.limit > 1000 || request.offset < 0) {
    return done(invalid_argument("limit is 1 to 1000 and offset at least 0"));
  }
  core_.sessions.list(request, std::move(done));
}

void Engine::patch(const SessionPatchRequest& request, Done<SessionInfo> done) {
  const auto fits = check_said(request.title ? &*request.title : nullptr,
                               request.metadata ? &*request.metadata : nullptr);
  if (!fits.ok()) return done(fits.error());
  with<SessionInfo>(request.session, done, [this, request, done](const Pointer& session) {
    if (request.title) session->record.title = *request.title;
    if (request.metadata) session->record.metadata = *request.metadata;
    save<SessionInfo>(session, done, [session] { return session->info(); });
  });
}

void Engine::history(const SessionHistoryRequest& request, Done<SessionHistoryRows> done) {
  with<SessionHistoryRows>(request.session, done,
                           [done](const Pointer& session) { done(rows_of(*session)); });
}

void Engine::rehydrate(const SessionRehydrateRequest& request, Done<SessionHistoryRows> done) {
  if (const auto checked = check(request.session); !checked.ok()) return done(checked.error());
  if (const auto pairs = check_pairs(request.rows); !pairs.ok()) return done(pairs.error());
  core_.sessions.find(
      request.session, [this, request, done = std::move(done)](const Result<Pointer>& found) {
        if (!found.ok()) return done(found.error());
        const Pointer& session = *found;
        if (session->running || session->compacting) return done(busy("rehydrate it"));
        SessionHistoryRows rows;
        rows.revision = session->history().revision + 1;
        rows.rows = request.rows;
        rows.system_prompt = request.system_prompt;
        for (std::size_t i = 0; i < rows.rows.size(); ++i) {
          HistoryRow& row = rows.rows[i];
          if (row.id.empty())
            row.id = "row_" + std::to_string(rows.revision) + "_" + std::to_string(i);
        }
        SessionEvent event = body_event(EventKind::HistoryReplaced, rows);
        event.text = request.source;
        session->log(std::move(event));
        save<SessionHistoryRows>(session, done, [session] { return rows_of(*session); });
      });
}

void Engine::append(const SessionAppendRequest& request, Done<SessionInfo> done) {
  if (!request.row.calls.empty() || request.row.role == RowRole::Tool ||
      request.row.role == RowRole::System) {
    return done(invalid_argument("only messages of the user or the assistant can be added"));
  }
  with<SessionInfo>(request.session, done, [this, request, done](const Pointer& session) {
    if (session->running) {
      // Between a call and its result it would break the history's order.
      return done(busy("add a message"));
    }
    const bool user = request.row.role == RowRole::User;
    session->log_row(user ? EventKind::UserMessage : EventKind::AssistantMessage, request.row);
    save<SessionInfo>(session, done, [session] { return session->info(); });
  });
}

void Engine::compact(const SessionCompactRequest& request, Done<CompactionReport> done) {
  with<CompactionReport>(request.session, done, [this, request, done](const Pointer& session) {
    // A turn in its line may begin at any moment.
    if (session->running || session->compacting || !session->line.empty()) {
      return done(busy("compact its history"));
    }
    session->compacting = true;
    core_.models.choose(
        request.model, {}, [this, request, session, done](const Result<ChosenModel>& chosen) {
          Frame frame;
          if (chosen.ok()) frame.model = *chosen;
          const CompactionSettings& settings = core_.settings.compaction;
          const std::int64_t window =
              frame.model.model.context_window.value_or(core_.settings.context_window);
          const auto finished = [this, session, done](const CompactionReport& report) {
            session->compacting = false;
            save<CompactionReport>(session, done, [report] { return report; });
            next(session);
          };
          if (!request.force &&
              estimate(frame, session->history()) < trigger_of(settings, window)) {
            CompactionReport report;
            report.reason = "manual";
            report.skipped = settings.enabled ? "below-threshold" : "disabled";
            return finished(report);
          }
          CompactionOrder order;
          order.reason = "manual";
          order.keep = static_cast<std::size_t>(std::max<std::int64_t>(
              1, request.keep_last.value_or(static_cast<std::int32_t>(settings.keep_last))));
          order.must_fit = false;
          auto compaction = std::make_shared<Compaction>(core_, session, std::move(frame),
                                                         std::move(order), finished);
          std::erase_if(compactions_, [](const auto& one) { return one.use_count() == 1; });
          compactions_.push_back(compaction);
          compaction->begin();
        });
  });
}

void Engine::remove(const SessionDeleteRequest& request, Done<gantry::Done> done) {
  with<gantry::Done>(request.session, done, [this, done](const Pointer& session) {
    const auto line = session->line;
    for (const auto& turn : line) turn->stop(TurnEnd::Cancelled, "the session is being deleted");
    if (const auto turn = session->running) {
      turn->stop(TurnEnd::Cancelled, "the session is being deleted");
    }
    session->journal().when_written([this, session, done](const Result<void>&) {
      core_.sessions.remove(session, [done](const Result<void>& removed) {
        if (!removed.ok()) return done(removed.error());
        done(gantry::Done{});
      });
    });
  });
}

void Engine::poll(const SessionPollRequest& request, Done<SessionEvents> done) {
  if (request.limit < 1 || request.limit > 1000 || request.wait_ms < 0 ||
      request.wait_ms > kLongestPollMs) {
    return done(invalid_argument("limit is 1 to 1000 and wait_ms 0 to 60000"));
  }
  with<SessionEvents>(request.session, done, [this, request, done](const Pointer& session) {
    const std::uint64_t last = session->journal().last();
    if (request.after_sequence > last) return done(beyond(request.after_sequence, last));
    session->watchers().poll(core_.host, request, last, done);
  });
}

StreamHandlers<Nothing> Engine::watch(const SessionWatchRequest& request,
                                      Stream<SessionEvents> down) {
  // The session may have to be read first; until then what the other side does is kept here.
  struct Pending {
    StreamHandlers<Nothing> handlers;
    std::optional<Error> ended;
  };
  auto pending = std::make_shared<Pending>();
  const auto refuse = [down](const Error& error) {
    Stream<SessionEvents> mine = down;
    mine.close(error);
  };
  with<gantry::Done>(
      request.session,
      [refuse](const Result<gantry::Done>& failed) {
        if (!failed.ok()) refuse(failed.error());
      },
      [request, down, pending, refuse](const Pointer& session) mutable {
        if (pending->ended) return;
        const std::uint64_t last = session->journal().last();
        if (!request.live_only && request.after_sequence > last) {
          return refuse(beyond(request.after_sequence, last));
        }
        pending->handlers = session->watchers().add(request, std::move(down), last);
      });
  StreamHandlers<Nothing> handlers;
  handlers.on_writable = [pending] {
    if (pending->handlers.on_writable) pending->handlers.on_writable();
  };
  handlers.on_end = [pending](const Error& error) {
    pending->ended = error;
    if (pending->handlers.on_end) pending->handlers.on_end(error);
  };
  return handlers;
}

}  // namespace gantry::agent
