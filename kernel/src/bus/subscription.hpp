// SPDX-License-Identifier: Apache-2.0
//
// Subscription: one plugin's bounded mailbox for one event contract.
//
// Each queued event is owed one run of a token in the plugin's strand, and a token that runs takes
// the oldest event of the mailbox. So events, calls and posts run in the order in which they came,
// and an event that displaces an older one simply uses its token: the strand's queue stays as
// bounded as the mailbox. Events that come one after the other, with nothing else posted between,
// share a token, which then runs several times.
#pragma once

#include "bus/body.hpp"
#include "bus/contract.hpp"
#include "exec/adaptive_mutex.hpp"
#include "exec/context.hpp"
#include "exec/ref.hpp"
#include "exec/ring.hpp"
#include "exec/strand.hpp"

#include <gantry/abi/bus.h>

#include <atomic>
#include <mutex>
#include <vector>

namespace gantry::kernel {

struct SubscriptionConfig {
  gantry_event_fn handler = nullptr;
  void* user = nullptr;
  void (*drop)(void*) = nullptr;
  std::uint32_t max_items = 1024;  // per strand of the plugin
  std::size_t max_bytes = 0;       // per strand of the plugin; 0: no limit
  gantry_overflow overflow = GANTRY_OVERFLOW_REJECT;
};

// What is the same for all subscribers of one published event.
struct Publication {
  const gantry_body* body;
  std::size_t weight;
  const gantry_host* sender;
  std::uint64_t key;
  Lane lane;
  const Context& context;  // of this event: its span, the publisher's as parent
};

// Thread-safe.
class Subscription final : public RefCounted {
 public:
  Subscription(gantry_host& host, Contract& contract, const SubscriptionConfig& config);
  ~Subscription() override;

  void deliver(const Publication& event);
  // Discards what is queued; `drop` follows when no handler runs any more. Only once.
  void close();
  gantry_host& host() const { return host_; }
  Contract& contract() const { return contract_; }
  std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

  std::uint64_t handle = 0;  // in the host's table; set before the subscription is visible

 private:
  struct Event {
    BodyRef body;
    std::size_t weight = 0;
    std::uint64_t key = 0;
    std::uint64_t trace_hi = 0, trace_lo = 0, span = 0, parent_span = 0;
    const gantry_host* sender = nullptr;
    Lane lane = Lane::interactive;
  };
  struct Token;
  struct Mailbox {
    AdaptiveMutex mutex;
    Ring<Event> events;
    std::vector<Token*> spare;  // used tokens, so that steady traffic allocates nothing
    std::size_t bytes = 0;
    std::size_t tokens = 0;  // in the strand; while there are any, they hold one reference together
    Token* newest = nullptr;  // the last that was posted, while it is in the strand
    // The strand's own, so that a busy mailbox is locked once for many events:
    alignas(64) Ring<Event> in_hand;
    std::vector<Token*> used;               // to be given back to `spare`
    std::uint64_t last_item = 0;            // of the strand, that handled an event
    std::int64_t last_end_ns = 0;           // when it ended
    std::atomic<std::size_t> hand_size{0};  // of in_hand; read by publishers
  };
  enum class Admission { queued, displaced, replaced, refused, overflowed };

  Admission admit(Mailbox& mailbox, Event& event, std::vector<Event>& displaced);
  bool fits(const Mailbox& mailbox, std::size_t weight) const;
  bool replace_same_key(Mailbox& mailbox, Event& event);
  // true: a token that waits will run for one event more. Under the mailbox's lock.
  static bool share_token(const Mailbox& mailbox, const Strand& strand, Lane lane);
  Token* take_token(Mailbox& mailbox, std::size_t shard, Lane lane);
  void handle_next(Token* token);
  // Takes events in hand and gives used tokens back.
  Ref<Subscription> refill(Mailbox& mailbox);
  // Returns the reference that the tokens held when this was the last of them.
  Ref<Subscription> give_back_locked(Mailbox& mailbox);
  void drop_token(Token* token);
  void run_handler(Mailbox& mailbox, const Event& event);
  void count_dropped(std::uint64_t count);

  gantry_host& host_;
  Contract& contract_;
  const SubscriptionConfig config_;
  const std::size_t hand_limit_;  // events taken out of a mailbox at once
  std::atomic<bool> closed_{false};
  std::atomic<std::uint64_t> dropped_{0};
  std::vector<Mailbox> mailboxes_;  // one per strand
};

}  // namespace gantry::kernel
