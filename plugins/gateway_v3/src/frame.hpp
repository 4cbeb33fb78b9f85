// SPDX-License-Identifier: Apache-2.0
#pragma once
// Frames of the wire: requests in, answers and events out. Any thread.

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <gantry/result.hpp>

namespace gantry::gateway {

/// The codes of the protocol.
namespace wire {
inline constexpr std::string_view kInvalidRequest = "INVALID_REQUEST";
inline constexpr std::string_view kUnavailable = "UNAVAILABLE";
inline constexpr std::string_view kUnauthorized = "UNAUTHORIZED";
inline constexpr std::string_view kNotFound = "NOT_FOUND";
inline constexpr std::string_view kAlreadyExists = "ALREADY_EXISTS";
inline constexpr std::string_view kResourceExhausted = "RESOURCE_EXHAUSTED";
inline constexpr std::string_view kFailedPrecondition = "FAILED_PRECONDITION";
inline constexpr std::string_view kInternal = "INTERNAL";
inline constexpr std::string_view kTenantRevoked = "TENANT_ACCESS_REVOKED";
}  // namespace wire

/// A code of the bus in the protocol's words.
std::string_view wire_code(Code code);

/// One request.
struct Frame {
  boost::json::value id;  // text or number, as it came; "" when there was none
  std::string method;
  boost::json::object params;
  bool params_are_object = true;  // or missing
};

/// A request, or why it is none; `id` is what the refusal answers to.
struct Decoded {
  std::optional<Frame> frame;
  boost::json::value id;
  std::string refusal;
};

/// Reads one message. Whatever comes, the socket stays open.
Decoded decode(std::string_view text);

/// What a request is answered with.
struct Answer {
  bool ok = true;
  boost::json::value payload;  // an object; null: there is none
  std::string code;
  std::string message;
};

inline Answer fine(boost::json::value payload) { return {true, std::move(payload), {}, {}}; }
inline Answer refused(std::string_view code, std::string message) {
  return {false, nullptr, std::string(code), std::move(message)};
}
/// A failure of a contract.
Answer failed(const Error& error);

std::string write_answer(const boost::json::value& id, const Answer& answer);
/// `seq`, where there is one, is a member of the frame. A null payload is left out.
std::string write_event(std::string_view name, const boost::json::value& payload,
                        std::optional<std::uint64_t> seq = std::nullopt);
/// The same with a payload that is JSON text already; empty: none.
std::string write_event_of(std::string_view name, std::string_view payload,
                           std::optional<std::uint64_t> seq);

}  // namespace gantry::gateway
