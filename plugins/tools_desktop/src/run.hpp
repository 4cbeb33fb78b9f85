// SPDX-License-Identifier: Apache-2.0
#pragma once
// One call of a tool while it runs: it looks and acts through the observer, asks its user, waits,
// and stops when its caller gives up. Strand only.

#include <gantry/contracts/app.hpp>
#include <gantry/host.hpp>
#include <gantry/task.hpp>
#include <gantry/tools/tool_server.hpp>

#include <boost/json/object.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "answers.hpp"
#include "candidates.hpp"
#include "parameters.hpp"
#include "settings.hpp"

namespace gantry::desk {

/// What all runs have in common.
struct Desk {
  explicit Desk(Host& h) : host(h), undisturbed(h.context()) {}
  Host& host;
  Context undisturbed;  ///< No caller's: for what has to be done whoever gives up.
  Settings settings;
  Candidates candidates;
  std::uint64_t calls = 0;  ///< Numbers calls for the guard.
  /// Processes that were started and ended, the newest last; a bounded memory.
  std::deque<AppEndedEvent> ended;
};

class Run : public std::enable_shared_from_this<Run> {
 public:
  Run(Desk& desk, tools::CallPtr call, Arguments given)
      : arguments(std::move(given)),
        desk_(desk),
        call_(std::move(call)),
        context_(desk.host.context()) {}

  const Arguments arguments;

  [[nodiscard]] Desk& desk() const { return desk_; }
  [[nodiscard]] const Settings& settings() const { return desk_.settings; }
  [[nodiscard]] const ToolCallRequest& request() const { return call_->request(); }
  [[nodiscard]] bool cancelled() const { return cancelled_; }
  [[nodiscard]] std::int64_t now_ms() const { return desk_.host.monotonic_ns() / 1'000'000; }

  /// Runs a tool of the observer. Where the guard wants a confirmation the user is asked, and with
  /// a yes the act is proposed and carried out. What cannot be asked for is a Seen too.
  Task<Seen> observe(std::string tool, boost::json::object arguments);
  /// The same for one that takes its time, at most so many milliseconds.
  Task<Seen> observe(std::string tool, boost::json::object arguments, std::int64_t limit_ms);

  /// Calls a contract; Cancelled once the caller has given up.
  template <CallContract C>
  Task<Result<Ref<typename C::Response>>> call(typename C::Request request, CallOptions options) {
    using Reply = Result<Ref<typename C::Response>>;
    if (cancelled_) co_return Error{Code::Cancelled, "the caller gave up", {}};
    co_return co_await completion<Reply>([this, &request, &options](auto done) {
      const auto self = shared_from_this();
      const ContextScope scope = desk_.host.enter(context_);
      // It may complete at once; then nothing of the coroutine is left behind this.
      CallHandle handle =
          self->desk_.host.bus().call<C>(std::move(request), std::move(done), options);
      self->handle_ = handle;
    });
  }

  /// Asks the user for consent; false with the reason in `why_not`.
  Task<bool> consent(std::string question, std::string& why_not);
  /// Waits so long, less when woken() or when the caller gives up.
  Task<bool> pause(std::int64_t ms);

  void progress(std::string message) { call_->progress(std::move(message)); }
  /// Something happened on the desktop that a pause may wait for.
  void woken();
  void cancel();

 private:
  Task<Seen> ask_observer(std::string tool, boost::json::object arguments, std::int64_t limit_ms);

  Desk& desk_;
  tools::CallPtr call_;
  Context context_;
  CallHandle handle_;
  Timer timer_;
  std::function<void(bool)> wake_;
  bool cancelled_ = false;
};

}  // namespace gantry::desk
