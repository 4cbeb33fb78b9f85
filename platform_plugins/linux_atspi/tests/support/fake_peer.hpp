// SPDX-License-Identifier: Apache-2.0
// A scripted accessible application (and registry) on a test bus. It does what no toolkit would
// admit to: hangs, answers with cycles and sentinel boxes, has 100,000 children, dies half-way.
#pragma once

#include "loop.hpp"
#include "node.hpp"

#include <systemd/sd-bus.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace gantry::atspi::testing {

/// One served object. Paths are given without their common prefix: "root", "1", "2".
struct FakeNode {
  std::uint32_t role = 39;  // panel
  std::string name;
  std::uint64_t states = 1ULL << 8 | 1ULL << 24 | 1ULL << 25 | 1ULL << 30;  // shown and enabled
  std::vector<std::string> interfaces{"Accessible", "Component"};
  std::vector<std::string> children;
  std::string parent;
  Bounds box{10, 10, 100, 20};
  std::string text;
  std::string chosen;  ///< Selection: the only selected child; empty: none
  std::string label;   ///< what it is related to as labelled by; empty: nothing
  double value = 0;
};

struct Behaviour {
  std::string toolkit = "gtk";
  std::string version = "3.24.38";
  bool silent = false;                 ///< answers nothing at all
  bool silent_extents = false;         ///< answers all but GetExtents
  int unknown_get_items = 0;           ///< so many GetItems are refused before it works
  bool no_cache = false;               ///< GetItems is always UnknownMethod
  bool old_cache = false;              ///< the pre-2015 signature
  int die_after = -1;                  ///< leaves the bus after so many calls
  std::uint32_t endless_children = 0;  ///< the "list" object claims so many children
};

class FakePeer : private Pollable {
 public:
  /// `registry`: serve org.a11y.atspi.Registry instead of an application.
  FakePeer(const std::string& address, Behaviour behaviour, bool registry = false);
  ~FakePeer() override;

  std::string unique_name() const { return unique_name_; }
  static std::string path_of(const std::string& id);
  /// Adds under `parent` (its child list grows); "" for the root object itself.
  void add(const std::string& id, const std::string& parent, FakeNode node);
  void edit(const std::string& id, const std::function<void(FakeNode&)>& change);
  void behave(const std::function<void(Behaviour&)>& change);
  /// Registry only: the applications that its desktop lists.
  void list_application(const std::string& unique_name);

  void emit(const std::string& id, const char* member, const std::string& detail, int detail1,
            const std::string& text = "", const std::string& object_id = "");
  int calls(const std::string& member) const;

 private:
  int poll_fd() override;
  short poll_events() override;
  TimePoint poll_deadline() override;
  void dispatch() override;
  static int on_message(sd_bus_message* message, void* self, sd_bus_error* error);
  int answer(sd_bus_message* call);
  int answer_registry(sd_bus_message* call, const std::string& member);
  int answer_node(sd_bus_message* call, const std::string& member, const std::string& id);
  int answer_property(sd_bus_message* call, const FakeNode& node, const std::string& id);
  int answer_items(sd_bus_message* call);
  int append_item(sd_bus_message* reply, const std::string& id, const FakeNode& node);
  int append_ref(sd_bus_message* reply, const std::string& id);
  int reply_with(sd_bus_message* call, const std::function<int(sd_bus_message*)>& fill);

  Behaviour behaviour_;
  bool registry_;
  Loop loop_;
  sd_bus* bus_ = nullptr;
  bool open_ = false;
  std::string unique_name_;
  mutable std::mutex mutex_;
  std::map<std::string, FakeNode> nodes_;
  std::vector<std::string> applications_;
  std::map<std::string, int> calls_;
  int total_calls_ = 0;
  std::thread thread_;
};

}  // namespace gantry::atspi::testing
