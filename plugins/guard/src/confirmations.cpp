// SPDX-License-Identifier: Apache-2.0
#include "confirmations.hpp"

#include <fmt/format.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>

#include "policy.hpp"

namespace gantry::guard {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr double kNanosecondsPerSecond = 1e9;
constexpr std::string_view kAndObserve = "_and_observe";

std::string random_token() {
  std::array<unsigned char, 8> bytes{};
  // A token that can be guessed confirms nothing; the random source does not fail in practice.
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) std::abort();
  std::string token = "ct:";
  for (const unsigned char byte : bytes) {
    fmt::format_to(std::back_inserter(token), "{:02x}", byte);
  }
  return token;
}

/// Looking afterwards does not make it another act.
std::string_view act_of(std::string_view tool) {
  return tool.ends_with(kAndObserve) ? tool.substr(0, tool.size() - kAndObserve.size()) : tool;
}

bool near(std::int32_t a, std::int32_t b, std::int32_t tolerance) {
  const std::int64_t apart = std::int64_t{a} - b;
  return (apart < 0 ? -apart : apart) <= tolerance;
}

bool same_place(const Rect& a, const Rect& b, std::int32_t tolerance) {
  return near(a.x, b.x, tolerance) && near(a.y, b.y, tolerance) &&
         near(a.width, b.width, tolerance) && near(a.height, b.height, tolerance);
}

/// Named alike, or by the same id, and still what it was called when it was confirmed.
bool same_target(const GuardedTarget& a, const GuardedTarget& b) {
  const bool named_alike = a.selector == b.selector || a.element_id == b.element_id;
  return a.window_uid == b.window_uid && named_alike && a.role == b.role && a.name == b.name &&
         a.element_id.empty() == b.element_id.empty();
}

std::vector<GuardedTarget> without_parts(const std::vector<GuardedTarget>& targets) {
  std::vector<GuardedTarget> out;
  std::copy_if(targets.begin(), targets.end(), std::back_inserter(out),
               [](const GuardedTarget& target) { return !target.part; });
  return out;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || byte < 0x20) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", byte);
    } else {
      out.push_back(byte < 0x7F ? c : '?');  // it may be cut inside a character
    }
  }
  return out;
}

GuardVerdict invalid(std::string message, const std::string& token) {
  // What the client sent comes back shortened: it may be anything.
  return refused(
      "ConfirmationInvalid", std::move(message),
      fmt::format(R"({{"token":"{}"}})", escaped(std::string_view(token).substr(0, 64))));
}

}  // namespace

void Confirmations::configure(TargetRules rules, const ConfirmationSettings& settings) {
  rules_ = std::move(rules);
  settings_ = settings;
}

void Confirmations::forget_expired(std::int64_t now_ns) {
  promised_.remove_if([now_ns](const Promise& promise) { return promise.until_ns <= now_ns; });
}

GuardPromise Confirmations::propose(const GuardProposal& proposal, std::int64_t now_ns,
                                    std::int64_t wall_ns) {
  forget_expired(now_ns);
  if (promised_.size() >= kMaxOpen) promised_.pop_front();
  const std::int64_t ttl_ns = settings_.ttl * kMillisecond;
  promised_.push_back({random_token(), proposal, now_ns + ttl_ns});
  GuardPromise out;
  out.confirm_token = promised_.back().token;
  out.expires_at = static_cast<double>(wall_ns + ttl_ns) / kNanosecondsPerSecond;
  return out;
}

GuardVerdict Confirmations::compare(const GuardProposal& promised,
                                    const GuardAdmitRequest& request) const {
  // What a target opens up cannot be known before: the arguments, which are bound, say what it is.
  const std::vector<GuardedTarget> targets = without_parts(request.targets);
  const bool same_act = act_of(promised.tool) == act_of(request.tool) &&
                        promised.session == request.session &&
                        promised.arguments_digest == request.arguments_digest &&
                        std::equal(promised.targets.begin(), promised.targets.end(),
                                   targets.begin(), targets.end(), same_target);
  if (!same_act) {
    return invalid("confirm_token does not match the proposed action", request.confirm_token);
  }
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (same_place(promised.targets[i].bounds, targets[i].bounds, settings_.bbox_tolerance_px)) {
      continue;
    }
    return invalid("element bounds drifted beyond confirmation tolerance", request.confirm_token);
  }
  return {};
}

GuardVerdict Confirmations::judge(const GuardAdmitRequest& request, std::int64_t now_ns) {
  const bool asked = std::any_of(request.targets.begin(), request.targets.end(),
                                 [this](const GuardedTarget& t) { return rules_.fit(t); });
  if (!asked) return {};
  const bool has_part = std::any_of(request.targets.begin(), request.targets.end(),
                                    [](const GuardedTarget& t) { return t.part; });
  if (has_part && accepted_.contains(request.call)) return {};
  if (request.confirm_token.empty()) {
    return refused(
        "ConfirmationRequired",
        fmt::format("{} on this target requires a confirm_token from propose_action", request.tool),
        fmt::format(R"({{"action":"{}"}})", escaped(request.tool)));
  }
  forget_expired(now_ns);
  const auto found = std::find_if(promised_.begin(), promised_.end(), [&](const Promise& promise) {
    return promise.token == request.confirm_token;
  });
  if (found == promised_.end()) {
    return invalid("confirm_token expired, unknown, or already used", request.confirm_token);
  }
  GuardVerdict verdict = compare(found->proposal, request);
  if (!verdict.allowed || !request.dry_run) promised_.erase(found);
  if (verdict.allowed && !request.dry_run && !request.call.empty()) accepted_.insert(request.call);
  return verdict;
}

}  // namespace gantry::guard
