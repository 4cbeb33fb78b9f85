// SPDX-License-Identifier: Apache-2.0
// Events of gantry.host.bus/1 of FakeHost: subscriptions with their bounded mailboxes.
#include <algorithm>

#include "world.hpp"

namespace gantry::testkit::detail {

namespace {

std::size_t weight_of(const gantry_body* body) {
  return body->object != nullptr ? body->type->weight(body->object) : body->json.size;
}

void deliver_one(World& world, const std::shared_ptr<Subscription>& to, std::uint64_t contract) {
  if (to->closed || to->queue.empty()) return;
  const Subscription::Queued item = std::move(to->queue.front());
  to->queue.pop_front();
  to->bytes -= item.weight;
  gantry_envelope envelope = envelope_of(world.here(), contract, item.sender);
  envelope.key = item.key;
  to->handler(to->user, item.body.get(), &envelope);
}

/// Puts the item into the mailbox as its policy says. True when a delivery must be queued for it.
bool admit(World& world, const std::shared_ptr<Subscription>& to, Subscription::Queued item) {
  const std::size_t max_items = to->options.max_items != 0 ? to->options.max_items : 1024;
  const std::size_t max_bytes = to->options.max_bytes;
  const auto full = [&] {
    return to->queue.size() >= max_items || (max_bytes != 0 && to->bytes + item.weight > max_bytes);
  };
  bool displaced = false;
  if (full()) {
    switch (to->options.overflow) {
      case GANTRY_OVERFLOW_DROP_OLDEST:
        while (!to->queue.empty() && full()) {
          to->bytes -= to->queue.front().weight;
          to->queue.pop_front();
          displaced = true;
        }
        if (full()) return false;
        break;
      case GANTRY_OVERFLOW_COALESCE: {
        const auto old = std::find_if(to->queue.begin(), to->queue.end(), [&](const auto& queued) {
          return item.key != 0 && queued.key == item.key;
        });
        if (old != to->queue.end()) {
          to->bytes += item.weight - old->weight;
          *old = std::move(item);
        }
        return false;
      }
      case GANTRY_OVERFLOW_CLOSE: world.close_subscription(to); return false;
      default: return false;
    }
  }
  to->bytes += item.weight;
  to->queue.push_back(std::move(item));
  return !displaced;  // a displaced item leaves its delivery behind
}

gantry_status publish(gantry_host* host, std::uint64_t id, const gantry_body* body,
                      const gantry_send_options* options) {
  World& world = world_of(host);
  Contract* contract = world.expect(id, GANTRY_EVENT, nullptr);
  if (contract == nullptr) return GANTRY_NOT_FOUND;
  const std::uint32_t lane =
      options != nullptr ? options->lane : std::uint32_t{GANTRY_LANE_INTERACTIVE};
  const std::string& sender = Participant::of(host).name;
  world.events.push_back({contract->name, sender, {}, body_text(body)});
  for (const auto& to : std::vector(contract->subscribers)) {
    Subscription::Queued item{BodyHold(body), sender, options != nullptr ? options->key : 0,
                              weight_of(body)};
    if (!admit(world, to, std::move(item))) continue;
    world.queue(*to->owner, lane, [&world, to, id] { deliver_one(world, to, id); });
  }
  return GANTRY_OK;
}

gantry_status subscribe(gantry_host* host, std::uint64_t id,
                        const gantry_subscribe_options* options, gantry_event_fn handler,
                        void* user, void (*drop)(void*), gantry_handle* out, gantry_error* error) {
  World& world = world_of(host);
  Contract* contract = world.expect(id, GANTRY_EVENT, error);
  if (contract == nullptr) {
    if (drop != nullptr) drop(user);
    return GANTRY_NOT_FOUND;
  }
  auto made = std::make_shared<Subscription>();
  made->id = ++world.last_id;
  made->owner = &Participant::of(host);
  made->handler = handler;
  made->user = user;
  made->drop = drop;
  if (options != nullptr) made->options = *options;
  contract->subscribers.push_back(made);
  if (out != nullptr) *out = made->id;
  return GANTRY_OK;
}

void unsubscribe(gantry_host* host, gantry_handle subscription) {
  World& world = world_of(host);
  for (auto& [id, contract] : world.contracts) {
    for (const auto& s : std::vector(contract.subscribers)) {
      if (s->id == subscription) world.close_subscription(s);
    }
  }
}

}  // namespace

void World::close_subscription(const std::shared_ptr<Subscription>& subscription) {
  if (std::exchange(subscription->closed, true)) return;
  subscription->queue.clear();
  for (auto& [id, contract] : contracts) std::erase(contract.subscribers, subscription);
  if (subscription->drop == nullptr) return;
  const auto drop = [subscription] { subscription->drop(subscription->user); };
  queue(*subscription->owner, GANTRY_LANE_INTERACTIVE, drop, drop);
}

void fill_event_functions(gantry_host_bus& table) {
  table.publish = publish;
  table.subscribe = subscribe;
  table.unsubscribe = unsubscribe;
}

}  // namespace gantry::testkit::detail
