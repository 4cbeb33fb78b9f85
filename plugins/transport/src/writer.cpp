// SPDX-License-Identifier: Apache-2.0
#include "writer.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace gantry::transport {
namespace {

constexpr size_t kEntriesAtOnce = 32;

/// Bytes written; 0 when the socket takes nothing now; -1 when it has failed.
ssize_t write_vectors(int fd, iovec* vectors, size_t count) {
  msghdr message{};
  message.msg_iov = vectors;
  message.msg_iovlen = count;
  while (true) {
    const ssize_t done = ::sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (done >= 0) return done;
    if (errno == EINTR) continue;
    return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -1;
  }
}

iovec vector_of(std::string_view bytes) { return {const_cast<char*>(bytes.data()), bytes.size()}; }

}  // namespace

Writer::Writer(int fd, std::unique_ptr<TlsSession> tls, size_t limit, LeavingBytes& leaving)
    : fd_(fd),
      has_tls_(tls != nullptr),
      tls_(std::move(tls)),
      limit_(limit),
      leaving_(leaving, fd) {}

SendResult Writer::take(const Bytes& head, const Bytes& body, bool limited, bool hold) {
  const std::lock_guard lock(mutex_);
  if (fd_ < 0 || finished_ || failed_) return SendResult::kDropped;
  const size_t size = head.size() + body.size();
  const size_t queued = queued_.load(std::memory_order_relaxed);
  // One message larger than the limit may go to an empty queue; it could never be sent otherwise.
  if (limited && queued > 0 && queued + size > limit_) {
    overflowed_.store(true, std::memory_order_release);
    return SendResult::kDropped;
  }
  if (tls_) {
    if (!tls_->encrypt(head.view()) || !tls_->encrypt(body.view())) return SendResult::kDropped;
    return write_or_queue({Bytes(tls_->take_ciphertext()), {}}, hold);
  }
  return write_or_queue({head, body}, hold);
}

void Writer::release() {
  const std::lock_guard lock(mutex_);
  if (held_) flush_locked();
}

SendResult Writer::write_or_queue(Entry entry, bool hold) {
  const size_t size = entry.size();
  if (size == 0) return SendResult::kSent;
  if (held_ || (hold && queue_.empty())) {
    kept_ += entry.cost();
    queue_.push_back(std::move(entry));
    queued_.fetch_add(size, std::memory_order_relaxed);
    held_ = true;
    if (hold) return SendResult::kQueued;
    const Flush flushed = flush_locked();
    if (flushed == Flush::kFailed) return SendResult::kDropped;
    return flushed == Flush::kDrained ? SendResult::kSent : SendResult::kQueued;
  }
  size_t done = 0;
  if (queue_.empty()) {
    std::array<iovec, 2> vectors = {vector_of(entry.head.view()), vector_of(entry.body.view())};
    const ssize_t wrote = write_vectors(fd_, vectors.data(), vectors.size());
    if (wrote < 0) {
      failed_ = true;
      return SendResult::kDropped;
    }
    done = static_cast<size_t>(wrote);
    sent_.fetch_add(done, std::memory_order_relaxed);
    if (done == size) return SendResult::kSent;
    front_offset_ = done;
  }
  kept_ += entry.cost();
  queue_.push_back(std::move(entry));
  queued_.fetch_add(size - done, std::memory_order_relaxed);
  if (!may_wait(done > 0)) return SendResult::kDropped;
  waited_ = true;
  return SendResult::kQueued;
}

/// What the socket did not take is counted. False: too much waits for all, this peer is given up
/// and what waited for it is forgotten.
bool Writer::may_wait(bool moved) {
  if (leaving_.set(kept_, moved)) return true;
  failed_ = true;
  crowded_out_.store(true, std::memory_order_release);
  overflowed_.store(true, std::memory_order_release);
  forget_queue();
  return false;
}

Writer::Flush Writer::flush_locked() {
  const uint64_t before = sent_bytes();
  const Flush flushed = write_queue();
  if (flushed == Flush::kDrained) leaving_.set(0, true);
  if (flushed != Flush::kBlocked) return flushed;
  return may_wait(sent_bytes() != before) ? flushed : Flush::kFailed;
}

Writer::Flush Writer::write_queue() {
  held_ = false;
  if (failed_ || fd_ < 0) return Flush::kFailed;
  while (front_ < queue_.size()) {
    std::array<iovec, 2 * kEntriesAtOnce> vectors;
    size_t count = 0;
    size_t skip = front_offset_;
    for (size_t i = front_; i < std::min(queue_.size(), front_ + kEntriesAtOnce); ++i) {
      for (const Bytes* part : {&queue_[i].head, &queue_[i].body}) {
        const size_t cut = std::min(skip, part->size());
        vectors[count++] = vector_of(part->view().substr(cut));
        skip -= cut;
      }
    }
    const ssize_t wrote = write_vectors(fd_, vectors.data(), count);
    if (wrote < 0) {
      failed_ = true;
      return Flush::kFailed;
    }
    if (wrote == 0) {
      waited_ = true;
      return Flush::kBlocked;
    }
    sent_.fetch_add(static_cast<uint64_t>(wrote), std::memory_order_relaxed);
    queued_.fetch_sub(static_cast<size_t>(wrote), std::memory_order_relaxed);
    auto left = static_cast<size_t>(wrote);
    while (left > 0) {
      const size_t rest = queue_[front_].size() - front_offset_;
      if (left < rest) {
        front_offset_ += left;
        break;
      }
      left -= rest;
      front_offset_ = 0;
      kept_ -= queue_[front_].cost();
      queue_[front_++] = {};
    }
    if (front_ >= kEntriesAtOnce && front_ < queue_.size()) {
      // A peer that is always a little behind must not make the vector grow for ever.
      queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(front_));
      front_ = 0;
    }
  }
  release_queue();
  return Flush::kDrained;
}

void Writer::release_queue() {
  // Nothing waits: give the memory back, most connections never queue again.
  std::vector<Entry>().swap(queue_);
  front_ = 0;
  front_offset_ = 0;
  kept_ = 0;
}

Writer::Flush Writer::flush() {
  const std::lock_guard lock(mutex_);
  const Flush flushed = flush_locked();
  if (flushed != Flush::kDrained) return flushed;
  // Before the lock is given back: who is made to wait after that is told anew.
  return std::exchange(waited_, false) ? Flush::kDrained : Flush::kIdle;
}

void Writer::finish_with(const Bytes& frame, bool keep_queue) {
  const std::lock_guard lock(mutex_);
  if (finished_ || failed_ || fd_ < 0) return;
  finished_ = true;
  if (!keep_queue && front_ < queue_.size()) {
    // Under TLS every queued record is part of one sequence and cannot be left out.
    const size_t keep = tls_ ? queue_.size() : front_ + (front_offset_ > 0 ? 1 : 0);
    for (size_t i = keep; i < queue_.size(); ++i) {
      queued_.fetch_sub(queue_[i].size(), std::memory_order_relaxed);
      kept_ -= queue_[i].cost();
    }
    queue_.resize(keep);
    if (front_ == queue_.size()) release_queue();
    leaving_.set(kept_, false);
  }
  if (frame.empty()) return;
  if (tls_) {
    if (!tls_->encrypt(frame.view())) return;
    write_or_queue({Bytes(tls_->take_ciphertext()), {}});
    return;
  }
  write_or_queue({frame, {}});
}

TlsSession::State Writer::decrypt(std::string_view input, std::string& plain) {
  const std::lock_guard lock(mutex_);
  const auto state = tls_->feed(input, plain);
  std::string own = tls_->take_ciphertext();
  if (fd_ >= 0 && !failed_) write_or_queue({Bytes(std::move(own)), {}});
  return state;
}

bool Writer::tls_established() {
  const std::lock_guard lock(mutex_);
  return tls_ && tls_->established();
}

void Writer::shut_down() {
  const std::lock_guard lock(mutex_);
  if (fd_ < 0) return;
  finished_ = true;
  if (tls_ && !failed_) {
    tls_->shut_down();
    write_or_queue({Bytes(tls_->take_ciphertext()), {}});
  }
  ::shutdown(fd_, SHUT_WR);
}

void Writer::detach() {
  const std::lock_guard lock(mutex_);
  fd_ = -1;
  held_ = false;
  forget_queue();
}

void Writer::forget_queue() {
  release_queue();
  queued_.store(0, std::memory_order_relaxed);
  leaving_.set(0, false);
}

}  // namespace gantry::transport
