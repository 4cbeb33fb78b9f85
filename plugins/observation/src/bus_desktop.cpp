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

Task<Answer<WindowList>> BusDesktop::windows() { return call<ListWindows>({}); }
Task<Answer<MonitorList>> BusDesktop::monitors() { return call<ListMonitors>({}); }
Task<Answer<A11yTree>> BusDesktop::tree(A11yTreeRequest request) {
  return call<GetA11yTree>(std::move(request));
}
Task<Answer<Capture>> BusDesktop::capture(CaptureRequest request) {
  return call<CaptureScreen>(std::move(request));
}
Task<Answer<InputReceipt>> BusDesktop::pointer(PointerRequest request) {
  return call<PointerInput>(std::move(request));
}
Task<Answer<InputReceipt>> BusDesktop::key(KeyRequest request) {
  return call<KeyInput>(std::move(request));
}
Task<Answer<InputReceipt>> BusDesktop::type(TextRequest request) {
  return call<TextInput>(std::move(request));
}
Task<Answer<PluginInfoList>> BusDesktop::plugins() { return call<KernelPlugins>({}); }

Task<Result<void>> BusDesktop::offload(std::function<void()> work) {
  co_return co_await completion<Result<void>>([this, &work](auto done) {
    host_.blocking([this, &work, done]() mutable {
      const bool finished = run_guarded(work);
      host_.post([done, finished]() mutable {
        done(finished ? Result<void>() : Error{Code::ResourceExhausted, "out of memory", {}});
      });
    });
  });
}

}  // namespace gantry::observation
