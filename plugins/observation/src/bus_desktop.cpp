// SPDX-License-Identifier: Apache-2.0
#include "bus_desktop.hpp"

namespace gantry::observation {
namespace {

/// False when the work threw: the waiting tool must hear of it, or it would wait for ever.
bool run_guarded(const std::function<void()>& work) {
  try {
    work();
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace

template <CallContract C>
Task<Answer<typename C::Response>> BusDesktop::call(typename C::Request request) {
  using Reply = Answer<typename C::Response>;
  co_return co_await completion<Reply>(
      [this, &request](auto done) { host_.bus().call<C>(std::move(request), std::move(done)); });
}

/// A drag may take half of it, and a text of many pages must not hold the keyboard for ever.
constexpr auto kLongestAct = std::chrono::seconds(60);

/// The same, out of reach of the caller's cancellation.
template <CallContract C>
Task<Answer<typename C::Response>> BusDesktop::call_through(typename C::Request request) {
  using Reply = Answer<typename C::Response>;
  co_return co_await completion<Reply>([this, &request](auto done) {
    const ContextScope scope = host_.enter(undisturbed_);
    CallOptions options;
    options.timeout = kLongestAct;
    host_.bus().call<C>(std::move(request), std::move(done), options);
  });
}

/// Keys and pointer, which stop when the caller gives up: their providers let go of whatever they
/// hold down, and nothing is pressed for somebody who is not there any more.
template <CallContract C>
Task<Answer<typename C::Response>> BusDesktop::input(typename C::Request request) {
  using Reply = Answer<typename C::Response>;
  co_return co_await completion<Reply>([this, &request](auto done) {
    CallOptions options;
    options.timeout = kLongestAct;
    host_.bus().call<C>(std::move(request), std::move(done), options);
  });
}

Task<Answer<WindowList>> BusDesktop::windows() { return call<ListWindows>({}); }
Task<Answer<WindowList>> BusDesktop::all_windows() {
  return call<ListWindows>({.include_transient = true});
}
Task<Answer<ActivateWindowResult>> BusDesktop::activate(ActivateWindowRequest request) {
  return call_through<ActivateWindow>(std::move(request));
}
Task<Answer<MonitorList>> BusDesktop::monitors() { return call<ListMonitors>({}); }
Task<Answer<A11yTree>> BusDesktop::tree(A11yTreeRequest request) {
  return call<GetA11yTree>(std::move(request));
}
Task<Answer<Capture>> BusDesktop::capture(CaptureRequest request) {
  return call<CaptureScreen>(std::move(request));
}
Task<Answer<OcrResult>> BusDesktop::read_text(OcrRequest request) {
  return call<OcrRead>(std::move(request));
}
Task<Answer<VisionDetectResult>> BusDesktop::detect(VisionDetectRequest request) {
  return call<VisionDetect>(std::move(request));
}
Task<Answer<VisionDescription>> BusDesktop::describe(VisionDescribeRequest request,
                                                     std::int64_t limit_ns) {
  using Reply = Answer<VisionDescription>;
  co_return co_await completion<Reply>([this, &request, limit_ns](auto done) {
    CallOptions options;
    options.timeout = Duration(limit_ns);
    host_.bus().call<VisionDescribe>(std::move(request), std::move(done), options);
  });
}
Task<Answer<A11yActionResult>> BusDesktop::act(A11yActionRequest request) {
  return call_through<A11yAction>(std::move(request));
}
Task<Answer<InputReceipt>> BusDesktop::pointer(PointerRequest request) {
  return input<PointerInput>(std::move(request));
}
Task<Answer<InputReceipt>> BusDesktop::key(KeyRequest request) {
  return input<KeyInput>(std::move(request));
}
Task<Answer<InputReceipt>> BusDesktop::type(TextRequest request) {
  return input<TextInput>(std::move(request));
}
Task<Answer<PluginInfoList>> BusDesktop::plugins() { return call<KernelPlugins>({}); }
Task<Answer<ScenarioReport>> BusDesktop::load_scenario(LoadScenarioRequest request) {
  return call_through<LoadScenario>(std::move(request));
}
Task<Answer<ScenarioReport>> BusDesktop::scenario() { return call<ScenarioState>({}); }

Task<Result<void>> BusDesktop::offload(std::function<void()> work) {
  co_return co_await completion<Result<void>>([this, &work](auto done) {
    offloads_.add([this, &work, done] {
      host_.blocking([this, &work, done]() mutable {
        const bool finished = run_guarded(work);
        host_.post([this, done, finished]() mutable {
          offloads_.over();
          done(finished ? Result<void>() : Error{Code::ResourceExhausted, "out of memory", {}});
        });
      });
    });
  });
}

std::uint64_t BusDesktop::start_timer(std::int64_t delay_ns, std::function<void()> work) {
  const std::uint64_t id = ++last_timer_;
  timers_[id] = host_.after(Duration(delay_ns), [this, id, work = std::move(work)]() mutable {
    // The timer's closure must not be destroyed while it runs.
    const std::function<void()> now = std::move(work);
    timers_.erase(id);
    now();
  });
  return id;
}

}  // namespace gantry::observation
