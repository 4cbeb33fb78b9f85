// SPDX-License-Identifier: Apache-2.0
#include "bus/subscription.hpp"

#include "bus/bus.hpp"
#include "exec/exec.hpp"
#include "exec/strand_group.hpp"
#include "host.hpp"

namespace gantry::kernel {

namespace {
constexpr std::size_t kSpareTokens = 64;
constexpr std::size_t kHand = 32;
constexpr std::uint32_t kMostRuns = 1024;  // of one token

// What may still be displaced or replaced stays in the mailbox, and bytes are counted there.
std::size_t hand_limit(const SubscriptionConfig& config) {
  const bool settled =
      config.overflow == GANTRY_OVERFLOW_REJECT || config.overflow == GANTRY_OVERFLOW_CLOSE;
  return settled && config.max_bytes == 0 ? kHand : 1;
}
}  // namespace

// Lives as long as its subscription, in the strand or among the spare ones.
struct Subscription::Token final : Item {
  Token(Subscription& subscription, std::size_t of_shard) : of(subscription), shard(of_shard) {}
  void run() override { of.handle_next(this); }
  void drop() override { of.drop_token(this); }
  Subscription& of;
  const std::size_t shard;
  Lane lane = Lane::interactive;
  std::atomic<std::uint32_t> runs{1};  // still owed; 0: it has left the strand
};

Subscription::Subscription(gantry_host& host, Contract& contract, const SubscriptionConfig& config)
    : host_(host),
      contract_(contract),
      config_(config),
      hand_limit_(hand_limit(config)),
      mailboxes_(host.strands->size()) {}

Subscription::~Subscription() {
  for (Mailbox& mailbox : mailboxes_) {
    for (Token* token : mailbox.spare) delete token;
    for (Token* token : mailbox.used) delete token;
  }
}

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
  Token* token = nullptr;
  Admission admission;
  {
    std::lock_guard lock(mailbox.mutex);
    if (closed_.load(std::memory_order_relaxed)) return;
    admission = admit(mailbox, event, displaced);
    if (admission == Admission::queued && !share_token(mailbox, strand, publication.lane)) {
      token = take_token(mailbox, shard, publication.lane);
    }
  }
  switch (admission) {
    case Admission::queued:
      if (token != nullptr) {
        strand.post(*token, publication.lane);
      } else {
        strand.posted_again(publication.lane);
      }
      break;
    case Admission::displaced:
      // What was displaced has left its token in the strand; it serves this event.
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
  std::size_t items = mailbox.events.size();
  if (items + kHand >= config_.max_items) {
    items += mailbox.hand_size.load(std::memory_order_relaxed);
  }
  return items < config_.max_items &&
         (config_.max_bytes == 0 || mailbox.bytes + weight <= config_.max_bytes);
}

bool Subscription::replace_same_key(Mailbox& mailbox, Event& event) {
  if (event.key == 0) return false;
  for (std::size_t i = 0; i < mailbox.events.size(); ++i) {
    Event& queued = mailbox.events[i];
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
        // What is in hand is on its way to the handler: it counts, but cannot be displaced.
        while (!mailbox.events.empty() && !fits(mailbox, event.weight)) {
          mailbox.bytes -= mailbox.events.front().weight;
          displaced.push_back(mailbox.events.pop_front());
        }
        if (!displaced.empty()) admission = Admission::displaced;
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

bool Subscription::share_token(const Mailbox& mailbox, const Strand& strand, Lane lane) {
  Token* newest = mailbox.newest;
  if (newest == nullptr || newest->lane != lane || !strand.is_newest(*newest, lane)) return false;
  // It may have begun its last run meanwhile; from 0 there is no way back.
  std::uint32_t runs = newest->runs.load(std::memory_order_relaxed);
  while (runs != 0 && runs < kMostRuns) {
    if (newest->runs.compare_exchange_weak(runs, runs + 1)) return true;
  }
  return false;
}

Subscription::Token* Subscription::take_token(Mailbox& mailbox, std::size_t shard, Lane lane) {
  if (++mailbox.tokens == 1) retain();
  Token* token = nullptr;
  if (mailbox.spare.empty()) {
    token = new Token(*this, shard);
  } else {
    token = mailbox.spare.back();
    mailbox.spare.pop_back();
    token->runs.store(1, std::memory_order_relaxed);
  }
  token->lane = lane;
  mailbox.newest = token;
  return token;
}

void Subscription::handle_next(Token* token) {
  Mailbox& mailbox = mailboxes_[token->shard];
  if (token->runs.fetch_sub(1) == 1) {
    mailbox.used.push_back(token);
  } else {
    Strand::current()->run_again(*token, token->lane);
  }
  Ref<Subscription> last;
  // With its last event in hand a token sees to it that those behind it find theirs.
  if (mailbox.in_hand.size() <= 1) last = refill(mailbox);
  if (mailbox.in_hand.empty()) return;  // the subscription was closed
  const Event event = mailbox.in_hand.pop_front();
  mailbox.hand_size.store(mailbox.in_hand.size(), std::memory_order_relaxed);
  if (closed_.load(std::memory_order_acquire)) {
    count_dropped(1);
  } else {
    run_handler(mailbox, event);
  }
}

Ref<Subscription> Subscription::refill(Mailbox& mailbox) {
  std::lock_guard lock(mailbox.mutex);
  while (mailbox.in_hand.size() < hand_limit_ && !mailbox.events.empty()) {
    mailbox.bytes -= mailbox.events.front().weight;
    mailbox.in_hand.push_back(mailbox.events.pop_front());
  }
  mailbox.hand_size.store(mailbox.in_hand.size(), std::memory_order_relaxed);
  return give_back_locked(mailbox);
}

Ref<Subscription> Subscription::give_back_locked(Mailbox& mailbox) {
  // From here on the tokens belong to whoever publishes next.
  mailbox.tokens -= mailbox.used.size();
  for (Token* token : mailbox.used) {
    if (mailbox.newest == token) mailbox.newest = nullptr;
    if (mailbox.spare.size() < kSpareTokens) {
      mailbox.spare.push_back(token);
    } else {
      delete token;
    }
  }
  mailbox.used.clear();
  return mailbox.tokens == 0 ? Ref<Subscription>::adopt(this) : nullptr;
}

void Subscription::drop_token(Token* token) {
  Mailbox& mailbox = mailboxes_[token->shard];
  std::uint32_t runs = token->runs.exchange(0);
  mailbox.used.push_back(token);
  for (; runs > 0 && !mailbox.in_hand.empty(); --runs) {
    (void)mailbox.in_hand.pop_front();
    count_dropped(1);
  }
  Ref<Subscription> last;
  std::lock_guard lock(mailbox.mutex);
  last = give_back_locked(mailbox);
}

void Subscription::run_handler(Mailbox& mailbox, const Event& event) {
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
  // Right after another event it starts when that one ended: a look at the clock spared.
  const std::uint64_t item = Strand::current()->item_number();
  const bool follows = mailbox.last_item + 1 == item;
  record.start_ns = follows ? mailbox.last_end_ns : host_.exec->now_ns();
  call_plugin(*host_.exec, host_, contract_.name, [&] {
    ContextScope scope(context);
    config_.handler(config_.user, event.body.get(), &envelope);
  });
  mailbox.last_item = item;
  mailbox.last_end_ns = host_.exec->now_ns();
  record.duration_ns = mailbox.last_end_ns - record.start_ns;
  record.contract = contract_.id;
  record.trace_hi = event.trace_hi;
  record.trace_lo = event.trace_lo;
  record.span = event.span;
  record.parent_span = event.parent_span;
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
    Ring<Event> discarded;
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
