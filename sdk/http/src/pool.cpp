// SPDX-License-Identifier: Apache-2.0
#include <gantry/http/pool.hpp>

#include <utility>

#include "kept_session.hpp"

namespace gantry::http {
HttpPool::HttpPool(std::function<std::int64_t()> now_ns, std::chrono::nanoseconds idle,
                   std::size_t most)
    : now_ns_(std::move(now_ns)), idle_(idle), most_(most) {}

HttpPool::~HttpPool() = default;

HttpPool::Rows HttpPool::take_old() {
  Rows old;
  const std::int64_t now = now_ns_();
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
  rows_.push_back({place, now_ns_() + idle_.count(), std::move(session)});
  old = take_old();
}

}  // namespace gantry::http
