// SPDX-License-Identifier: Apache-2.0
#include "exec/pool.hpp"
#include "exec/thread_name.hpp"

namespace gantry::kernel {

DedicatedThread::DedicatedThread(Strand& strand, const char* name) : strand_(strand) {
  thread_ = std::thread([this, label = std::string(name)] {
    set_thread_name(label.c_str());
    main();
  });
}

DedicatedThread::~DedicatedThread() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    wake_.notify_one();
  }
  thread_.join();
}

void DedicatedThread::submit(RunNode& node) {
  std::lock_guard lock(mutex_);
  pending_[static_cast<std::size_t>(node.urgency)] = &node;
  wake_.notify_one();
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
      wake_.wait(lock);
      continue;
    }
    lock.unlock();
    strand_.run_batch(*node, false);
    lock.lock();
  }
}

}  // namespace gantry::kernel
