// SPDX-License-Identifier: Apache-2.0
#include "bus.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace gantry::atspi {
namespace {

struct FailureName {
  const char* name;
  CallFailure failure;
};

constexpr std::array<FailureName, 9> kFailures = {{
    {"org.freedesktop.DBus.Error.UnknownMethod", CallFailure::kUnknownMethod},
    {"org.freedesktop.DBus.Error.UnknownObject", CallFailure::kUnknownMethod},
    {"org.freedesktop.DBus.Error.UnknownInterface", CallFailure::kUnknownMethod},
    {"org.freedesktop.DBus.Error.UnknownProperty", CallFailure::kUnknownMethod},
    {"org.freedesktop.DBus.Error.ServiceUnknown", CallFailure::kNoPeer},
    {"org.freedesktop.DBus.Error.NameHasNoOwner", CallFailure::kNoPeer},
    // What the bus answers for a peer that left before it replied.
    {"org.freedesktop.DBus.Error.NoReply", CallFailure::kNoPeer},
    {"org.freedesktop.DBus.Error.Disconnected", CallFailure::kDisconnected},
    {"org.freedesktop.DBus.Error.Timeout", CallFailure::kTimeout},
}};

CallFailure classify(const sd_bus_error* error) {
  // sd-bus makes its own time-out and closing errors with the bus daemon's NoReply name, so only
  // the text tells "the peer hangs" from "the peer left" from "the bus is gone".
  if (std::strcmp(error->name, "org.freedesktop.DBus.Error.NoReply") == 0 &&
      error->message != nullptr && std::strstr(error->message, "timed out") != nullptr) {
    return CallFailure::kTimeout;
  }
  if (error->message != nullptr && std::strcmp(error->message, "Connection terminated") == 0) {
    return CallFailure::kDisconnected;
  }
  for (const auto& [name, failure] : kFailures) {
    if (std::strcmp(error->name, name) == 0) return failure;
  }
  return CallFailure::kRefused;
}

std::string describe(const sd_bus_error* error) {
  std::string text = error->name;
  if (error->message != nullptr) text.append(": ").append(error->message);
  return text;
}

std::uint64_t micros(Clock::duration duration) {
  const auto count = std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
  return count > 0 ? static_cast<std::uint64_t>(count) : 1;
}

}  // namespace

struct Bus::Pending {
  Bus* bus;
  Batch* batch;
  std::size_t index;
  sd_bus_slot* slot = nullptr;
};

struct Bus::Batch {
  std::vector<Call> calls;
  BatchLimits limits;
  BatchOutcome outcome;
  std::vector<Pending> pending;
  std::size_t next = 0;
  std::size_t in_flight = 0;
  bool over = false;
  bool pumping = false;
  Loop::TimerId timer;
  std::coroutine_handle<> waiter;
};

Call property_call(std::string destination, std::string path, const char* interface,
                   const char* name, std::function<void(const CallResult&)> done) {
  Call call;
  call.destination = std::move(destination);
  call.path = std::move(path);
  call.interface = "org.freedesktop.DBus.Properties";
  call.member = "Get";
  call.fill = [interface, name](sd_bus_message* m) {
    return sd_bus_message_append(m, "ss", interface, name);
  };
  call.done = std::move(done);
  return call;
}

Bus::Bus(Loop& loop, sd_bus* bus) : loop_(loop), bus_(bus) {
  sd_bus_add_filter(bus_, nullptr, &Bus::on_filter, this);
  loop_.attach(this);
}

Result<std::shared_ptr<Bus>> Bus::open(Loop& loop, const std::string& address) {
  sd_bus* bus = nullptr;
  int status = sd_bus_new(&bus);
  if (status >= 0) status = sd_bus_set_address(bus, address.c_str());
  if (status >= 0) status = sd_bus_set_bus_client(bus, 1);
  // Events arrive by the thousand; asking for credentials of each would cost a system call.
  if (status >= 0) status = sd_bus_negotiate_creds(bus, 0, 0);
  if (status >= 0) status = sd_bus_start(bus);
  if (status < 0) {
    sd_bus_unref(bus);
    return unavailable("cannot connect to the D-Bus at \"" + address +
                       "\": " + std::strerror(-status));
  }
  return std::shared_ptr<Bus>(new Bus(loop, bus));
}

Bus::~Bus() {
  disconnect_handler_ = {};
  fail_all();
  loop_.detach(this);
  sd_bus_close_unref(bus_);
}

std::string Bus::unique_name() const {
  const char* name = nullptr;
  return sd_bus_get_unique_name(bus_, &name) >= 0 && name != nullptr ? name : "";
}

Result<void> Bus::add_match(const std::string& rule) {
  if (dead_) return unavailable("the accessibility bus is gone");
  const auto ignore = [](sd_bus_message*, void*, sd_bus_error*) { return 0; };
  const int status = sd_bus_add_match_async(bus_, nullptr, rule.c_str(), +ignore, nullptr, nullptr);
  if (status < 0) {
    return internal_error("the bus refused the match rule " + rule + ": " + std::strerror(-status));
  }
  return {};
}

Task<BatchOutcome> Bus::run(std::vector<Call> calls, BatchLimits limits) {
  Batch batch;
  batch.calls = std::move(calls);
  batch.limits = limits;
  batch.pending.resize(batch.calls.size());

  struct Wait {
    Bus& bus;
    Batch& batch;
    bool await_ready() {
      if (batch.calls.empty()) return true;
      bus.batches_.push_back(&batch);
      batch.timer = bus.loop_.call_at(batch.limits.deadline, [this] {
        batch.outcome.deadline_hit = true;
        bus.give_up(batch);
      });
      bus.pump(batch);
      return batch.over;
    }
    void await_suspend(std::coroutine_handle<> self) { batch.waiter = self; }
    void await_resume() {}
  };
  Wait wait{*this, batch};
  co_await wait;
  co_return batch.outcome;
}

Task<Result<bool>> Bus::call(Call call, milliseconds limit,
                             std::function<Result<void>(sd_bus_message*)> read) {
  std::string target =
      call.destination + " " + call.path + " " + call.interface + "." + call.member;
  Result<bool> result = Error{Code::DeadlineExceeded, target + " did not answer", {}};
  call.done = [&result, &read, &target](const CallResult& answer) {
    if (answer.failure == CallFailure::kNone) {
      result = true;
      if (!read) return;
      if (auto parsed = read(answer.reply); !parsed) result = parsed.error();
      return;
    }
    const Code code = answer.failure == CallFailure::kTimeout         ? Code::DeadlineExceeded
                      : answer.failure == CallFailure::kUnknownMethod ? Code::Unimplemented
                      : answer.failure == CallFailure::kRefused       ? Code::FailedPrecondition
                                                                      : Code::Unavailable;
    result = Error{code, target + ": " + answer.error, {}};
  };
  std::vector<Call> calls;
  calls.push_back(std::move(call));
  BatchLimits limits;
  limits.deadline = Clock::now() + limit;
  limits.per_call = limit;
  co_await run(std::move(calls), limits);
  co_return result;
}

void Bus::pump(Batch& batch) {
  if (batch.pumping) return;  // a failed send reports through done(), which may come back here
  batch.pumping = true;
  while (!batch.over && batch.in_flight < batch.limits.window && batch.next < batch.calls.size()) {
    const std::size_t index = batch.next++;
    if (send(batch, index)) continue;
    CallResult result;
    result.failure = CallFailure::kDisconnected;
    result.error = "the call could not be sent";
    ++batch.outcome.answered;
    batch.outcome.disconnected = true;
    if (batch.calls[index].done) batch.calls[index].done(result);
  }
  batch.pumping = false;
  if (!batch.over && batch.in_flight == 0 && batch.next == batch.calls.size()) finish(batch);
}

bool Bus::send(Batch& batch, std::size_t index) {
  if (dead_) return false;
  const Call& call = batch.calls[index];
  sd_bus_message* message = nullptr;
  int status = sd_bus_message_new_method_call(bus_, &message, call.destination.c_str(),
                                              call.path.c_str(), call.interface, call.member);
  if (status >= 0 && call.fill) status = call.fill(message);
  Pending& pending = batch.pending[index];
  pending = {this, &batch, index, nullptr};
  if (status >= 0) {
    const auto left = batch.limits.deadline - Clock::now();
    const auto limit = std::min<Clock::duration>(batch.limits.per_call, left);
    status =
        sd_bus_call_async(bus_, &pending.slot, message, &Bus::on_reply, &pending, micros(limit));
  }
  sd_bus_message_unref(message);
  if (status < 0) return false;
  ++batch.in_flight;
  ++counters_.calls;
  return true;
}

int Bus::on_reply(sd_bus_message* reply, void* data, sd_bus_error*) {
  auto& pending = *static_cast<Pending*>(data);
  Batch& batch = *pending.batch;
  Bus& bus = *pending.bus;
  pending.slot = sd_bus_slot_unref(pending.slot);
  --batch.in_flight;

  CallResult result;
  result.reply = reply;
  if (const sd_bus_error* error = sd_bus_message_get_error(reply); error != nullptr) {
    result.failure = classify(error);
    result.error = describe(error);
  }
  // The batch's own deadline cuts the last calls short; that is not the peer's silence.
  if (result.failure == CallFailure::kTimeout && Clock::now() >= batch.limits.deadline) {
    result.failure = CallFailure::kCancelled;
    batch.outcome.deadline_hit = true;
    ++batch.outcome.cancelled;
  } else {
    ++batch.outcome.answered;
  }
  batch.outcome.peer_silent |= result.failure == CallFailure::kTimeout;
  batch.outcome.disconnected |= result.failure == CallFailure::kDisconnected;
  if (auto& done = batch.calls[pending.index].done) done(result);
  if (batch.outcome.peer_silent && batch.limits.stop_at_timeout) {
    bus.give_up(batch);
  } else {
    bus.pump(batch);
  }
  return 1;
}

void Bus::give_up(Batch& batch) {
  if (batch.over) return;
  CallResult result;
  result.failure = dead_ ? CallFailure::kDisconnected : CallFailure::kCancelled;
  result.error = dead_ ? "the bus connection was lost" : "given up: the deadline passed";
  for (std::size_t index = 0; index < batch.calls.size(); ++index) {
    Pending& pending = batch.pending[index];
    const bool unsent = index >= batch.next;
    if (!unsent && pending.slot == nullptr) continue;
    pending.slot = sd_bus_slot_unref(pending.slot);
    ++batch.outcome.cancelled;
    if (batch.calls[index].done) batch.calls[index].done(result);
  }
  batch.next = batch.calls.size();
  batch.in_flight = 0;
  batch.outcome.disconnected |= dead_;
  finish(batch);
}

void Bus::finish(Batch& batch) {
  batch.over = true;
  loop_.cancel(batch.timer);
  std::erase(batches_, &batch);
  // The waiter may free the batch; nothing after this line may touch it.
  if (batch.waiter) batch.waiter.resume();
}

void Bus::fail_all() {
  dead_ = true;
  while (!batches_.empty()) give_up(*batches_.front());
}

int Bus::on_filter(sd_bus_message* message, void* data, sd_bus_error*) {
  auto& bus = *static_cast<Bus*>(data);
  std::uint8_t type = 0;
  if (sd_bus_message_get_type(message, &type) < 0 || type != SD_BUS_MESSAGE_SIGNAL) return 0;
  ++bus.counters_.signals;
  if (bus.signal_handler_) bus.signal_handler_(message);
  return 0;
}

int Bus::poll_fd() { return sd_bus_get_fd(bus_); }

short Bus::poll_events() {
  const int events = sd_bus_get_events(bus_);
  return events < 0 ? static_cast<short>(POLLIN) : static_cast<short>(events);
}

TimePoint Bus::poll_deadline() {
  std::uint64_t until = 0;
  if (sd_bus_get_timeout(bus_, &until) <= 0 || until == UINT64_MAX) return TimePoint::max();
  // sd-bus counts CLOCK_MONOTONIC microseconds, which is what steady_clock is here.
  return TimePoint(std::chrono::microseconds(until));
}

void Bus::dispatch() {
  // Bounded, so that an event flood cannot keep posted work and timers waiting.
  for (int round = 0; round < 2048 && !dead_; ++round) {
    const int status = sd_bus_process(bus_, nullptr);
    if (status == 0) break;
    if (status < 0) {
      fail_all();
      if (disconnect_handler_) disconnect_handler_();
      return;
    }
  }
}

}  // namespace gantry::atspi
