// SPDX-License-Identifier: Apache-2.0
//
// Desktop: every ability of the adapter as functions from contract requests to contract answers.
// Thread safe; all of them may block for some round trips.
#pragma once

#include "capture.hpp"
#include "clipboard.hpp"
#include "keyboard.hpp"
#include "pointer.hpp"
#include "settings.hpp"
#include "window_watch.hpp"
#include "wire.hpp"

#include <gantry/contracts/clipboard.hpp>

#include <functional>

namespace gantry::x11 {

class Desktop {
 public:
  struct Events {
    WindowWatch::Report window_changed;
    /// The connection came or went; probe() says which. On the connection's thread.
    std::function<void()> connection_changed;
  };
  Desktop(const Settings& settings, MonotonicClock now, Events events);
  ~Desktop();
  Desktop(const Desktop&) = delete;
  Desktop& operator=(const Desktop&) = delete;

  void start();
  /// Lets acts under way end and takes back what they changed, for which a server that hangs gets
  /// `patience` at most. [may block]
  void stop(std::chrono::nanoseconds patience = std::chrono::seconds(1));
  /// Upkeep: breaks a hung connection.
  void watch_over();
  /// Upkeep that may block: spare keycodes whose time is over.
  void maintain() { keyboard_.maintain(); }
  void trim_memory() { capture_.trim(); }

  Result<gantry::WindowList> list_windows(const ListWindowsRequest& request,
                                          const Patience& patience);
  Result<ActivateWindowResult> activate(const ActivateWindowRequest& request,
                                        const Patience& patience);
  Result<MonitorList> list_monitors(const Nothing& request, const Patience& patience);
  Result<Capture> capture(const CaptureRequest& request, const Patience& patience);
  Result<InputReceipt> pointer(const PointerRequest& request, const Patience& patience);
  Result<InputReceipt> key(const KeyRequest& request, const Patience& patience);
  Result<InputReceipt> text(const TextRequest& request, const Patience& patience);
  Result<ClipboardContent> clipboard_get(const Nothing& request, const Patience& patience);
  Result<Done> clipboard_set(const ClipboardSetRequest& request, const Patience& patience);
  Result<ProbeReport> probe(const Nothing& request, const Patience& patience);

 private:
  class ConnectionNotice;
  Result<InputReceipt> receipt_of(const Result<KeyboardOutcome>& outcome);

  const std::int64_t hang_limit_ns_;
  bool stopped_ = false;
  X11Connection connection_;
  ScreenCapture capture_;
  Keyboard keyboard_;
  Pointer pointer_;
  Clipboard clipboard_;
  WindowNames names_;
  WindowWatch watch_;
  std::unique_ptr<ConnectionNotice> notice_;
};

}  // namespace gantry::x11
