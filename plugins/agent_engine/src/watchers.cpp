// SPDX-License-Identifier: Apache-2.0
#include "watchers.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "event.hpp"

namespace gantry::agent {
namespace {

constexpr std::int32_t kWatcherPage = 200;
constexpr std::size_t kRecentBytes = std::size_t{64} << 10U;

bool ends(const SessionEvent& event, const std::string& turn) {
  return event.kind == EventKind::TurnFinished && event.turn == turn;
}

/// What somebody who watches one turn, or all of them (an empty name), is to get of some events.
struct Share {
  SessionEvents events;
  bool over = false;  // the turn has ended

  void add(const SessionEvent& event, const std::string& turn) {
    if (over || (!turn.empty() && event.turn != turn)) return;
    over = !turn.empty() && ends(event, turn);
    events.events.push_back(event);
  }
};

/// All of them, which is what mostly happens.
bool belong_to(const std::string& turn, const std::vector<SessionEvent>& events) {
  return std::all_of(events.begin(), events.end(),
                     [&](const SessionEvent& event) { return event.turn == turn; });
}

}  // namespace

struct Watchers::Watcher {
  Stream<SessionEvents> down;
  std::string turn;          // empty: all
  std::uint64_t cursor = 0;  // everything up to here was sent, or is not wanted
  bool live = false;         // gets events as they are written
  bool reading = false;      // a page is on its way
  bool caught_up = false;    // has been told
  bool gone = false;
};

/// A question that may wait.
struct Watchers::Poll {
  SessionPollRequest request;
  std::function<void(Result<SessionEvents>)> done;
  bool reading = false;
  bool late = false;  // its time is over
  Timer timer;
};

Watchers::Watchers(StoreClient& store, std::string log, Owner owner)
    : store_(store), log_(std::move(log)), owner_(std::move(owner)), recent_(kRecentBytes) {}

Watchers::~Watchers() { *alive_ = false; }

StreamHandlers<Nothing> Watchers::add(const SessionWatchRequest& request,
                                      Stream<SessionEvents> down, std::uint64_t last) {
  last_ = last;
  auto watcher = std::make_shared<Watcher>();
  watcher->down = std::move(down);
  watcher->turn = request.turn;
  watcher->cursor = request.live_only ? last : request.after_sequence;
  watchers_.push_back(watcher);
  StreamHandlers<Nothing> handlers;
  handlers.on_writable = [this, alive = alive_, watcher] {
    if (*alive) catch_up(watcher);
  };
  handlers.on_end = [this, alive = alive_, watcher](const Error&) {
    if (*alive) remove(watcher);
  };
  catch_up(watcher);
  owner_.changed();
  return handlers;
}

bool Watchers::any_of(const std::string& turn) const {
  const auto sees = [&](const std::string& wanted) { return wanted.empty() || wanted == turn; };
  return std::any_of(watchers_.begin(), watchers_.end(),
                     [&](const Pointer& watcher) { return sees(watcher->turn); }) ||
         std::any_of(polls_.begin(), polls_.end(),
                     [&](const auto& poll) { return sees(poll->request.turn); });
}

void Watchers::tell(const Ref<SessionEvents>& events) {
  last_ = events->events.back().sequence;
  recent_.add(events);
  const std::list<Pointer> now = watchers_;  // a watcher may go meanwhile
  for (const Pointer& watcher : now) {
    if (watcher->live) offer(watcher, events);
  }
  const auto waiting = polls_;
  for (const auto& poll : waiting) read(poll);
}

void Watchers::offer(const Pointer& watcher, const Ref<SessionEvents>& events) {
  const std::uint64_t through = events->events.back().sequence;
  Ref<SessionEvents> wanted = events;
  bool over = !watcher->turn.empty() && ends(events->events.back(), watcher->turn);
  if (!watcher->turn.empty() && !belong_to(watcher->turn, events->events)) {
    Share share;
    for (const SessionEvent& event : events->events) share.add(event, watcher->turn);
    if (share.events.events.empty()) {
      watcher->cursor = through;
      return;
    }
    over = share.over;
    wanted = make_body<SessionEvents>(std::move(share.events));
  }
  if (!watcher->down.send(wanted).ok()) {
    watcher->live = false;  // on_writable or on_end follows
    return;
  }
  watcher->cursor = through;
  if (!over) return;
  watcher->down.close();
  remove(watcher);
}

void Watchers::catch_up(const Pointer& watcher) {
  if (watcher->reading || watcher->live || watcher->gone) return;
  if (watcher->cursor >= last_ || recent_.reach(watcher->cursor)) return go_live(watcher);
  watcher->reading = true;
  StoreReadLogRequest read;
  read.log = log_;
  read.after = static_cast<std::int64_t>(watcher->cursor);
  read.limit = kWatcherPage;
  store_.read_log(std::move(read), [this, alive = alive_, watcher](const auto& page) {
    if (!*alive) return;
    watcher->reading = false;
    if (watcher->gone) return;
    if (page.ok()) return take_page(watcher, **page);
    watcher->down.close(page.error().with_context("reading the session's log"));
    remove(watcher);
  });
}

/// Nothing is missing that is not at hand.
void Watchers::go_live(const Pointer& watcher) {
  Share rest;
  recent_.each_after(watcher->cursor, [&](const SessionEvent& event) {
    rest.add(event, watcher->turn);
    return true;
  });
  rest.events.caught_up = !watcher->caught_up;
  const bool news = rest.events.caught_up || !rest.events.events.empty();
  if (news && !watcher->down.send(std::move(rest.events)).ok()) return;
  watcher->caught_up = true;
  watcher->live = true;
  watcher->cursor = last_;
  if (!rest.over && (watcher->turn.empty() || owner_.unfinished(watcher->turn))) return;
  watcher->down.close();
  remove(watcher);
}

/// The store has it, and its answer to who wrote it is under way: tell() follows. Given out now, it
/// would come twice to a watcher, and a poller would ask for what is behind the session's end.
bool Watchers::not_told_yet(const StoredEntry& entry) const {
  return static_cast<std::uint64_t>(entry.sequence) > last_;
}

void Watchers::take_page(const Pointer& watcher, const StoreLogPage& page) {
  Share share;
  std::uint64_t through = last_;  // after an empty page: what was asked for has been trimmed away
  for (const StoredEntry& entry : page.entries) {
    if (not_told_yet(entry)) break;
    const auto event = from_entry(entry);
    if (!event.ok()) {
      watcher->down.close(event.error());
      return remove(watcher);
    }
    through = event->sequence;
    share.add(*event, watcher->turn);
  }
  if (!share.events.events.empty() && !watcher->down.send(std::move(share.events)).ok()) return;
  watcher->cursor = through;
  if (!share.over) return catch_up(watcher);
  watcher->down.close();
  remove(watcher);
}

void Watchers::remove(const Pointer& watcher) {
  if (std::exchange(watcher->gone, true)) return;
  watchers_.remove(watcher);
  owner_.changed();
}

void Watchers::poll(Host& host, const SessionPollRequest& request, std::uint64_t last,
                    std::function<void(Result<SessionEvents>)> done) {
  last_ = last;
  auto poll = std::make_shared<Poll>();
  poll->request = request;
  poll->done = std::move(done);
  polls_.push_back(poll);
  owner_.changed();
  poll->timer = host.after(std::chrono::milliseconds(request.wait_ms),
                           [this, alive = alive_, weak = std::weak_ptr(poll)] {
                             const auto waiting = weak.lock();
                             if (!*alive || !waiting) return;
                             waiting->late = true;
                             if (!waiting->reading) answer(waiting, SessionEvents{});
                           });
  read(poll);
}

void Watchers::read(const std::shared_ptr<Poll>& poll) {
  if (poll->reading || poll->request.after_sequence >= last_) return;
  if (recent_.reach(poll->request.after_sequence)) {
    SessionEvents events;
    std::int32_t left = poll->request.limit;
    recent_.each_after(poll->request.after_sequence, [&](const SessionEvent& event) {
      events.events.push_back(event);
      return --left > 0;
    });
    return give(poll, std::move(events));
  }
  poll->reading = true;
  StoreReadLogRequest read_log;
  read_log.log = log_;
  read_log.after = static_cast<std::int64_t>(poll->request.after_sequence);
  read_log.limit = poll->request.limit;
  store_.read_log(std::move(read_log), [this, alive = alive_, poll](const auto& page) {
    if (!*alive || !poll->done) return;
    poll->reading = false;
    if (!page.ok()) return answer(poll, page.error());
    SessionEvents events;
    for (const StoredEntry& entry : (*page)->entries) {
      if (not_told_yet(entry)) break;
      auto event = from_entry(entry);
      if (!event.ok()) return answer(poll, event.error());
      events.events.push_back(std::move(*event));
    }
    give(poll, std::move(events));
  });
}

/// `events` are what comes next in the log, of whatever turn.
void Watchers::give(const std::shared_ptr<Poll>& poll, SessionEvents events) {
  if (!events.events.empty()) poll->request.after_sequence = events.events.back().sequence;
  const std::string& turn = poll->request.turn;
  if (!turn.empty()) {
    std::erase_if(events.events, [&](const SessionEvent& event) { return event.turn != turn; });
  }
  events.caught_up = poll->request.after_sequence >= last_;
  if (!events.events.empty() || poll->late) return answer(poll, std::move(events));
  read(poll);
}

void Watchers::answer(const std::shared_ptr<Poll>& poll, Result<SessionEvents> events) {
  const auto done = std::exchange(poll->done, {});
  if (!done) return;
  polls_.remove(poll);
  done(std::move(events));
  owner_.changed();
}

void Watchers::close(const Error& error) {
  const auto waiting = polls_;
  for (const auto& poll : waiting) answer(poll, error);
  const std::list<Pointer> now = watchers_;
  for (const Pointer& watcher : now) {
    watcher->down.close(error);
    remove(watcher);
  }
}

}  // namespace gantry::agent
