// SPDX-License-Identifier: Apache-2.0
// Building the calls of fetch*.cpp: addressing a node and storing what it answers. Private to them.
#pragma once

#include "app.hpp"
#include "bus.hpp"

#include <functional>
#include <utility>

namespace gantry::atspi {

inline constexpr const char* kAccessible = "org.a11y.atspi.Accessible";
inline constexpr const char* kAction = "org.a11y.atspi.Action";
inline constexpr const char* kApplication = "org.a11y.atspi.Application";
inline constexpr const char* kComponent = "org.a11y.atspi.Component";
inline constexpr const char* kSelection = "org.a11y.atspi.Selection";
inline constexpr const char* kText = "org.a11y.atspi.Text";
inline constexpr const char* kValue = "org.a11y.atspi.Value";

inline Call method(const ObjectRef& object, const char* interface, const char* member,
                   std::function<void(const CallResult&)> done) {
  Call call;
  call.destination = object.bus;
  call.path = object.path;
  call.interface = interface;
  call.member = member;
  call.done = std::move(done);
  return call;
}

/// `store(node, value)` with the decoded answer, if the node still exists; `parts` are made stale
/// again when there is no usable answer. An object that is gone takes its subtree with it.
template <class Decode, class Store>
std::function<void(const CallResult&)> into(App& app, NodeIndex index, unsigned parts,
                                            Decode decode, Store store) {
  return [&app, handle = app.model.handle(index), parts, decode, store](const CallResult& answer) {
    NodeRecord* node = app.model.get(handle);
    if (node == nullptr) return;
    if (answer.failure == CallFailure::kNone) {
      auto value = decode(answer.reply);
      if (value) {
        store(*node, std::move(*value));
        return;
      }
    }
    // "Unknown method" is an answer: the object does not have this, now or at the next try. Only
    // child lists are asked for again: a starting application has none for a moment.
    const bool unanswered =
        answer.failure == CallFailure::kTimeout || answer.failure == CallFailure::kCancelled ||
        answer.failure == CallFailure::kDisconnected || (parts & kFreshChildren) != 0;
    if (unanswered) node->stale(parts);
  };
}

}  // namespace gantry::atspi
