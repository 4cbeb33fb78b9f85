// SPDX-License-Identifier: Apache-2.0
//
// Flight recorder: the last envelopes that each worker delivered, kept all the time and read only
// when somebody asks (`gantry trace`). Writing costs a dozen plain stores and no lock.
#pragma once

#include <gantry/abi/bus.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace gantry::kernel {

// One delivery: an event handled, a call finished, a chunk handled, a stream ended.
struct FlightRecord {
  std::int64_t start_ns = 0;     // monotonic
  std::int64_t duration_ns = 0;  // of the handler, or of the whole call
  std::uint64_t contract = 0;
  std::uint64_t trace_hi = 0, trace_lo = 0, span = 0;
  std::uint64_t parent_span = 0;           // of whoever published, called or opened it; 0: nobody
  std::uint64_t bytes = 0;                 // weight of the body, or of the response
  std::uint16_t sender = 0, receiver = 0;  // gantry_host::index; kNoHost: none
  std::uint8_t kind = 0;                   // gantry_contract_kind
  std::uint8_t lane = 0;                   // gantry_lane
  std::uint8_t status = 0;                 // gantry_status
};

inline constexpr std::uint16_t kNoHost = 0xffff;

class Recorder {
 public:
  // One ring for each of `rings - 1` workers, and one shared by all other threads.
  Recorder(unsigned rings, std::uint32_t records_per_ring);
  ~Recorder();

  void add(const FlightRecord& record);  // [thread: any]
  // The newest records of all rings, oldest first, at most `limit`. [thread: any]
  std::vector<FlightRecord> newest(std::size_t limit) const;

 private:
  struct Slot;
  struct Ring;
  std::vector<std::unique_ptr<Ring>> rings_;
};

}  // namespace gantry::kernel
