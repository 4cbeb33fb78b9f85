// SPDX-License-Identifier: Apache-2.0
#include <gantry/testkit/fake_host.hpp>

#include <algorithm>

#include "world.hpp"

namespace gantry::testkit {
namespace detail {

Participant* World::find(std::string_view name) {
  const auto found = std::find_if(participants.begin(), participants.end(),
                                  [&](const auto& p) { return p->name == name && !p->closing; });
  return found != participants.end() ? found->get() : nullptr;
}

Participant& World::add(std::string_view name, std::string config) {
  Participant& made = *participants.emplace_back(std::make_unique<Participant>());
  made.world = this;
  made.name = name;
  made.config = std::move(config);
  made.api.size = sizeof made.api;
  made.api.host = made.raw();
  made.api.get_interface = find_table;
  made.api.plugin_name = to_str(made.name);
  return made;
}

void World::close(Participant& participant) {
  if (participant.plugin.size != 0) {
    enter(root, true,
          [&] { participant.plugin.stop(participant.plugin.self, now_ns() + 1'000'000'000); });
  }
  participant.closing = true;
  for (auto* line : {&control, &others}) {
    std::vector<Task> dropped;
    for (auto it = line->begin(); it != line->end();) {
      if (it->owner != &participant) {
        ++it;
        continue;
      }
      dropped.push_back(std::move(*it));
      it = line->erase(it);
    }
    for (const Task& task : dropped) {
      if (task.drop) task.drop();
      release(task.context);
    }
  }
  close_bus_of(participant);
  std::vector<std::uint64_t> ids;
  for (const auto& [due, timer] : timers) {
    if (timer.owner == &participant) ids.push_back(timer.id);
  }
  for (const std::uint64_t id : ids) cancel_timer(id);
  if (participant.plugin.size != 0) participant.plugin.destroy(participant.plugin.self);
  std::erase(loaded, &participant);
}

World::~World() {
  while (!loaded.empty()) close(*loaded.back());
  for (const auto& participant : participants) {
    if (!participant->closing) close(*participant);
  }
  streams.clear();
}

}  // namespace detail

FakeHost::FakeHost() : world_(std::make_unique<detail::World>()) {}
FakeHost::FakeHost(ManualClock& clock) : FakeHost() { world_->clock = &clock; }
FakeHost::~FakeHost() = default;

Host& FakeHost::host(std::string_view name) {
  detail::Participant* found = world_->find(name);
  if (found == nullptr) found = &world_->add(name, "{}");
  if (!found->cpp) found->cpp = std::make_unique<Host>(found->api);
  return *found->cpp;
}

Result<void*> FakeHost::load_created(Create create, std::string_view name,
                                     std::string config_json) {
  if (world_->find(name) != nullptr) {
    return Error{Code::AlreadyExists, std::string(name) + " is on the bus already", {}};
  }
  detail::Participant& made = world_->add(name, std::move(config_json));
  const auto step = [&](auto&& work) -> Result<void> {
    gantry_error error{};
    const gantry_status status = world_->enter(world_->root, true, [&] { return work(&error); });
    if (status != GANTRY_OK) return adopt_error(status, error);
    return {};
  };
  made.plugin.size = sizeof made.plugin;
  auto created = step([&](gantry_error* e) { return create(&made.api, &made.plugin, e); });
  if (!created.ok()) {
    made.plugin.size = 0;
    world_->close(made);
    return std::move(created).error();
  }
  world_->loaded.push_back(&made);
  gantry_plugin& plugin = made.plugin;
  Result<void> ready = step([&](gantry_error* e) { return plugin.init(plugin.self, e); });
  if (ready.ok()) ready = step([&](gantry_error* e) { return plugin.start(plugin.self, e); });
  if (!ready.ok()) {
    world_->close(made);
    return std::move(ready).error();
  }
  return plugin.self;
}

Result<void> FakeHost::load_entry(const gantry_plugin_entry_v1& entry, std::string config_json) {
  if (entry.magic != GANTRY_PLUGIN_MAGIC) {
    return failed_precondition("this is not a plugin entry: its magic is wrong");
  }
  GANTRY_TRY(load_created(entry.create, entry.name, std::move(config_json)));
  return {};
}

Result<void> FakeHost::reconfigure(std::string_view name, std::string config_json) {
  detail::Participant* found = world_->find(name);
  if (found == nullptr || found->plugin.size == 0) {
    return not_found(std::string(name) + " is not loaded");
  }
  found->config = std::move(config_json);
  gantry_error error{};
  const gantry_status status = world_->enter(
      world_->root, false, [&] { return found->plugin.reconfigure(found->plugin.self, &error); });
  if (status != GANTRY_OK) return adopt_error(status, error);
  return {};
}

void FakeHost::unload(std::string_view name) {
  if (detail::Participant* found = world_->find(name); found != nullptr) world_->close(*found);
}

std::size_t FakeHost::pump() {
  std::size_t count = 0;
  while (world_->run_one()) ++count;
  return count;
}

void FakeHost::advance(Duration delta) {
  const std::int64_t until = world_->now_ns() + delta.count();
  pump();
  while (world_->fire_next_timer(until)) pump();
  world_->advance_to(until);
}

std::int64_t FakeHost::now_ns() const { return world_->now_ns(); }
ManualClock& FakeHost::clock() { return *world_->clock; }
const std::vector<LogLine>& FakeHost::logs() const { return world_->logs; }
const std::vector<Message>& FakeHost::events() const { return world_->events; }
const std::vector<Message>& FakeHost::calls() const { return world_->calls; }
const std::map<std::string, HealthState>& FakeHost::health() const { return world_->health; }
std::size_t FakeHost::double_answers() const { return world_->double_answers; }

double FakeHost::metric(std::string_view plugin, std::string_view name,
                        std::string_view labels) const {
  std::string key(plugin);
  key += '/';
  key += name;
  key += '{';
  key += labels;
  key += '}';
  const auto found = world_->metrics.find(key);
  return found != world_->metrics.end() ? found->second.value : 0;
}

int FakeHost::suitability(std::string_view plugin) const {
  const detail::Participant* found = world_->find(plugin);
  return found != nullptr ? found->suitability : -1;
}

}  // namespace gantry::testkit
