// SPDX-License-Identifier: Apache-2.0
#pragma once
// Parameters of a request, under any of the names that deployed clients give them. Any thread.

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gantry::gateway {

/// The names of one parameter, the usual one first.
class Names {
 public:
  template <class... T>
    requires(std::convertible_to<T, std::string_view> && ...)
  constexpr Names(T... names)  // implicit: most parameters have one name
      : names_{std::string_view(names)...}, count_(sizeof...(T)) {}

  [[nodiscard]] constexpr const std::string_view* begin() const { return names_.data(); }
  [[nodiscard]] constexpr const std::string_view* end() const { return names_.data() + count_; }

 private:
  std::array<std::string_view, 4> names_;
  std::size_t count_;
};

/// The first of these that is there and not null; nullptr: none is.
const boost::json::value* find(const boost::json::object& in, Names names);
/// Empty when it is missing or no text.
std::string text(const boost::json::object& in, Names names);
/// Text that may be empty; nothing when it is missing or no text.
std::optional<std::string> given_text(const boost::json::object& in, Names names);
std::optional<std::int64_t> integer(const boost::json::object& in, Names names);
std::optional<bool> flag(const boost::json::object& in, Names names);
/// nullptr when it is missing or no object.
const boost::json::object* object(const boost::json::object& in, Names names);

// Parameters that have several names.
inline constexpr Names kAgent{"agentId", "agent_key", "agent_id", "agentKey"};
inline constexpr Names kSession{"sessionKey", "session_key", "key"};
inline constexpr Names kMessage{"message", "text"};
inline constexpr Names kRun{"runId", "run_id"};
inline constexpr Names kSender{"senderId", "sender_id", "id"};
inline constexpr Names kJob{"jobId", "job_id", "id"};

}  // namespace gantry::gateway
