// SPDX-License-Identifier: Apache-2.0
#include "mailbox.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

namespace gantry::transport {

Mailbox::Mailbox() : event_fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

Mailbox::~Mailbox() { ::close(event_fd_); }

void Mailbox::post(Command command) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    commands_.push_back(std::move(command));
  }
  if (sleeping_.exchange(false)) {
    const uint64_t one = 1;
    // Fails only when the counter is full, and then the loop is awake anyway.
    [[maybe_unused]] const ssize_t written = ::write(event_fd_, &one, sizeof one);
  }
}

void Mailbox::run(std::function<void()> task) {
  Command command;
  command.data = std::make_unique<CommandData>();
  command.data->task = std::move(task);
  post(std::move(command));
}

bool Mailbox::prepare_sleep() {
  sleeping_.store(true);
  const std::lock_guard lock(mutex_);
  if (commands_.empty()) return false;
  sleeping_.store(false);
  return true;
}

void Mailbox::woken() { sleeping_.store(false); }

void Mailbox::take(std::vector<Command>& into) {
  into.clear();
  const std::lock_guard lock(mutex_);
  into.swap(commands_);
}

void Mailbox::close() {
  std::vector<Command> rest;
  const std::lock_guard lock(mutex_);
  closed_ = true;
  rest.swap(commands_);
}

}  // namespace gantry::transport
