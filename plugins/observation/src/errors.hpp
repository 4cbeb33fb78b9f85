// SPDX-License-Identifier: Apache-2.0
#pragma once
// Errors of the observer protocol: a canonical status for every caller, and in `detail` the
// protocol's own code with its context: {"code":"WindowGone","context":{…}}.

#include <gantry/result.hpp>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace gantry::observation {

/// The codes this engine raises (observer contract 1.2); their wire form belongs to the protocols.
enum class Fault {
  ElementNotFound,
  WindowGone,
  BadRequest,
  PermissionDenied,
  PlatformUnsupported,
  ElementOccluded,
  Timeout,
  Internal,
};

/// One context entry; empty values are left out, as the protocol drops them.
using FaultContext = std::initializer_list<std::pair<std::string_view, std::string_view>>;

[[nodiscard]] Error fault(Fault code, std::string message, FaultContext context = {});

/// The protocol's name of a fault, "WindowGone".
[[nodiscard]] std::string_view fault_name(Fault code);

/// An error of an adapter in the protocol's terms: keeps its words, maps its canonical code.
[[nodiscard]] Error fault_from(const Error& error);

}  // namespace gantry::observation
