// SPDX-License-Identifier: Apache-2.0
//
// Result<T> and Error: how every fallible function answers. No exceptions cross a function that
// returns a Result. Values are movable; a Result is used from one thread at a time.
#pragma once

#include <gantry/abi/types.h>

#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace gantry {

/// Canonical error codes (the numbers of gRPC's list), shared by all contracts.
enum class Code : gantry_status {
  Ok = GANTRY_OK,
  Cancelled = GANTRY_CANCELLED,
  Unknown = GANTRY_UNKNOWN,
  InvalidArgument = GANTRY_INVALID_ARGUMENT,
  DeadlineExceeded = GANTRY_DEADLINE_EXCEEDED,
  NotFound = GANTRY_NOT_FOUND,
  AlreadyExists = GANTRY_ALREADY_EXISTS,
  PermissionDenied = GANTRY_PERMISSION_DENIED,
  ResourceExhausted = GANTRY_RESOURCE_EXHAUSTED,
  FailedPrecondition = GANTRY_FAILED_PRECONDITION,
  Aborted = GANTRY_ABORTED,
  OutOfRange = GANTRY_OUT_OF_RANGE,
  Unimplemented = GANTRY_UNIMPLEMENTED,
  Internal = GANTRY_INTERNAL,
  Unavailable = GANTRY_UNAVAILABLE,
  DataLoss = GANTRY_DATA_LOSS,
  Unauthenticated = GANTRY_UNAUTHENTICATED,
};

/// Name of a code as it appears in logs, metrics and JSON, for example "not_found".
constexpr std::string_view code_name(Code code) {
  constexpr std::string_view kNames[] = {
      "ok",
      "cancelled",
      "unknown",
      "invalid_argument",
      "deadline_exceeded",
      "not_found",
      "already_exists",
      "permission_denied",
      "resource_exhausted",
      "failed_precondition",
      "aborted",
      "out_of_range",
      "unimplemented",
      "internal",
      "unavailable",
      "data_loss",
      "unauthenticated",
  };
  const auto index = static_cast<std::size_t>(code);
  return index < std::size(kNames) ? kNames[index] : std::string_view("unknown");
}

/// Why something failed. `message` is a sentence that says what was asked, what was found and what
/// to do next; `detail` is a JSON object for machines, or empty.
struct Error {
  Code code = Code::Unknown;
  std::string message;
  std::string detail;

  /// The same error with words in front: "reading config.yaml: …".
  [[nodiscard]] Error with_context(std::string_view context) const {
    return {code, std::string(context) + ": " + message, detail};
  }
};

inline Error invalid_argument(std::string message) {
  return {Code::InvalidArgument, std::move(message), {}};
}
inline Error not_found(std::string message) { return {Code::NotFound, std::move(message), {}}; }
inline Error failed_precondition(std::string message) {
  return {Code::FailedPrecondition, std::move(message), {}};
}
inline Error internal_error(std::string message) {
  return {Code::Internal, std::move(message), {}};
}

/// Something this machine lacks. `reason` says what is missing, `cure` what would bring it.
inline Error unavailable(std::string_view reason, std::string_view cure = {}) {
  std::string message(reason);
  if (!cure.empty()) {
    message += " (cure: ";
    message += cure;
    message += ')';
  }
  return {Code::Unavailable, std::move(message), {}};
}

/// A value or an Error. Reading the value of a failed Result ends the process: check first.
template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  // Implicit on purpose, so that a function returns either as it is.
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & { return check(), *std::get_if<0>(&state_); }
  const T& value() const& { return check(), *std::get_if<0>(&state_); }
  T&& value() && { return check(), std::move(*std::get_if<0>(&state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  [[nodiscard]] T value_or(T other) const& { return ok() ? value() : std::move(other); }

  /// Valid only when !ok(); otherwise the process ends here rather than going on with rubbish.
  const Error& error() const& {
    const Error* found = std::get_if<1>(&state_);
    if (found == nullptr) std::abort();
    return *found;
  }
  Error&& error() && {
    Error* found = std::get_if<1>(&state_);
    if (found == nullptr) std::abort();
    return std::move(*found);
  }

 private:
  void check() const {
    if (!ok()) std::abort();
  }
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;

  Result() = default;
  Result(Error error) : error_(std::move(error)), ok_(false) {}

  [[nodiscard]] bool ok() const { return ok_; }
  explicit operator bool() const { return ok_; }
  /// As of the other Results: valid only when !ok().
  const Error& error() const& { return check_failed(), error_; }
  Error&& error() && { return check_failed(), std::move(error_); }

 private:
  void check_failed() const {
    if (ok_) std::abort();
  }
  Error error_;
  bool ok_ = true;
};

}  // namespace gantry

#define GANTRY_CONCAT_INNER(a, b) a##b
#define GANTRY_CONCAT(a, b) GANTRY_CONCAT_INNER(a, b)

/// Returns the error of `expression` from the enclosing function, or goes on.
#define GANTRY_TRY(expression)                                          \
  do {                                                                  \
    if (auto gantry_try_result = (expression); !gantry_try_result.ok()) \
      return std::move(gantry_try_result).error();                      \
  } while (false)

/// `GANTRY_ASSIGN(auto file, open(path));` defines or assigns, or returns the error. It is several
/// statements: not for the body of an `if` or `for` without braces.
#define GANTRY_ASSIGN(target, expression) \
  GANTRY_ASSIGN_INNER(GANTRY_CONCAT(gantry_assign_, __LINE__), target, expression)
#define GANTRY_ASSIGN_INNER(temporary, target, expression)  \
  auto temporary = (expression);                            \
  if (!temporary.ok()) return std::move(temporary).error(); \
  target = std::move(temporary).value()
