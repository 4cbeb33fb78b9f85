// SPDX-License-Identifier: Apache-2.0
#pragma once
// Failures of tools in the observer protocol's terms (observer contract 1.2).

#include <gantry/result.hpp>

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace gantry::observation {

enum class Fault {
  ElementNotFound,
  WindowGone,
  SnapshotExpired,
  PermissionDenied,
  ConfirmationRequired,
  ConfirmationInvalid,
  RateLimited,
  BudgetExceeded,
  BadRequest,
  ScenarioInvalid,
  PlatformUnsupported,
  PredicateUnsupported,
  PatternUnsupported,
  Timeout,
  ElementOccluded,
  ElementDisabled,
  WindowOccluded,
  Internal,
};

struct FaultRow {
  Fault fault;
  std::string_view name;  ///< On the wire.
  bool recoverable;
  std::string_view suggested_tool;  ///< Empty: null on the wire.
  Code canonical;
};
[[nodiscard]] const FaultRow& fault_row(Fault fault);

class JsonObject;

/// Why a tool failed. `context` is the JSON text of an object. `members`, if any, stand beside the
/// error in the answer: the receipt of an act that failed half way, the time that was waited.
struct Failure {
  Fault fault = Fault::Internal;
  std::string message;
  std::string context = "{}";
  std::shared_ptr<const JsonObject> members = nullptr;
};

/// Entries with an empty value are left out, as the protocol drops them.
using FaultContext = std::initializer_list<std::pair<std::string_view, std::string_view>>;

[[nodiscard]] Failure failure(Fault fault, std::string message, FaultContext context = {});

/// An adapter's error in the protocol's terms: keeps its words, maps its canonical code.
[[nodiscard]] Failure failure_from(const Error& error);

/// A value, or why there is none.
template <class T>
class [[nodiscard]] Outcome {
 public:
  Outcome(T value) : state_(std::in_place_index<0>, std::move(value)) {}    // NOLINT: implicit
  Outcome(Failure why) : state_(std::in_place_index<1>, std::move(why)) {}  // NOLINT: implicit

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  T& operator*() { return std::get<0>(state_); }
  const T& operator*() const { return std::get<0>(state_); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  [[nodiscard]] const Failure& failure() const { return std::get<1>(state_); }

 private:
  std::variant<T, Failure> state_;
};

}  // namespace gantry::observation
