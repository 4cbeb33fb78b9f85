// SPDX-License-Identifier: Apache-2.0
//
// Clipboard: the CLIPBOARD selection as text (ICCCM section 2). Reading converts the owner's text,
// in pieces when it is large (INCR); writing makes us the owner and serves it for as long as nobody
// else takes it.
#pragma once

#include "connection.hpp"

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace gantry::x11 {

struct ClipboardText {
  std::string text;                  // UTF-8
  std::vector<std::string> targets;  // formats that the owner offers
};

/// Thread safe; requests of other programs are served on the connection's thread.
class Clipboard final : public Listener {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;

  explicit Clipboard(X11Connection& connection) : connection_(connection) {}

  /// Errors: not_found (empty, or no text in it: the message lists what it holds),
  /// deadline_exceeded (the owner does not answer), aborted (the owner left in the middle),
  /// resource_exhausted (> 64 MiB). [may block: as long as the owner takes, at most 3 s for each
  /// piece]
  Result<ClipboardText> get(const Patience& patience);
  /// Errors: invalid_argument (not UTF-8), aborted (another program took it at once), unavailable.
  Result<void> set(std::string_view utf8, const Patience& patience);

  void on_connected(const SessionPtr& session) override;
  void on_lost() override;
  void on_event(const SessionPtr& session, const xcb_generic_event_t& event) override;

 private:
  using Bytes = std::shared_ptr<const std::string>;
  struct Transfer {
    xcb_window_t requestor;
    xcb_atom_t property;
    xcb_atom_t type;
    Bytes data;
    std::size_t sent = 0;
  };
  Result<std::string> convert(const SessionPtr& session, xcb_atom_t target, std::string_view what,
                              const Patience& patience, xcb_atom_t* type);
  Result<std::string> receive_in_pieces(const SessionPtr& session, EventWaiter& arrived,
                                        const Patience& patience, xcb_atom_t* type);
  std::vector<xcb_atom_t> offered(const Session& session) const;
  bool write_target(const Session& session, xcb_window_t requestor, xcb_atom_t target,
                    xcb_atom_t property);
  bool write_multiple(const Session& session, const xcb_selection_request_event_t& request);
  void write_bytes(const Session& session, xcb_window_t requestor, xcb_atom_t property,
                   xcb_atom_t type, Bytes data);
  void answer(const Session& session, const xcb_selection_request_event_t& request);
  void continue_transfer(const Session& session, const xcb_property_notify_event_t& deleted);

  X11Connection& connection_;
  std::mutex reading_;        // one get at a time: they share the transfer property
  mutable std::mutex mutex_;  // what follows
  Bytes text_;                // ours, while we own the selection
  Bytes latin1_;              // the same as STRING, null when it does not fit
  xcb_timestamp_t owned_since_ = 0;
  std::list<Transfer> transfers_;
};

}  // namespace gantry::x11
