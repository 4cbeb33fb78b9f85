// SPDX-License-Identifier: Apache-2.0
#include "outbox.hpp"

#include <gantry/codec.hpp>

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
  std::string payload = '{' + item.envelope;
  if (!item.envelope.empty()) payload += ',';
  payload += item.nested ? R"("payload":{"content":)" : R"("content":)";
  codec::write_string(payload, item.text);
  payload += item.nested ? "}}" : "}";
  return write_event_of(item.event, payload, item.seq);
}

bool Outbox::put(Outgoing item, const Send& send) {
  if (!waiting_ && send(rendered(item))) return true;
  if (!waiting_) waiting_ = std::make_unique<Waiting>();
  auto& [items, gone, joins, bytes, drained] = *waiting_;
  if (!item.join.empty()) {
    const auto found = joins.find(item.join);
    if (found != joins.end() && found->second >= gone) {
      Outgoing& piece = items[static_cast<std::size_t>(found->second - gone)];
      piece.text += item.text;
      piece.seq = item.seq;
      bytes += item.text.size();
      return bytes <= most_.bytes;
    }
  }
  // What a run says after this must not go before it.
  if (!item.run.empty()) {
    std::erase_if(joins, [&item](const auto& entry) {
      return entry.first.starts_with(item.run) && entry.first != item.join;
    });
  }
  if (!item.join.empty()) joins[item.join] = gone + items.size();
  bytes += weight(item);
  items.push_back(std::move(item));
  return bytes <= most_.bytes && items.size() <= most_.frames;
}

void Outbox::flush(const Send& send) {
  while (waiting_) {
    auto& [items, gone, joins, bytes, drained] = *waiting_;
    const Outgoing& first = items.front();
    if (!send(rendered(first))) return;
    const auto found = joins.find(first.join);
    if (found != joins.end() && found->second == gone) joins.erase(found);
    bytes -= weight(first);
    items.pop_front();
    ++gone;
    if (items.empty()) drop();
  }
}

void Outbox::when_drained(std::function<void()> done) {
  if (!waiting_) return done();
  waiting_->drained.push_back(std::move(done));
}

void Outbox::drop() {
  const auto waiting = std::exchange(waiting_, nullptr);
  if (!waiting) return;
  for (const auto& done : waiting->drained) done();
}

}  // namespace gantry::gateway
