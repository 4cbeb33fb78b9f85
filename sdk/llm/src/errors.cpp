// SPDX-License-Identifier: Apache-2.0
#include <gantry/contract.hpp>
#include <gantry/llm/errors.hpp>

#include <array>

namespace gantry::llm {
namespace {

struct Row {
  Trouble trouble;
  std::string_view kind;
  Code code;
};

constexpr std::array kRows{
    Row{Trouble::NoKey, "no_key", Code::Unauthenticated},
    Row{Trouble::BadKey, "bad_key", Code::Unauthenticated},
    Row{Trouble::UnknownModel, "unknown_model", Code::NotFound},
    Row{Trouble::RateLimit, "rate_limit", Code::ResourceExhausted},
    Row{Trouble::Quota, "quota", Code::ResourceExhausted},
    Row{Trouble::ContextOverflow, "context_overflow", Code::OutOfRange},
    Row{Trouble::BadRequest, "bad_request", Code::InvalidArgument},
    Row{Trouble::Overloaded, "overloaded", Code::Unavailable},
    Row{Trouble::Unreachable, "unreachable", Code::Unavailable},
    Row{Trouble::Timeout, "timeout", Code::DeadlineExceeded},
    Row{Trouble::BrokenStream, "broken_stream", Code::DataLoss},
};

const Row& row_of(Trouble trouble) {
  for (const Row& row : kRows) {
    if (row.trouble == trouble) return row;
  }
  return kRows.back();
}

}  // namespace

std::string_view kind_of(Trouble trouble) { return row_of(trouble).kind; }

std::optional<Trouble> trouble_of(std::string_view kind) {
  for (const Row& row : kRows) {
    if (row.kind == kind) return row.trouble;
  }
  return std::nullopt;
}

Error Failure::error() const {
  const Row& row = row_of(trouble);
  LlmErrorDetail full = detail;
  full.kind = row.kind;
  return {row.code, message, to_json(full)};
}

}  // namespace gantry::llm
