// SPDX-License-Identifier: Apache-2.0
#include "bus/subscription.hpp"

#include "bus/bus.hpp"
#include "exec/exec.hpp"
#include "exec/strand_group.hpp"
#include "host.hpp"

namespace gantry::kernel {

struct Subscription::Token final : Item {
  Token(Ref<Subscription> of, std::size_t at) : subscription(std::move(of)), shard(at) {}
  void run() override {
    subscription->handle_next(shard);
    delete this;
  }
  void drop() override { delete this; }
  Ref<Subscription> subscription;
  std::size_t shard;
};

Subscription::Subscription(gantry_host& host, Contract& contract, const SubscriptionConfig& config)
    : host_(host), contract_(contract), config_(config), mailboxes_(host.strands->size()) {}

void Subscription::deliver(const Publication& publication) {
  if (closed_.load(std::memory_order_acquire)) return;
  Strand& strand = host_.strands->for_key(publication.key);
  const std::size_t shard = host_.strands->index_of(strand);
  Event event;
  event.body = BodyRef::share(publication.body);
  event.weight = publication.weight;
  event.key = publication.key;
  event.trace_hi = publication.context.trace_hi;
  event.trace_lo = publication.context.trace_lo;
  event.span = publication.context.span;
  event.parent_span = publication.context.parent_span;
  event.sender = publication.sender;
  event.lane = publication.lane;

  std::vector<Event> displaced;  // their bodies are released after the lock
  Mailbox& mailbox = mailboxes_[shard];
  Admission admission;
  {
    std::lock_guard lock(mailbox.mutex);
    if (closed_.load(std::memory_order_relaxed)) return;
    admission = admit(mailbox, event, displaced);
  }
  switch (admission) {
    case Admission::queued:
    case Admission::displaced:
      // A displaced event leaves its token behind; one more for each event that came instead of
      // several would let the strand's queue grow.
      if (displaced.empty()) {
        strand.post(*new Token(Ref<Subscription>::share(this), shard), publication.lane);
      }
      count_dropped(displaced.size());
      break;
    case Admission::replaced:
    case Admission::refused: count_dropped(1); break;
    case Admission::overflowed:
      count_dropped(1);
      host_.bus->close_subscription(*this, "its mailbox overflowed and its policy is to close");
      break;
  }
}

bool Subscription::fits(const Mailbox& mailbox, std::size_t weight) const {
  return mailbox.events.size() < config_.max_items &&
         (config_.max_bytes == 0 || mailbox.bytes + weight <= config_.max_bytes);
}

bool Subscription::replace_same_key(Mailbox& mailbox, Event& event) {
  if (event.key == 0) return false;
  for (Event& queued : mailbox.events) {
    if (queued.key != event.key) continue;
    const std::size_t bytes = mailbox.bytes - queued.weight + event.weight;
    if (config_.max_bytes != 0 && bytes > config_.max_bytes) return false;
    mailbox.bytes = bytes;
    std::swap(queued, event);
    return true;
  }
  return false;
}

Subscription::Admission Subscription::admit(Mailbox& mailbox, Event& event,
                                            std::vector<Event>& displaced) {
  Admission admission = Admission::queued;
  if (!fits(mailbox, event.weight)) {
    switch (config_.overflow) {
      case GANTRY_OVERFLOW_DROP_OLDEST:
        if (config_.max_bytes != 0 && event.weight > config_.max_bytes) return Admission::refused;
        while (!fits(mailbox, event.weight)) {
          mailbox.bytes -= mailbox.events.front().weight;
          displaced.push_back(std::move(mailbox.events.front()));
          mailbox.events.pop_front();
        }
        admission = Admission::displaced;
        break;
      case GANTRY_OVERFLOW_COALESCE:
        return replace_same_key(mailbox, event) ? Admission::replaced : Admission::refused;
      case GANTRY_OVERFLOW_CLOSE: return Admission::overflowed;
      default: return Admission::refused;
    }
  }
  mailbox.bytes += event.weight;
  mailbox.events.push_back(std::move(event));
  return admission;
}

void Subscription::handle_next(std::size_t shard) {
  Mailbox& mailbox = mailboxes_[shard];
  Event event;
  {
    std::lock_guard lock(mailbox.mutex);
    if (mailbox.events.empty()) return;
    event = std::move(mailbox.events.front());
    mailbox.events.pop_front();
    mailbox.bytes -= event.weight;
  }
  run_handler(event);
}

void Subscription::run_handler(const Event& event) {
  Context context;
  context.trace_hi = event.trace_hi;
  context.trace_lo = event.trace_lo;
  context.span = event.span;
  context.parent_span = event.parent_span;
  const gantry_envelope envelope{
      sizeof(gantry_envelope),   contract_.id, event.trace_hi, event.trace_lo,          event.span,
      event.parent_span,         kNoDeadline,  event.key,      lane_to_abi(event.lane), 0,
      to_str(event.sender->name)};
  FlightRecord record;
  record.start_ns = host_.exec->now_ns();
  call_plugin(*host_.exec, host_, contract_.name, [&] {
    ContextScope scope(context);
    config_.handler(config_.user, event.body.get(), &envelope);
  });
  record.duration_ns = host_.exec->now_ns() - record.start_ns;
  record.contract = contract_.id;
  record.trace_hi = event.trace_hi;
  record.trace_lo = event.trace_lo;
  record.span = event.span;
  record.bytes = event.weight;
  record.sender = static_cast<std::uint16_t>(event.sender->index);
  record.receiver = static_cast<std::uint16_t>(host_.index);
  record.kind = GANTRY_EVENT;
  record.lane = static_cast<std::uint8_t>(envelope.lane);
  host_.bus->recorder().add(record);
  contract_.stats.delivered.fetch_add(1, std::memory_order_relaxed);
}

void Subscription::count_dropped(std::uint64_t count) {
  if (count == 0) return;
  dropped_.fetch_add(count, std::memory_order_relaxed);
  contract_.stats.dropped.fetch_add(count, std::memory_order_relaxed);
}

void Subscription::close() {
  if (closed_.exchange(true)) return;
  for (Mailbox& mailbox : mailboxes_) {
    std::deque<Event> discarded;
    {
      std::lock_guard lock(mailbox.mutex);
      discarded.swap(mailbox.events);
      mailbox.bytes = 0;
    }
    count_dropped(discarded.size());
  }
  if (config_.drop == nullptr) return;
  host_.strands->after_running([self = Ref<Subscription>::share(this)] {
    call_plugin(*self->host_.exec, self->host_, "drop of a subscription",
                [&] { self->config_.drop(self->config_.user); });
  });
}

}  // namespace gantry::kernel
