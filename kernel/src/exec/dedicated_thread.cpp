// SPDX-License-Identifier: Apache-2.0
#include "exec/pool.hpp"
#include "exec/thread_name.hpp"

#include <utility>

namespace gantry::kernel {

DedicatedThread::DedicatedThread(Strand& strand, const char* name) : strand_(strand) {
  thread_ = std::thread([this, label = std::string(name)] {
    set_thread_name(label.c_str());
    main();
  });
}

DedicatedThread::~DedicatedThread() {
  bool sleeps = false;
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    sleeps = std::exchange(idle_, false);
  }
  if (sleeps) parker_.wake();
  thread_.join();
}

void DedicatedThread::submit(RunNode& node) {
  bool sleeps = false;
  {
    std::lock_guard lock(mutex_);
    pending_[static_cast<std::size_t>(node.urgency)] = &node;
    sleeps = std::exchange(idle_, false);
  }
  if (sleeps) parker_.wake();
}

void DedicatedThread::main() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    RunNode* node = nullptr;
    for (RunNode*& pending : pending_) {
      if (pending != nullptr) {
        node = pending;
        pending = nullptr;
        break;
      }
    }
    if (node == nullptr) {
      idle_ = true;
      parker_.prepare();
    }
    lock.unlock();
    if (node != nullptr) {
      strand_.run_batch(*node, false);
    } else {
      parker_.park();
    }
    lock.lock();
  }
}

}  // namespace gantry::kernel
