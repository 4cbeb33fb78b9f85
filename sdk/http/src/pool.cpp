// SPDX-License-Identifier: Apache-2.0
#include <gantry/http/pool.hpp>

#include <time.h>

#include <utility>

#include "kept_session.hpp"

namespace gantry::http {
namespace {

std::int64_t read_clock(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

std::int64_t suspended_ns() { return read_clock(CLOCK_BOOTTIME) - read_clock(CLOCK_MONOTONIC); }

HttpPool::HttpPool(std::function<std::int64_t()> now_ns, std::chrono::nanoseconds idle,
                   std::size_t most, std::function<std::int64_t()> asleep_ns)
    : now_ns_(std::move(now_ns)), asleep_ns_(std::move(asleep_ns)), idle_(idle), most_(most) {}

HttpPool::~HttpPool() = default;

HttpPool::Rows HttpPool::take_old() {
  Rows old;
  const std::int64_t now = age_ns();
  while (!rows_.empty() && (rows_.front().until_ns <= now || rows_.size() > most_)) {
    old.push_back(std::move(rows_.front()));
    rows_.pop_front();
  }
  return old;
}

std::size_t HttpPool::sweep() {
  Rows old;
  const std::lock_guard lock(mutex_);
  old = take_old();
  return rows_.size();
}

void HttpPool::clear() {
  Rows all;
  const std::lock_guard lock(mutex_);
  all.swap(rows_);
}

std::unique_ptr<KeptSession> HttpPool::take(const std::string& place) {
  Rows closed;
  const std::lock_guard lock(mutex_);
  closed = take_old();
  for (auto row = rows_.end(); row != rows_.begin();) {
    --row;
    if (row->place != place) continue;
    std::unique_ptr<KeptSession> session = std::move(row->session);
    row = rows_.erase(row);
    if (session->quiet()) return session;
    closed.push_back({place, 0, std::move(session)});
  }
  return nullptr;
}

void HttpPool::put(const std::string& place, std::unique_ptr<KeptSession> session) {
  if (!session->clean()) return;
  Rows old;
  const std::lock_guard lock(mutex_);
  rows_.push_back({place, age_ns() + idle_.count(), std::move(session)});
  old = take_old();
}

}  // namespace gantry::http
