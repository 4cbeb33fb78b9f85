// SPDX-License-Identifier: Apache-2.0
#include "desktop.hpp"

#include <gantry/plugin.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>

namespace gantry::x11 {
namespace {

constexpr Duration kUpkeepPeriod = std::chrono::seconds(5);

class X11Plugin final : public Plugin {
 public:
  using Plugin::Plugin;

  Result<void> init() override {
    GANTRY_ASSIGN(settings_, parse_settings(host().config_json()));
    desktop_ = std::make_unique<Desktop>(
        settings_, [this] { return host().monotonic_ns(); },
        Desktop::Events{[this](WindowChange change, xcb_window_t window, std::uint64_t serial) {
                          host().bus().publish<WindowChanged>({change, to_handle(window), serial},
                                                              {.key = window});
                        },
                        [this] { host().blocking([this] { report(); }); }});
    GANTRY_TRY(serve<ListWindows>(&Desktop::list_windows));
    GANTRY_TRY(serve<ActivateWindow>(&Desktop::activate));
    GANTRY_TRY(serve<ListMonitors>(&Desktop::list_monitors));
    GANTRY_TRY(serve<CaptureScreen>(&Desktop::capture));
    GANTRY_TRY(serve<PointerInput>(&Desktop::pointer));
    GANTRY_TRY(serve<KeyInput>(&Desktop::key));
    GANTRY_TRY(serve<TextInput>(&Desktop::text));
    GANTRY_TRY(serve<ClipboardGet>(&Desktop::clipboard_get));
    GANTRY_TRY(serve<ClipboardSet>(&Desktop::clipboard_set));
    return serve<PlatformProbe>(&Desktop::probe);
  }

  Result<void> start() override {
    // A machine without a display is no reason to fail: the adapter scores 0, says why, and
    // connects when an X server comes.
    desktop_->start();
    report();
    upkeep_ = host().every(kUpkeepPeriod, [this] {
      desktop_->watch_over();
      host().blocking([this] { desktop_->maintain(); });
    });
    return {};
  }

  void stop(Deadline deadline) override {
    stopping_ = true;  // acts under way end, and let go of what they hold
    upkeep_ = Timer();
    trim_ = Timer();
    // Half of what is left is for whatever has to be ended after this.
    const std::int64_t left = std::max<std::int64_t>(deadline.at_ns - host().monotonic_ns(), 0);
    desktop_->stop(std::min<std::chrono::nanoseconds>(std::chrono::seconds(1),
                                                      std::chrono::nanoseconds(left / 2)));
  }

 private:
  /// Every answer takes round trips to the X server, so the work leaves the strand.
  template <CallContract C>
  Result<void> serve(Result<typename C::Response> (Desktop::*work)(const typename C::Request&,
                                                                   const Patience&)) {
    return host().bus().serve<C>([this, work](const Ref<typename C::Request>& request,
                                              const CallInfo& info, gantry::Reply<C> reply) {
      if constexpr (std::is_same_v<C, CaptureScreen>) {
        trim_ = host().after(std::chrono::milliseconds(settings_.capture_idle),
                             [this] { host().blocking([this] { desktop_->trim_memory(); }); });
      }
      host().blocking([this, work, request, deadline = info.deadline,
                       answer = std::make_shared<gantry::Reply<C>>(std::move(reply))] {
        const Patience patience([this] { return host().monotonic_ns(); }, deadline.at_ns,
                                [this, answer] { return stopping_ || answer->cancelled(); });
        (*answer)((desktop_.get()->*work)(*request, patience));
      });
    });
  }

  /// Tells the host how suitable this machine is now.
  void report() {
    const auto probed =
        desktop_->probe({}, Patience([this] { return host().monotonic_ns(); }, Patience::kForever));
    if (!probed) return;
    host().bus().set_suitability(probed->score, probed->reason);
    if (probed->score > 0) {
      host().healthy("display");
    } else {
      host().degraded("display", probed->reason, probed->cure);
    }
  }

  Settings settings_;
  std::atomic<bool> stopping_ = false;
  std::unique_ptr<Desktop> desktop_;
  Timer upkeep_;
  Timer trim_;
};

}  // namespace
}  // namespace gantry::x11

GANTRY_PLUGIN(gantry::x11::X11Plugin, "linux_x11", "0.1.0")
