// SPDX-License-Identifier: Apache-2.0
//
// StreamLink: an open stream with its two sides. Side 0 opened it, side 1 serves it.
//
// Each side has an inbox of chunks that is bounded by the credit it gave, and one queue item that
// stands in its strand while there is something to deliver; so a chunk in flight costs one slot in
// the inbox and an idle stream costs nothing but itself: about half a kilobyte, which matters
// because every WebSocket that is open has one.
#pragma once

#include "bus/body.hpp"
#include "bus/contract.hpp"
#include "bus/recorder.hpp"
#include "exec/context.hpp"
#include "exec/ring.hpp"
#include "exec/strand.hpp"

#include <gantry/abi/bus.h>

#include <array>
#include <memory>
#include <mutex>
#include <string>

struct gantry_stream {};  // what plugins hold is a StreamLink::Side

namespace gantry::kernel {

struct StreamConfig {
  gantry_host* opener = nullptr;
  Contract* contract = nullptr;
  BodyRef opening;
  gantry_stream_options options{};  // of the opener
  gantry_stream_events events{};
  void* user = nullptr;
  std::string target;
};

// Thread-safe. No lock is held while plugin code runs.
class StreamLink final : public Demand {
 public:
  class Side;

  explicit StreamLink(StreamConfig config);
  ~StreamLink() override;

  // Puts the opening on its way. `out` gets the opener's reference before any handler can run.
  void start(gantry_stream*& out);
  // Ends the sides that belong to a plugin which stops.
  void host_stops(const gantry_host& host);

  void offer(const Ref<Provider>& provider) override;
  void refuse(Failure failure) override;
  std::string_view target() const override { return target_; }
  std::uint32_t kind() const override { return GANTRY_STREAM; }

  static gantry_status accept(gantry_stream* stream, const gantry_stream_options* options,
                              const gantry_stream_events* events, void* user);
  static gantry_status send(gantry_stream* stream, const gantry_body* chunk);
  static void grant(gantry_stream* stream, std::uint32_t chunks);
  static void close(gantry_stream* stream, Failure failure);
  static void retain_side(gantry_stream* stream);
  static void release_side(gantry_stream* stream);

  // As an item it delivers what there is.
  class Side final : public gantry_stream, public Item {
   public:
    void run() override;
    void drop() override;

    StreamLink* link = nullptr;
    gantry_host* host = nullptr;
    Strand* strand = nullptr;
    gantry_stream_events events{};
    void* user = nullptr;
    std::uint64_t handle = 0;  // in the host's table
    std::atomic<std::uint32_t> refs{0};
    Lane lane = Lane::interactive;
    // Guarded by the link's mutex:
    bool attached = false;  // events are set: opened or accepted
    bool manual_credit = false;
    bool scheduled = false;     // it stands in the strand
    bool closed = false;        // it closed, or its plugin stopped: nothing but drop() comes
    bool ended = false;         // on_end and drop were called, or are being called
    bool end_due = false;       // the other side closed
    bool wants_credit = false;  // a send was refused
    bool writable_due = false;
    std::int64_t credit = 0;  // chunks it may still send
    Ring<BodyRef, 0> inbox;
    std::unique_ptr<Failure> end;  // how the other side ended; nullptr: OK
  };

 private:
  struct OpeningItem final : Item {
    explicit OpeningItem(StreamLink& of) : link(of) {}
    void run() override;
    void drop() override;
    StreamLink& link;
  };

  static Side& side_of(gantry_stream* stream) { return *static_cast<Side*>(stream); }
  Side& other(const Side& side) { return &side == &sides_[0] ? sides_[1] : sides_[0]; }
  const Side& other(const Side& side) const { return &side == &sides_[0] ? sides_[1] : sides_[0]; }
  void close_side(Side& side, Failure failure);
  // What one turn on the strand has delivered, and when.
  struct Batch {
    bool full();  // counts one more
    int done = 0;
    std::int64_t begun_ns = 0;
    std::int64_t now_ns = 0;  // after the last chunk; 0: none yet
  };
  void deliver(Side& side);
  bool deliver_one(Side& side, std::unique_lock<std::mutex>& lock, Batch& batch);
  void deliver_chunk(Side& side, std::unique_lock<std::mutex>& lock, Batch& batch);
  void deliver_end(Side& side, std::unique_lock<std::mutex>& lock);
  void drop_side(Side& side, std::unique_lock<std::mutex>& lock);
  // Under the lock: true when the caller must post the side after unlocking.
  bool schedule(Side& side);
  void post_drain(Side& side);
  void give_credit(Side& to, std::int64_t chunks, bool& post);
  void forget(Side& side);
  // Both plugins' numbers. Under the lock, unless a chunk of `receiver` is being delivered: then
  // both are known for good.
  FlightRecord record_for(const Side& receiver) const;
  void record(FlightRecord record, std::int64_t start_ns, std::int64_t end_ns, std::size_t bytes,
              gantry_status status);

  // The trace of the opening. Neither deadline nor cancellation: a stream outlives its opener's
  // work.
  struct Trace {
    std::uint64_t hi, lo, span, parent;
  };
  Context context() const;
  const std::string& name() const;

  gantry_host* const opener_;
  Contract* const contract_;
  BodyRef opening_;
  const std::uint64_t key_;
  std::string target_;
  Trace trace_{};
  std::int64_t start_ns_ = 0;
  OpeningItem opening_item_{*this};
  Ref<Provider> provider_;
  std::mutex mutex_;
  std::array<Side, 2> sides_;
};

}  // namespace gantry::kernel
