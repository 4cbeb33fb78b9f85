// SPDX-License-Identifier: Apache-2.0
#include "budgets.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "policy.hpp"

namespace gantry::guard {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kWindow = 60 * kSecond;
/// No call lasts so long: who has not settled by then has died.
constexpr std::int64_t kAbandoned = 3600 * kSecond;

GuardVerdict exceeded(std::string_view budget, std::int64_t used) {
  return refused("BudgetExceeded", fmt::format("{} reached", budget),
                 fmt::format(R"({{"used":{}}})", used));
}

}  // namespace

std::int64_t Budgets::held(GuardKind kind) const {
  return std::count_if(places_.begin(), places_.end(),
                       [kind](const auto& entry) { return entry.second.kind == kind; });
}

std::int64_t Budgets::in_window(std::int64_t now_ns) const {
  return std::count_if(acted_at_.begin(), acted_at_.end(),
                       [now_ns](std::int64_t at) { return now_ns - at < kWindow; });
}

GuardVerdict Budgets::judge_act(std::int64_t now_ns) const {
  const std::int64_t busy = held(GuardKind::Act);
  if (limits_.max_actions && actions_ + busy >= *limits_.max_actions) {
    return exceeded("max_actions", actions_);
  }
  const std::int64_t recent = in_window(now_ns);
  if (limits_.actions_per_minute && recent + busy >= *limits_.actions_per_minute) {
    return refused("RateLimited", "actions_per_minute exceeded",
                   fmt::format(R"({{"window":{}}})", recent));
  }
  return {};
}

bool Budgets::picture_fits() const {
  return !limits_.max_screenshots ||
         screenshots_ + held(GuardKind::Picture) < *limits_.max_screenshots;
}

void Budgets::forget_abandoned(std::int64_t now_ns) {
  std::erase_if(
      places_, [now_ns](const auto& entry) { return now_ns - entry.second.since_ns > kAbandoned; });
}

GuardVerdict Budgets::admit(const GuardAdmitRequest& request, std::int64_t now_ns) {
  if (request.kind == GuardKind::About || request.kind == GuardKind::Unknown) return {};
  forget_abandoned(now_ns);
  const std::int64_t elapsed = (now_ns - started_ns_) / kSecond;
  if (limits_.max_session_seconds && elapsed >= *limits_.max_session_seconds) {
    return exceeded("max_session_seconds", elapsed);
  }
  if (request.kind == GuardKind::Act) {
    GuardVerdict verdict = judge_act(now_ns);
    if (!verdict.allowed) return verdict;
  }
  if (request.kind == GuardKind::Picture && !picture_fits()) {
    return exceeded("max_screenshots", screenshots_);
  }
  if (request.vision && limits_.max_vlm_tokens && vlm_tokens_ >= *limits_.max_vlm_tokens) {
    return exceeded("max_vlm_tokens", vlm_tokens_);
  }
  // A part of a call, and what is only asked about, is never settled.
  if (!request.call.empty()) places_[request.call] = {request.kind, now_ns};
  return {};
}

void Budgets::settle(const GuardSettleRequest& request, std::int64_t now_ns) {
  places_.erase(request.call);
  screenshots_ += request.screenshots;
  vlm_tokens_ += request.vlm_tokens;
  // An act that failed half way has acted all the same.
  const bool acted = request.kind == GuardKind::Act && (request.ok || request.changed == true);
  if (!acted) return;
  ++actions_;
  while (!acted_at_.empty() && now_ns - acted_at_.front() >= kWindow) acted_at_.pop_front();
  acted_at_.push_back(now_ns);
}

GuardBudgets Budgets::report(std::int64_t now_ns) const {
  GuardBudgets out;
  out.configured = limits_.max_actions || limits_.max_screenshots || limits_.max_vlm_tokens ||
                   limits_.max_session_seconds || limits_.actions_per_minute;
  out.actions = {actions_, limits_.max_actions};
  out.screenshots = {screenshots_, limits_.max_screenshots};
  out.vlm_tokens = {vlm_tokens_, limits_.max_vlm_tokens};
  out.session_seconds = {(now_ns - started_ns_) / kSecond, limits_.max_session_seconds};
  out.actions_per_minute = {in_window(now_ns), limits_.actions_per_minute};
  return out;
}

}  // namespace gantry::guard
