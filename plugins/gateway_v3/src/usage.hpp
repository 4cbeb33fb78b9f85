// SPDX-License-Identifier: Apache-2.0
#pragma once
// What was used since midnight (UTC), as this daemon has seen it. Strand only.

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace gantry::gateway {

class UsageToday {
 public:
  struct Tokens {
    std::int64_t input = 0;
    std::int64_t output = 0;
  };
  struct Counts {
    std::map<std::string, Tokens> by_model;
    std::int64_t requests = 0;
    std::int64_t input_tokens = 0;
    std::int64_t output_tokens = 0;
    std::set<std::string> users;
  };

  void request(const std::string& user, std::int64_t now_ms) {
    Counts& counts = today(now_ms);
    ++counts.requests;
    counts.users.insert(user);
  }
  void tokens(const std::string& model, std::int64_t input, std::int64_t output,
              std::int64_t now_ms) {
    Counts& counts = today(now_ms);
    Tokens& of_model = counts.by_model[model];
    of_model.input += input;
    of_model.output += output;
    counts.input_tokens += input;
    counts.output_tokens += output;
  }
  Counts& today(std::int64_t now_ms) {
    constexpr std::int64_t kDayMs = 86'400'000;
    if (now_ms / kDayMs != day_) {
      day_ = now_ms / kDayMs;
      counts_ = {};
    }
    return counts_;
  }

 private:
  std::int64_t day_ = 0;
  Counts counts_;
};

}  // namespace gantry::gateway
