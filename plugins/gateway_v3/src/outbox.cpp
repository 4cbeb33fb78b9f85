// SPDX-License-Identifier: Apache-2.0
#include "outbox.hpp"

#include <utility>

#include "frame.hpp"

namespace gantry::gateway {
namespace {

std::size_t weight(const Outgoing& item) {
  constexpr std::size_t kEnvelope = 256;
  return item.join.empty() ? item.frame.size() : item.text.size() + kEnvelope;
}

}  // namespace

std::string rendered(const Outgoing& item) {
  if (item.join.empty()) return item.frame;
  boost::json::object payload = item.envelope;
  if (item.nested) {
    payload["payload"] = boost::json::object{{"content", item.text}};
  } else {
    payload["content"] = item.text;
  }
  return write_event(item.event, payload, item.seq);
}

bool Outbox::put(Outgoing item, const Send& send) {
  if (size() == 0 && send(rendered(item))) return true;
  std::deque<Outgoing>& items = items_ ? *items_ : items_.emplace();
  if (!item.join.empty()) {
    const auto found = joins_.find(item.join);
    if (found != joins_.end() && found->second >= gone_) {
      Outgoing& waiting = items[static_cast<std::size_t>(found->second - gone_)];
      waiting.text += item.text;
      waiting.seq = item.seq;
      bytes_ += item.text.size();
      return bytes_ <= most_bytes_;
    }
  }
  // What a run says after this must not go before it.
  if (!item.run.empty()) {
    std::erase_if(joins_, [&item](const auto& entry) {
      return entry.first.starts_with(item.run) && entry.first != item.join;
    });
  }
  if (!item.join.empty()) joins_[item.join] = gone_ + items.size();
  bytes_ += weight(item);
  items.push_back(std::move(item));
  return bytes_ <= most_bytes_ && items.size() <= most_frames_;
}

void Outbox::flush(const Send& send) {
  while (size() != 0) {
    const Outgoing& first = items_->front();
    if (!send(rendered(first))) return;
    const auto found = joins_.find(first.join);
    if (found != joins_.end() && found->second == gone_) joins_.erase(found);
    bytes_ -= weight(first);
    items_->pop_front();
    ++gone_;
  }
  items_.reset();
}

}  // namespace gantry::gateway
