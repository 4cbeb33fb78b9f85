// SPDX-License-Identifier: Apache-2.0
//
// The hand-shake between a poster and the runner, all operations sequentially consistent:
//   poster: push the item; unless running_ or node.queued was set, queue the node
//   runner: set running_; clear node.queued; run; queue the node if anything is left; clear
//           running_; look into the inboxes again, and queue the node if there is anything
//   who finds running_ set: clear node.queued; try once more to set running_
// Whatever a poster saw set, the one who clears it later looks into the inboxes after clearing, so
// no item is left behind, and a strand that is already running costs a poster no wake.
#include "exec/strand.hpp"

#include "exec/blocking.hpp"
#include "exec/pool.hpp"

namespace gantry::kernel {

namespace {
constexpr int kBatch = 32;              // items before other strands get their turn
constexpr std::uint8_t kBulkTurn = 16;  // every so many picks bulk goes first, so it never starves

thread_local Strand* t_strand = nullptr;

constexpr Urgency urgency_of(Lane lane) {
  return lane <= Lane::control       ? Urgency::control
         : lane == Lane::interactive ? Urgency::interactive
                                     : Urgency::bulk;
}

class CurrentStrand {
 public:
  explicit CurrentStrand(Strand* strand) : previous_(t_strand) { t_strand = strand; }
  ~CurrentStrand() { t_strand = previous_; }

 private:
  Strand* previous_;
};
}  // namespace

// The blocking pool's side of an item that may wait: it runs the item with the strand still taken,
// then gives the strand back.
struct Strand::WaitingRun final : Item {
  WaitingRun(Strand& on, Item& what) : strand(on), item(what) {}
  void run() override {
    {
      CurrentStrand scope(&strand);
      strand.execute(item);
    }
    strand.finish();
    delete this;
  }
  void drop() override { run(); }  // the strand must be given back in any case
  Strand& strand;
  Item& item;
};

Strand* Strand::current() { return t_strand; }

Strand::Strand(Pool& pool, bool held) : pool_(pool), held_(held) {
  for (std::size_t i = 0; i < kUrgencyCount; ++i) {
    nodes_[i].strand = this;
    nodes_[i].urgency = static_cast<Urgency>(i);
  }
}

Strand::~Strand() { drain(); }

bool Strand::drain() {
  bool any = false;
  for (std::size_t lane = 0; lane < kLaneCount; ++lane) {
    while (Item* item = take(static_cast<Lane>(lane))) {
      any = true;
      item->drop();
    }
  }
  return any;
}

void Strand::post(Item& item, Lane lane) {
  std::atomic<Item*>& pushed = inboxes_[static_cast<std::size_t>(lane)].pushed;
  Item* head = pushed.load(std::memory_order_relaxed);
  do {
    item.next_ = head;
  } while (!pushed.compare_exchange_weak(head, &item));
  if (!running_.load()) schedule(urgency_of(lane));
}

void Strand::posted_again(Lane lane) {
  if (!running_.load()) schedule(urgency_of(lane));
}

void Strand::schedule(Urgency urgency) {
  RunNode& node = nodes_[static_cast<std::size_t>(urgency)];
  if (node.queued.load() || node.queued.exchange(true)) {
    pool_.posted_again(node);
  } else {
    pool_.submit(node);
  }
}

void Strand::release_hold() {
  held_.store(false);
  for (std::size_t i = 0; i < kUrgencyCount; ++i) schedule(static_cast<Urgency>(i));
}

void Strand::close() {
  closing_.store(true);
  release_hold();
}

void Strand::run_batch(RunNode& node, bool control_only) {
  // First running_, then queued: a poster between the two would queue the node in its own worker's
  // slot, and what this batch leaves would wait there behind the handler that posts.
  const bool taken = !running_.exchange(true);
  node.queued.store(false);
  // The one who ran it may have looked for the last time while the node counted as queued.
  if (taken || !running_.exchange(true)) drive(control_only);
}

void Strand::drive(bool control_only) {
  {
    CurrentStrand scope(this);
    ++item_number_;  // others may have run before this batch
    for (int i = 0; i < kBatch; ++i) {
      Item* item = next_item(control_only);
      if (item == nullptr) break;
      if (item->may_wait() && !closing() && !pool_.may_wait_here()) {
        hand_over(*item);
        return;  // still running_: the blocking thread ends this run
      }
      execute(*item);
      if (pool_.ends_turn(*this)) break;
    }
    pool_.end_turn(*this);
  }
  finish();
}

void Strand::execute(Item& item) {
  ++item_number_;
  closing() ? item.drop() : item.run();
}

void Strand::run_again(Item& item, Lane lane) {
  Inbox& inbox = inboxes_[static_cast<std::size_t>(lane)];
  item.next_ = inbox.head;
  inbox.head = &item;
}

void Strand::hand_over(Item& item) { pool_.lifecycle().submit(*new WaitingRun(*this, item)); }

void Strand::finish() {
  // What is left is queued before running_ is cleared: a poster that came in between would queue it
  // in its own worker's slot, behind the very handler that posts. The private queues belong to the
  // next runner the moment running_ is cleared.
  const bool held = held_.load();
  const std::size_t lanes = held ? 1 : kLaneCount;  // only Lane::system runs while held
  std::array<bool, kLaneCount> left{};
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    left[lane] = inboxes_[lane].head != nullptr || inboxes_[lane].pushed.load() != nullptr;
    if (left[lane]) schedule(urgency_of(static_cast<Lane>(lane)));
  }
  running_.store(false);
  // A worker that took a node in the meantime has put it away again, and what was posted is there.
  const std::size_t open = held_.load() ? 1 : kLaneCount;
  for (std::size_t lane = 0; lane < open; ++lane) {
    if (left[lane] || inboxes_[lane].pushed.load() != nullptr) {
      schedule(urgency_of(static_cast<Lane>(lane)));
    }
  }
}

Item* Strand::next_item(bool control_only) {
  if (Item* item = take(Lane::system)) return item;
  if (held_.load(std::memory_order_acquire)) return nullptr;
  if (Item* item = take(Lane::control)) return item;
  if (control_only) return nullptr;
  if (++picks_ >= kBulkTurn) {
    picks_ = 0;
    if (Item* item = take(Lane::bulk)) return item;
  }
  if (Item* item = take(Lane::interactive)) return item;
  return take(Lane::bulk);
}

Item* Strand::take(Lane lane) {
  Inbox& inbox = inboxes_[static_cast<std::size_t>(lane)];
  if (inbox.head == nullptr) {
    if (inbox.pushed.load() == nullptr) return nullptr;
    Item* newest = inbox.pushed.exchange(nullptr);
    while (newest != nullptr) {  // reverse into posting order
      Item* next = newest->next_;
      newest->next_ = inbox.head;
      inbox.head = newest;
      newest = next;
    }
  }
  Item* item = inbox.head;
  inbox.head = item->next_;
  return item;
}

}  // namespace gantry::kernel
