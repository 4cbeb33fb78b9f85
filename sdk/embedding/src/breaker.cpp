// SPDX-License-Identifier: Apache-2.0
#include <gantry/embedding/breaker.hpp>

namespace gantry::embedding {

std::optional<Breaker::Ticket> Breaker::enter(std::int64_t now_ns) {
  if (!open_) return epoch_;
  if (now_ns < open_until_ns_ || probing_) return std::nullopt;
  probing_ = true;
  return epoch_;
}

void Breaker::succeeded(Ticket ticket) {
  if (ticket != epoch_) return;
  failures_ = 0;
  if (!open_) return;
  open_ = probing_ = false;
  ++epoch_;
}

void Breaker::failed(Ticket ticket, std::int64_t now_ns) {
  if (ticket != epoch_) return;
  if (open_ || ++failures_ >= limits_.failures) open(now_ns);
}

void Breaker::abandoned(Ticket ticket) {
  if (ticket == epoch_) probing_ = false;
}

void Breaker::open(std::int64_t now_ns) {
  open_ = true;
  probing_ = false;
  failures_ = 0;
  open_until_ns_ = now_ns + limits_.cooldown.count();
  ++epoch_;
}

}  // namespace gantry::embedding
