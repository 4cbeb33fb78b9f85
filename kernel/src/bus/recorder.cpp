// SPDX-License-Identifier: Apache-2.0
//
// A slot is a sequence lock of atomic words: the writer makes the sequence odd, stores the words
// with release order and makes it even; a reader that sees the same even number before and after
// has read one whole record. No fences, because ThreadSanitizer does not understand them.
#include "bus/recorder.hpp"

#include "exec/pool.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace gantry::kernel {

namespace {
constexpr std::size_t kWords = 9;
using Words = std::array<std::uint64_t, kWords>;

Words pack(const FlightRecord& r) {
  return {static_cast<std::uint64_t>(r.start_ns),
          static_cast<std::uint64_t>(r.duration_ns),
          r.contract,
          r.trace_hi,
          r.trace_lo,
          r.span,
          r.parent_span,
          r.bytes,
          std::uint64_t{r.sender} | std::uint64_t{r.receiver} << 16 | std::uint64_t{r.kind} << 32 |
              std::uint64_t{r.lane} << 40 | std::uint64_t{r.status} << 48};
}

FlightRecord unpack(const Words& w) {
  FlightRecord r;
  r.start_ns = static_cast<std::int64_t>(w[0]);
  r.duration_ns = static_cast<std::int64_t>(w[1]);
  r.contract = w[2];
  r.trace_hi = w[3];
  r.trace_lo = w[4];
  r.span = w[5];
  r.parent_span = w[6];
  r.bytes = w[7];
  r.sender = static_cast<std::uint16_t>(w[8]);
  r.receiver = static_cast<std::uint16_t>(w[8] >> 16);
  r.kind = static_cast<std::uint8_t>(w[8] >> 32);
  r.lane = static_cast<std::uint8_t>(w[8] >> 40);
  r.status = static_cast<std::uint8_t>(w[8] >> 48);
  return r;
}
}  // namespace

struct Recorder::Slot {
  std::atomic<std::uint64_t> sequence{0};
  std::array<std::atomic<std::uint64_t>, kWords> words{};
};

struct Recorder::Ring {
  explicit Ring(std::uint32_t size) : slots(std::bit_ceil(std::max(size, 2u))) {}
  std::vector<Slot> slots;
  std::uint64_t next = 0;  // the owning worker's, or guarded by mutex
  std::mutex mutex;        // only the shared ring uses it
};

Recorder::Recorder(unsigned rings, std::uint32_t records_per_ring) {
  for (unsigned i = 0; i < rings; ++i) rings_.push_back(std::make_unique<Ring>(records_per_ring));
}

Recorder::~Recorder() = default;

void Recorder::add(const FlightRecord& record) {
  const int worker = Pool::current_worker();
  const bool shared = worker < 0 || static_cast<std::size_t>(worker) + 1 >= rings_.size();
  Ring& ring = shared ? *rings_.back() : *rings_[static_cast<std::size_t>(worker)];
  std::unique_lock<std::mutex> lock(ring.mutex, std::defer_lock);
  if (shared) lock.lock();
  const std::uint64_t number = ++ring.next;
  Slot& slot = ring.slots[number & (ring.slots.size() - 1)];
  const Words words = pack(record);
  slot.sequence.store(2 * number - 1, std::memory_order_relaxed);
  for (std::size_t i = 0; i < kWords; ++i) slot.words[i].store(words[i], std::memory_order_release);
  slot.sequence.store(2 * number, std::memory_order_release);
}

std::vector<FlightRecord> Recorder::newest(std::size_t limit) const {
  std::vector<FlightRecord> records;
  for (const auto& ring : rings_) {
    for (const Slot& slot : ring->slots) {
      const std::uint64_t before = slot.sequence.load(std::memory_order_acquire);
      if (before == 0 || before % 2 != 0) continue;
      Words words;
      for (std::size_t i = 0; i < kWords; ++i) {
        words[i] = slot.words[i].load(std::memory_order_acquire);
      }
      if (slot.sequence.load(std::memory_order_acquire) == before) records.push_back(unpack(words));
    }
  }
  std::sort(records.begin(), records.end(), [](const FlightRecord& a, const FlightRecord& b) {
    return a.start_ns + a.duration_ns < b.start_ns + b.duration_ns;
  });
  if (records.size() > limit) {
    records.erase(records.begin(), records.end() - static_cast<std::ptrdiff_t>(limit));
  }
  return records;
}

}  // namespace gantry::kernel
