// SPDX-License-Identifier: Apache-2.0
#include "regex.hpp"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <fmt/format.h>
#include <pcre2.h>

#include <array>

namespace gantry::mock {
namespace {

constexpr std::uint32_t kMatchLimit = 100'000;  // about 10 ms of backtracking
constexpr std::uint32_t kHeapLimitKib = 1024;
constexpr std::size_t kMaxExpression = 4096;
constexpr std::uint32_t kOptions =
    PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C | PCRE2_ANCHORED | PCRE2_ENDANCHORED;

struct FreeCode {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
};
struct FreeContext {
  void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
};
struct FreeData {
  void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
};

}  // namespace

struct Regex::Code {
  std::unique_ptr<pcre2_code, FreeCode> compiled;
};

Result<Regex> Regex::compile(std::string_view expression) {
  if (expression.size() > kMaxExpression) {
    return invalid_argument(fmt::format("the expression has {} bytes, more than {}",
                                        expression.size(), kMaxExpression));
  }
  int error = 0;
  PCRE2_SIZE offset = 0;
  auto code = std::make_shared<Code>();
  code->compiled.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(expression.data()),
                                     expression.size(), kOptions, &error, &offset, nullptr));
  if (code->compiled == nullptr) {
    std::array<PCRE2_UCHAR, 128> reason{};
    pcre2_get_error_message(error, reason.data(), reason.size());
    return invalid_argument(
        fmt::format("{} at character {}", reinterpret_cast<const char*>(reason.data()), offset));
  }
  return Regex(std::move(code));
}

std::optional<std::string> Regex::match(std::string_view text) const {
  const std::unique_ptr<pcre2_match_data, FreeData> data(
      pcre2_match_data_create_from_pattern(code_->compiled.get(), nullptr));
  const std::unique_ptr<pcre2_match_context, FreeContext> limits(
      pcre2_match_context_create(nullptr));
  if (data == nullptr || limits == nullptr) return std::nullopt;
  pcre2_set_match_limit(limits.get(), kMatchLimit);
  pcre2_set_heap_limit(limits.get(), kHeapLimitKib);
  const int groups = pcre2_match(code_->compiled.get(), reinterpret_cast<PCRE2_SPTR>(text.data()),
                                 text.size(), 0, 0, data.get(), limits.get());
  if (groups < 0) return std::nullopt;
  std::uint32_t count = 0;
  pcre2_pattern_info(code_->compiled.get(), PCRE2_INFO_CAPTURECOUNT, &count);
  if (count == 0) return std::string(text);
  const PCRE2_SIZE* bounds = pcre2_get_ovector_pointer(data.get());
  // A group that took no part in the match stands for nothing.
  if (groups < 2 || bounds[2] == PCRE2_UNSET) return std::string();
  return std::string(text.substr(bounds[2], bounds[3] - bounds[2]));
}

}  // namespace gantry::mock
