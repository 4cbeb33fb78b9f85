// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tasks whose calls can be given up, because nobody waits for what they would answer. Strand only.

#include <gantry/ask.hpp>

#include <chrono>
#include <memory>
#include <utility>

namespace gantry {

/// What a task is on its way for. Shared by the task and by who may give it up.
class Errand {
 public:
  /// Cancels the call that the task waits for. That and all later ones end with `cancelled`.
  void give_up() {
    given_up_ = true;
    std::exchange(call_, {}).cancel();
  }
  [[nodiscard]] bool given_up() const { return given_up_; }
  void waits_for(CallHandle call) { call_ = call; }

 private:
  CallHandle call_;
  bool given_up_ = false;
};
using ErrandPtr = std::shared_ptr<Errand>;

/// For work whose limit is that of who asked for it: the deadline that is inherited.
inline constexpr Duration kCallersLimit = std::chrono::hours(24);

/// As ask(), until `errand` is given up, or for so long; 0: as the host does usually.
template <CallContract C>
auto ask(Host& host, const ErrandPtr& errand, typename C::Request&& request,
         Duration limit = Duration{0}) {
  using Answer = Result<Ref<typename C::Response>>;
  return completion<Answer>([&host, errand, limit,
                             request = std::move(request)](auto done) mutable {
    // `done` may run before the call returns, and then nothing of this is left.
    const ErrandPtr mine = errand;  // NOLINT(performance-unnecessary-copy-initialization): outlives
    if (mine->given_up()) return done(Answer(Error{Code::Cancelled, "given up", {}}));
    auto taken = std::move(request);
    CallOptions options;
    options.timeout = limit;
    mine->waits_for(host.bus().call<C>(std::move(taken), std::move(done), options));
  });
}

}  // namespace gantry
