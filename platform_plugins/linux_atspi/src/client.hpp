// SPDX-License-Identifier: Apache-2.0
// The adapter as other threads see it: one bus thread behind a queue. Every function may be called
// from any thread and returns at once; callbacks run on the bus thread and must not block.
#pragma once

#include "actions.hpp"
#include "change_coalescer.hpp"
#include "config.hpp"
#include "reader.hpp"
#include "session_address.hpp"
#include "tree.hpp"
#include "window_match.hpp"

#include <gantry/result.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace gantry::atspi {

struct BusStatus {
  bool up = false;
  std::string source;  ///< where the bus was found
  std::string reason;  ///< why it is down
  std::string cure;    ///< what would bring it up
  std::size_t applications = 0;
  std::size_t cached_nodes = 0;
  std::string hung;  ///< names of quarantined applications, comma separated
  std::uint64_t calls = 0;
  std::uint64_t signals = 0;
};

class Client {
 public:
  struct Callbacks {
    std::function<void(const Change&)> changed;  ///< coalesced per application and kind
    /// On every up and down, and when the first try finds no bus.
    std::function<void(const BusStatus&)> status;
  };
  using TreeDone = std::function<void(Result<std::shared_ptr<const Tree>>)>;
  using ActDone = std::function<void(Result<Acted>)>;
  using Act = std::function<Task<Result<Acted>>(Actions&)>;

  Client(AtspiConfig config, SessionEnvironment environment, Callbacks callbacks);
  /// Fails what is in flight, then joins the bus thread.
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void read_tree(WindowHint hint, ReadOptions options, TreeDone done);
  /// Runs one of Actions' functions: `act([=](Actions& a) { return a.focus(object); }, …)`.
  void act(Act action, ActDone done);
  /// The bus as it is after one attempt to connect if it is down.
  void probe(std::function<void(const BusStatus&)> done);

 private:
  void on_signal(sd_bus_message* message);
  void on_event(sd_bus_message* message);
  void on_cache_signal(sd_bus_message* message, std::string_view member);
  void on_bus_signal(sd_bus_message* message);
  void announce(const App& app, const Event& event);
  BusStatus status() const;
  Task<Result<Acted>> run_action(Act action);
  Task<BusStatus> run_probe();

  AtspiConfig config_;
  Callbacks callbacks_;
  Loop loop_;
  BusLink link_;
  Directory directory_;
  Reader reader_;
  ChangeCoalescer changes_;
  std::thread thread_;
};

}  // namespace gantry::atspi
