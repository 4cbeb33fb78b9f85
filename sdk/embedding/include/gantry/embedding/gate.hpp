// SPDX-License-Identifier: Apache-2.0
//
// Gate: so many requests at a time, the others in line for a while. Strand only.
#pragma once

#include <gantry/host.hpp>
#include <gantry/result.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>

namespace gantry::embedding {

class Gate {
 public:
  struct Limits {
    std::size_t concurrent = 32;
    std::size_t waiting = 256;
    Duration queue_timeout = std::chrono::seconds(5);
  };
  /// Why a request was turned away.
  enum class Refusal { Full, Waited, Stopped };
  /// `begin` runs when there is room, with how long it waited; who was let in calls leave() once.
  struct Request {
    std::function<void(Duration waited)> begin;
    std::function<void(Refusal)> refuse;
  };
  using Place = std::uint64_t;

  explicit Gate(Host& host) : host_(host) {}
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  void configure(const Limits& limits);
  /// Begins or refuses at once, or later; the place serves to give up while it waits.
  Place enter(Request request);
  /// Nobody wants it any more; nothing happens when it has begun.
  void give_up(Place place);
  void leave();
  /// Refuses what waits and what comes.
  void stop();

  [[nodiscard]] std::size_t under_way() const { return under_way_; }
  [[nodiscard]] std::size_t waiting() const { return line_.size(); }

 private:
  struct Waiting {
    Place place = 0;
    std::int64_t since_ns = 0;
    Request request;
    Timer timer;
  };

  void admit();
  void expire(Place place);
  [[nodiscard]] std::list<Waiting>::iterator find(Place place);

  Host& host_;
  Limits limits_;
  std::list<Waiting> line_;
  std::size_t under_way_ = 0;
  Place last_ = 0;
  bool stopped_ = false;
};

}  // namespace gantry::embedding
