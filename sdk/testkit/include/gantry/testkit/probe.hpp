// SPDX-License-Identifier: Apache-2.0
//
// Probes: they stand at one contract and keep everything that comes by. All are thread-safe and
// work with a FakeHost (pump, then look) and with a real kernel (wait). They must go before the
// host does.
#pragma once

#include <gantry/host.hpp>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace gantry::testkit {

namespace detail {

/// A list that others append to and a test waits for.
template <class T>
class Collected {
 public:
  void add(T item) {
    const std::lock_guard lock(mutex_);
    items_.push_back(std::move(item));
    grown_.notify_all();
  }
  std::vector<T> all() const {
    const std::lock_guard lock(mutex_);
    return {items_.begin(), items_.end()};
  }
  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return items_.size();
  }
  bool wait(std::size_t count, std::chrono::milliseconds limit) const {
    std::unique_lock lock(mutex_);
    return grown_.wait_for(lock, limit, [&] { return items_.size() >= count; });
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable grown_;
  std::vector<T> items_;
};

}  // namespace detail

inline constexpr std::chrono::milliseconds kProbeLimit{5000};

/// Subscribes to an event and keeps what is published.
template <EventContract C>
class EventProbe {
 public:
  explicit EventProbe(Host& host) {
    auto made = host.bus().subscribe<C>(
        [seen = seen_](const typename C::Event& event) { seen->add(event); });
    if (made.ok()) {
      subscription_ = std::move(*made);
    } else {
      failure_ = made.error().message;
    }
  }
  /// Empty when the subscription stands.
  [[nodiscard]] const std::string& failure() const { return failure_; }
  [[nodiscard]] std::vector<typename C::Event> all() const { return seen_->all(); }
  [[nodiscard]] std::size_t size() const { return seen_->size(); }
  /// Waits for so many events since the beginning; only with a real kernel.
  [[nodiscard]] bool wait(std::size_t count, std::chrono::milliseconds limit = kProbeLimit) const {
    return seen_->wait(count, limit);
  }

 private:
  std::shared_ptr<detail::Collected<typename C::Event>> seen_ =
      std::make_shared<detail::Collected<typename C::Event>>();
  Subscription subscription_;
  std::string failure_;
};

/// Serves a call in place of a plugin, keeps the requests and gives the answers of the test. It
/// keeps serving after it is gone (the bus has no way to stop a server but its plugin's end), with
/// the last answer.
template <CallContract C>
class CallProbe {
 public:
  using Request = typename C::Request;
  using Response = typename C::Response;
  using Answer = std::function<Result<Response>(const Request&)>;

  explicit CallProbe(
      Host& host, Answer answer = [](const Request&) { return Response{}; }) {
    set_answer(std::move(answer));
    const auto served = host.bus().serve<C>([state = state_](const Request& request) {
      state->seen.add(request);
      Answer now;
      {
        const std::lock_guard lock(state->mutex);
        now = state->answer;
      }
      return now(request);
    });
    if (!served.ok()) failure_ = served.error().message;
  }
  [[nodiscard]] const std::string& failure() const { return failure_; }
  void set_answer(Answer answer) {
    const std::lock_guard lock(state_->mutex);
    state_->answer = std::move(answer);
  }
  [[nodiscard]] std::vector<Request> all() const { return state_->seen.all(); }
  [[nodiscard]] std::size_t size() const { return state_->seen.size(); }
  [[nodiscard]] bool wait(std::size_t count, std::chrono::milliseconds limit = kProbeLimit) const {
    return state_->seen.wait(count, limit);
  }

 private:
  struct State {
    std::mutex mutex;
    Answer answer;
    detail::Collected<Request> seen;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
  std::string failure_;
};

/// Serves a call in place of a plugin and keeps the replies: the test answers when it likes, and
/// sees who has given up. It keeps serving after it is gone, as CallProbe does.
template <CallContract C>
class HeldCalls {
 public:
  explicit HeldCalls(Host& host) {
    const auto served = host.bus().serve<C>(
        [held = held_](const Ref<typename C::Request>&, const CallInfo&, Reply<C> reply) {
          held->add(std::make_shared<Reply<C>>(std::move(reply)));
        });
    if (!served.ok()) failure_ = served.error().message;
  }
  [[nodiscard]] const std::string& failure() const { return failure_; }
  [[nodiscard]] std::size_t size() const { return held_->size(); }
  /// The reply to the call that came as the `index`-th, which has come.
  [[nodiscard]] Reply<C>& at(std::size_t index) const { return *held_->all().at(index); }

 private:
  std::shared_ptr<detail::Collected<std::shared_ptr<Reply<C>>>> held_ =
      std::make_shared<detail::Collected<std::shared_ptr<Reply<C>>>>();
  std::string failure_;
};

/// The opening side of a stream: sends chunks and keeps what comes back.
template <StreamContract C>
class StreamProbe {
 public:
  StreamProbe(Host& host, typename C::Opening opening, const StreamOptions& options = {}) {
    StreamHandlers<typename C::Down> handlers;
    handlers.on_chunk = [state = state_](const Ref<typename C::Down>& chunk) {
      state->chunks.add(*chunk);
    };
    handlers.on_end = [state = state_](const Error& error) { state->ends.add(error); };
    auto opened = host.bus().open_stream<C>(std::move(opening), std::move(handlers), options);
    if (opened.ok()) {
      stream_ = std::move(*opened);
    } else {
      state_->ends.add(opened.error());
    }
  }
  [[nodiscard]] Stream<typename C::Up>& stream() { return stream_; }
  [[nodiscard]] std::vector<typename C::Down> all() const { return state_->chunks.all(); }
  [[nodiscard]] bool wait(std::size_t count, std::chrono::milliseconds limit = kProbeLimit) const {
    return state_->chunks.wait(count, limit);
  }
  /// The end, once it has come: one element, Code::Ok when the other side closed normally.
  [[nodiscard]] std::vector<Error> ends() const { return state_->ends.all(); }
  [[nodiscard]] bool wait_for_end(std::chrono::milliseconds limit = kProbeLimit) const {
    return state_->ends.wait(1, limit);
  }

 private:
  struct State {
    detail::Collected<typename C::Down> chunks;
    detail::Collected<Error> ends;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
  Stream<typename C::Up> stream_;
};

}  // namespace gantry::testkit
