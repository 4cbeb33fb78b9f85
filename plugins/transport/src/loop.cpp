// SPDX-License-Identifier: Apache-2.0
#include "loop.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>

#include "http_connection.hpp"
#include "server_core.hpp"

namespace gantry::transport {
namespace {

constexpr size_t kReadBufferSize = 64 * 1024;
constexpr int kEventsAtOnce = 128;
// Marks in the upper half of epoll's data; channels have their generation there, which is never 0
// and never the maximum.
constexpr uint64_t kMailboxMark = 0;
constexpr uint64_t kWatchMark = uint64_t{0xffffffff} << 32;

constexpr uint32_t slot_of(ChannelId id) { return static_cast<uint32_t>(id); }
constexpr uint32_t generation_of(ChannelId id) { return static_cast<uint32_t>(id >> 32); }

}  // namespace

Loop::Loop(ServerCore& core, const Clock& clock)
    : core_(core),
      clock_(clock),
      now_ms_(clock.now_ms()),
      epoll_fd_(::epoll_create1(EPOLL_CLOEXEC)),
      mailbox_(std::make_shared<Mailbox>()),
      wheel_(now_ms_),
      read_buffer_(kReadBufferSize) {
  ws_pools_.arriving = &core.arriving;
  epoll_event event{};
  event.events = EPOLLIN | EPOLLET;  // an edge per write: the counter need not be read
  event.data.u64 = kMailboxMark;
  ::epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, mailbox_->event_fd(), &event);
}

Loop::~Loop() {
  mailbox_->close();
  for (auto& slot : slots_) {
    if (!slot.channel) continue;
    core_.leave(slot.channel->counted_as());
    core_.counters.connections_open.fetch_sub(1, std::memory_order_relaxed);
    slot.channel.reset();
  }
  ::close(epoll_fd_);
}

void Loop::update_now() { now_ms_ = clock_.now_ms(); }

void Loop::adopt(UniqueFd socket, std::shared_ptr<const PeerInfo> peer,
                 const ListenerState& listener) {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const uint32_t index = free_slots_.back();
  free_slots_.pop_back();
  Slot& slot = slots_[index];
  if (++slot.generation == 0xffffffff) slot.generation = 1;
  const ChannelId id = static_cast<uint64_t>(slot.generation) << 32 | index;
  const int fd = socket.get();
  slot.channel = std::make_unique<Channel>(*this, id, std::move(socket), std::move(peer), listener,
                                           listener.tls ? listener.tls->accept() : nullptr);
  core_.counters.connections_open.fetch_add(1, std::memory_order_relaxed);
  slot.channel->start(std::make_unique<HttpConnection>(*slot.channel));
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  event.data.u64 = id;
  if (::epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, fd, &event) != 0) slot.channel->destroy();
}

void Loop::watch(int fd, std::function<void()> ready) {
  watches_.push_back({fd, std::move(ready)});
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = kWatchMark | static_cast<uint32_t>(fd);
  ::epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, fd, &event);
}

void Loop::unwatch(int fd) {
  ::epoll_ctl(epoll_fd_, EPOLL_CTL_DEL, fd, nullptr);
  std::erase_if(watches_, [fd](const Watch& watch) { return watch.fd == fd; });
}

Channel* Loop::find(ChannelId id) {
  const uint32_t index = slot_of(id);
  if (index >= slots_.size() || slots_[index].generation != generation_of(id)) return nullptr;
  return slots_[index].channel.get();
}

int Loop::wait_ms() {
  if (!pump_again_.empty() || !dead_.empty() || mailbox_->prepare_sleep()) return 0;
  const int64_t wait = wheel_.wait_ms(now_ms_);
  return wait < 0 ? -1 : static_cast<int>(std::min<int64_t>(wait, 60'000));
}

void Loop::run() {
  std::array<epoll_event, kEventsAtOnce> events;
  while (!stopping_.load(std::memory_order_acquire)) {
    const int count = ::epoll_wait(epoll_fd_, events.data(), kEventsAtOnce, wait_ms());
    mailbox_->woken();
    update_now();
    for (int i = 0; i < count; ++i) {
      const uint64_t mark = events[static_cast<size_t>(i)].data.u64;
      if (mark == kMailboxMark) continue;
      if (generation_of(mark) == generation_of(kWatchMark)) {
        const int fd = static_cast<int>(slot_of(mark));
        const auto watch = std::find_if(watches_.begin(), watches_.end(),
                                        [fd](const Watch& w) { return w.fd == fd; });
        if (watch != watches_.end()) watch->ready();
      } else if (Channel* const channel = find(mark)) {
        channel->on_events(events[static_cast<size_t>(i)].events);
      }
    }
    run_commands();
    run_pumps();
    run_timers();
    bury_dead();
  }
}

void Loop::stop() {
  stopping_.store(true, std::memory_order_release);
  mailbox_->run([] {});
}

void Loop::run_commands() {
  mailbox_->take(commands_);
  for (Command& command : commands_) {
    if (command.kind == CommandKind::kTask) {
      command.data->task();
    } else if (Channel* const channel = find(command.channel)) {
      channel->on_command(command);
    }
  }
  commands_.clear();
}

void Loop::run_pumps() {
  std::vector<ChannelId> again;
  again.swap(pump_again_);
  for (const ChannelId id : again) {
    if (Channel* const channel = find(id)) channel->pump();
  }
}

void Loop::run_timers() {
  for (WheelEntry* const entry : wheel_.advance(now_ms_)) {
    static_cast<Channel*>(entry)->on_wheel(now_ms_);
  }
}

void Loop::bury_dead() {
  for (const ChannelId id : dead_) {
    Channel* const channel = find(id);
    if (channel == nullptr) continue;
    core_.leave(channel->counted_as());
    core_.counters.connections_open.fetch_sub(1, std::memory_order_relaxed);
    slots_[slot_of(id)].channel.reset();
    free_slots_.push_back(slot_of(id));
  }
  dead_.clear();
  old_protocols_.clear();
}

void Loop::shut_down_channels() {
  for (auto& slot : slots_) {
    if (slot.channel) slot.channel->shut_down();
  }
}

const std::string& Loop::http_date() {
  const std::time_t second = std::time(nullptr);
  if (second != date_second_) {
    date_second_ = second;
    std::tm parts{};
    ::gmtime_r(&second, &parts);
    char text[40];
    date_.assign(text, std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts));
  }
  return date_;
}

}  // namespace gantry::transport
