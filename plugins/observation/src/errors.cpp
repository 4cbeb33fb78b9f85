// SPDX-License-Identifier: Apache-2.0
#include "errors.hpp"

#include <algorithm>
#include <array>

#include "json_object.hpp"

namespace gantry::observation {
namespace {

/// Observer contract 1.2, without the HTTP statuses: those belong to the REST protocol.
constexpr std::array<FaultRow, 18> kFaults{{
    {Fault::ElementNotFound, "ElementNotFound", true, "find_element", Code::NotFound},
    {Fault::WindowGone, "WindowGone", true, "list_windows", Code::NotFound},
    {Fault::SnapshotExpired, "SnapshotExpired", true, "", Code::NotFound},
    {Fault::PermissionDenied, "PermissionDenied", false, "", Code::PermissionDenied},
    {Fault::ConfirmationRequired, "ConfirmationRequired", true, "propose_action",
     Code::FailedPrecondition},
    {Fault::ConfirmationInvalid, "ConfirmationInvalid", true, "propose_action",
     Code::FailedPrecondition},
    {Fault::RateLimited, "RateLimited", true, "get_budget_status", Code::ResourceExhausted},
    {Fault::BudgetExceeded, "BudgetExceeded", false, "", Code::ResourceExhausted},
    {Fault::BadRequest, "BadRequest", false, "", Code::InvalidArgument},
    {Fault::ScenarioInvalid, "ScenarioInvalid", false, "", Code::InvalidArgument},
    {Fault::PlatformUnsupported, "PlatformUnsupported", false, "get_capabilities",
     Code::Unavailable},
    {Fault::PredicateUnsupported, "PredicateUnsupported", false, "", Code::Unimplemented},
    {Fault::PatternUnsupported, "PatternUnsupported", true, "click_element", Code::Unimplemented},
    {Fault::Timeout, "Timeout", true, "", Code::DeadlineExceeded},
    {Fault::ElementOccluded, "ElementOccluded", true, "bring_to_foreground",
     Code::FailedPrecondition},
    {Fault::ElementDisabled, "ElementDisabled", true, "wait_for", Code::FailedPrecondition},
    {Fault::WindowOccluded, "WindowOccluded", true, "bring_to_foreground",
     Code::FailedPrecondition},
    {Fault::Internal, "Internal", false, "", Code::Internal},
}};

/// What an adapter's canonical code means to a client of the observer.
constexpr std::array<std::pair<Code, Fault>, 8> kFromCanonical{{
    {Code::InvalidArgument, Fault::BadRequest},
    {Code::OutOfRange, Fault::BadRequest},
    {Code::NotFound, Fault::WindowGone},
    {Code::PermissionDenied, Fault::PermissionDenied},
    {Code::DeadlineExceeded, Fault::Timeout},
    {Code::FailedPrecondition, Fault::WindowOccluded},
    {Code::Unavailable, Fault::PlatformUnsupported},
    {Code::Unimplemented, Fault::PlatformUnsupported},
}};

}  // namespace

const FaultRow& fault_row(Fault fault) {
  return *std::find_if(kFaults.begin(), kFaults.end(),
                       [fault](const FaultRow& row) { return row.fault == fault; });
}

Failure failure(Fault fault, std::string message, FaultContext context) {
  JsonObject members;
  for (const auto& [key, value] : context) {
    if (!value.empty()) members.add(key, value);
  }
  return {fault, std::move(message), members.text(), nullptr};
}

Failure failure_from(const Error& error) {
  const auto* const row =
      std::find_if(kFromCanonical.begin(), kFromCanonical.end(),
                   [&](const auto& entry) { return entry.first == error.code; });
  const Fault fault = row != kFromCanonical.end() ? row->second : Fault::Internal;
  return {fault, error.message, "{}", nullptr};
}

}  // namespace gantry::observation
