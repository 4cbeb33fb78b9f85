// SPDX-License-Identifier: Apache-2.0
#include <gantry/pattern.hpp>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <fmt/format.h>
#include <pcre2.h>

#include <algorithm>
#include <array>

namespace gantry {
namespace {

constexpr std::uint32_t kMatchLimit = 100'000;  // about 10 ms of backtracking
constexpr std::uint32_t kHeapLimitKib = 1024;

}  // namespace

struct Pattern::Compiled {
  pcre2_code* code = nullptr;
  pcre2_match_context* limits = nullptr;
  pcre2_match_data* match = nullptr;
  int exhausted = 0;

  Compiled() = default;
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  ~Compiled() {
    pcre2_match_data_free(match);
    pcre2_match_context_free(limits);
    pcre2_code_free(code);
  }
};

Pattern::Pattern(std::unique_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

Result<Pattern> Pattern::compile(std::string_view expression) {
  auto compiled = std::make_unique<Compiled>();
  int error = 0;
  PCRE2_SIZE offset = 0;
  compiled->code =
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(expression.data()), expression.size(),
                    PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &error, &offset, nullptr);
  if (compiled->code == nullptr) {
    std::array<PCRE2_UCHAR, 128> reason{};
    pcre2_get_error_message(error, reason.data(), reason.size());
    return invalid_argument(fmt::format("'{}' is not a regular expression: {} at character {}",
                                        expression, reinterpret_cast<const char*>(reason.data()),
                                        offset));
  }
  compiled->limits = pcre2_match_context_create(nullptr);
  compiled->match = pcre2_match_data_create_from_pattern(compiled->code, nullptr);
  if (compiled->limits == nullptr || compiled->match == nullptr) {
    return Error{Code::ResourceExhausted, "no memory for a regular expression", {}};
  }
  pcre2_set_match_limit(compiled->limits, kMatchLimit);
  pcre2_set_heap_limit(compiled->limits, kHeapLimitKib);
  return Pattern(std::move(compiled));
}

bool Pattern::match(std::string_view text, std::uint32_t options) const {
  if (compiled_->exhausted >= kMaxExhausted) return false;
  const int found = pcre2_match(compiled_->code, reinterpret_cast<PCRE2_SPTR>(text.data()),
                                text.size(), 0, options, compiled_->match, compiled_->limits);
  if (found == PCRE2_ERROR_MATCHLIMIT || found == PCRE2_ERROR_HEAPLIMIT) ++compiled_->exhausted;
  return found >= 0;
}

bool Pattern::search(std::string_view text) const { return match(text, 0); }

bool Pattern::matches_whole(std::string_view text) const {
  return match(text, PCRE2_ANCHORED | PCRE2_ENDANCHORED);
}

bool Pattern::replace_all(std::string& text, std::string_view with) const {
  std::string out;
  std::size_t done = 0;
  std::size_t from = 0;
  while (from <= text.size() && compiled_->exhausted < kMaxExhausted) {
    const int found = pcre2_match(compiled_->code, reinterpret_cast<PCRE2_SPTR>(text.data()),
                                  text.size(), from, 0, compiled_->match, compiled_->limits);
    if (found == PCRE2_ERROR_MATCHLIMIT || found == PCRE2_ERROR_HEAPLIMIT) ++compiled_->exhausted;
    if (found < 0) break;
    const PCRE2_SIZE* span = pcre2_get_ovector_pointer(compiled_->match);
    const std::size_t begin = std::min(span[0], span[1]);
    const std::size_t end = span[1];
    if (end <= begin) {
      from = end + 1;
      while (from < text.size() && (static_cast<unsigned char>(text[from]) & 0xC0U) == 0x80U)
        ++from;
      continue;
    }
    out.append(text, done, begin - done).append(with);
    done = end;
    from = end;
  }
  if (done == 0) return false;
  text = out.append(text, done);
  return true;
}

int Pattern::exhausted() const { return compiled_->exhausted; }

void Pattern::reset_effort() const { compiled_->exhausted = 0; }

}  // namespace gantry
