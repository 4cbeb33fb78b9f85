// SPDX-License-Identifier: Apache-2.0
#include "connection.hpp"

#include <algorithm>
#include <utility>

namespace gantry::x11 {
namespace {

Error no_answer() {
  return unavailable(
      "the X server takes connections and does not answer them",
      "end it when it hangs, or set linux_x11.display to another one; the adapter goes on trying");
}

}  // namespace

/// Opens a session on a thread of its own: xcb_connect() can be given no limit and nothing to break
/// it with, and a server that was stopped takes connections without ever answering. Who waits can
/// go; the thread then ends with the server, and what it brings is thrown away.
class X11Connection::Attempt {
 public:
  static std::shared_ptr<Attempt> begin(const std::string& display) {
    auto attempt = std::make_shared<Attempt>();
    std::thread([attempt, display] { attempt->finish(Session::open(display)); }).detach();
    return attempt;
  }
  /// What came of it, or nothing after `limit` or give_up().
  std::optional<Result<SessionPtr>> wait(std::chrono::nanoseconds limit) {
    std::unique_lock lock(mutex_);
    ended_.wait_for(lock, limit, [&] { return outcome_ || given_up_; });
    return std::exchange(outcome_, std::nullopt);
  }
  void give_up() {
    const std::lock_guard lock(mutex_);
    given_up_ = true;
    ended_.notify_all();
  }

 private:
  void finish(Result<SessionPtr> outcome) {
    const std::lock_guard lock(mutex_);
    outcome_ = std::move(outcome);
    ended_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable ended_;
  std::optional<Result<SessionPtr>> outcome_;
  bool given_up_ = false;
};

X11Connection::X11Connection(ConnectionOptions options)
    : options_(std::move(options)),
      failure_(unavailable("the adapter has not tried to connect yet")),
      back_off_(options_.first_retry_ns, options_.longest_retry_ns) {}

X11Connection::~X11Connection() { stop(); }

void X11Connection::add_listener(Listener* listener) { listeners_.push_back(listener); }

void X11Connection::start() {
  (void)session();
  thread_ = std::thread([this] { run(); });
}

void X11Connection::give_up() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    failure_ = unavailable("the adapter has stopped");
    if (session_) session_->shut_down();
    if (attempt_) attempt_->give_up();
  }
  changed_.notify_all();
}

void X11Connection::stop() {
  give_up();
  if (thread_.joinable()) thread_.join();
  const std::lock_guard lock(mutex_);
  session_.reset();
}

Result<SessionPtr> X11Connection::session() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !connecting_; });
  if (session_ && session_->alive()) return session_;
  if (stopping_) return failure_;
  return connect(lock);
}

SessionPtr X11Connection::current() const {
  const std::lock_guard lock(mutex_);
  return session_ && session_->alive() ? session_ : nullptr;
}

std::string X11Connection::why_not() const {
  const std::lock_guard lock(mutex_);
  return session_ && session_->alive() ? std::string() : failure_.message;
}

void X11Connection::poke() { changed_.notify_all(); }

Result<SessionPtr> X11Connection::connect(std::unique_lock<std::mutex>& lock) {
  // Nobody waits twice for the same silence; what comes late is taken at the next try.
  const std::chrono::nanoseconds limit = attempt_ ? 0ns : options_.connect_limit;
  if (!attempt_) attempt_ = Attempt::begin(options_.display);
  connecting_ = true;
  const std::shared_ptr<Attempt> attempt = attempt_;
  lock.unlock();
  std::optional<Result<SessionPtr>> outcome = attempt->wait(limit);
  lock.lock();
  connecting_ = false;
  if (outcome) attempt_.reset();
  Result<SessionPtr> opened = outcome ? std::move(*outcome) : no_answer();
  if (stopping_) opened = failure_;
  if (opened) {
    session_ = *opened;
    back_off_.succeeded();
  } else {
    if (!stopping_) failure_ = opened.error();
    back_off_.failed(options_.now());
  }
  changed_.notify_all();
  return opened;
}

void X11Connection::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (session_ && session_->alive()) {
      const SessionPtr session = session_;
      lock.unlock();
      pump(session);
      lock.lock();
      continue;
    }
    if (connecting_) {
      changed_.wait(lock);
    } else if (back_off_.due(options_.now())) {
      (void)connect(lock);
    } else {
      // The clock may be a manual one, so the wait is only a hint and poke() ends it.
      changed_.wait_for(lock, std::chrono::nanoseconds(back_off_.due_ns() - options_.now()));
    }
  }
}

void X11Connection::pump(const SessionPtr& session) {
  for (Listener* listener : listeners_) listener->on_connected(session);
  // Everything that one wake brought is dispatched before the next wait.
  while (const Owned<xcb_generic_event_t> event{xcb_wait_for_event(session->xcb())}) {
    dispatch(session, *event);
  }
  bool stopped = false;
  {
    const std::lock_guard lock(mutex_);
    stopped = stopping_;
    if (session_ == session) session_.reset();
    if (!stopping_) {
      failure_ = unavailable("the X server on display '" + session->display() + "' went away",
                             "start it again; the adapter reconnects by itself");
    }
  }
  {
    const std::lock_guard lock(waiters_mutex_);
    for (EventWaiter* waiter : waiters_) waiter->close();
  }
  if (stopped) return;  // nobody is interested in what the end itself brings
  for (Listener* listener : listeners_) listener->on_lost();
}

void X11Connection::dispatch(const SessionPtr& session, const xcb_generic_event_t& event) {
  // Errors of unchecked requests arrive here: windows that died between two requests. Whoever cares
  // asked for the error with the request.
  if (event.response_type == 0) return;
  {
    const std::lock_guard lock(waiters_mutex_);
    for (EventWaiter* waiter : waiters_) waiter->offer(event);
  }
  for (Listener* listener : listeners_) listener->on_event(session, event);
}

X11Connection::Call::Call(X11Connection& owner) : owner_(owner) {
  const std::lock_guard lock(owner_.calls_mutex_);
  entry_ = owner_.calls_.insert(owner_.calls_.end(), owner_.options_.now());
}

X11Connection::Call::~Call() {
  const std::lock_guard lock(owner_.calls_mutex_);
  owner_.calls_.erase(entry_);
}

void X11Connection::Call::renew() {
  const std::lock_guard lock(owner_.calls_mutex_);
  *entry_ = owner_.options_.now();
  owner_.calls_.splice(owner_.calls_.end(), owner_.calls_, entry_);  // the oldest stays in front
}

void X11Connection::break_hung(std::int64_t limit_ns) {
  {
    const std::lock_guard lock(calls_mutex_);
    if (calls_.empty() || options_.now() - calls_.front() < limit_ns) return;
  }
  const std::lock_guard lock(mutex_);
  if (session_) session_->shut_down();
}

EventWaiter::EventWaiter(X11Connection& connection, Matches matches)
    : connection_(connection), matches_(std::move(matches)) {
  const std::lock_guard lock(connection_.waiters_mutex_);
  connection_.waiters_.push_back(this);
}

EventWaiter::~EventWaiter() {
  const std::lock_guard lock(connection_.waiters_mutex_);
  std::erase(connection_.waiters_, this);
}

void EventWaiter::offer(const xcb_generic_event_t& event) {
  if (!matches_(event)) return;
  {
    const std::lock_guard lock(mutex_);
    events_.push_back(event);
  }
  arrived_.notify_one();
}

void EventWaiter::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  arrived_.notify_one();
}

std::optional<EventCopy> EventWaiter::wait(const Patience& patience) {
  std::unique_lock lock(mutex_);
  patience.wait(lock, arrived_, [&] { return closed_ || !events_.empty(); });
  if (events_.empty()) return std::nullopt;
  const EventCopy event = events_.front();
  events_.pop_front();
  return event;
}

Result<xcb_timestamp_t> server_time(X11Connection& connection, const SessionPtr& session,
                                    const Patience& patience) {
  const xcb_window_t helper = session->helper();
  const xcb_atom_t atom = session->atom(Atom::GantryTimestamp);
  EventWaiter changed(connection, [=](const xcb_generic_event_t& event) {
    const auto& property = reinterpret_cast<const xcb_property_notify_event_t&>(event);
    return event_type(event) == XCB_PROPERTY_NOTIFY && property.window == helper &&
           property.atom == atom;
  });
  xcb_change_property(session->xcb(), XCB_PROP_MODE_APPEND, helper, atom, XCB_ATOM_INTEGER, 8, 0,
                      nullptr);
  session->flush();
  const auto event = changed.wait(patience.at_most(1s));
  if (event) return reinterpret_cast<const xcb_property_notify_event_t&>(*event).time;
  GANTRY_TRY(patience.check("asking the X server for its time"));
  return connection_lost("asking the X server for its time");
}

}  // namespace gantry::x11
