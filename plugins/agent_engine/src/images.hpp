// SPDX-License-Identifier: Apache-2.0
#pragma once
// The pictures of one turn: bytes are artifacts of the session's principal, and are read once.
// Strand only.

#include <gantry/buffer.hpp>
#include <gantry/contracts/session.hpp>
#include <gantry/host.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "store_client.hpp"

namespace gantry::agent {

class Images : public std::enable_shared_from_this<Images> {
 public:
  Images(Host& host, StoreClient& store, std::string owner)
      : host_(host), store_(store), owner_(std::move(owner)) {}

  /// Keeps a picture as an artifact. Where that is not possible the reference has no artifact, and
  /// the picture can be shown in this turn only.
  void keep(Buffer bytes, std::string media_type, std::function<void(ImageRef)> kept);
  /// Reads what of `wanted` is not here yet; what cannot be read stays away.
  void load(const std::vector<ImageRef>& wanted, std::function<void()> loaded);
  /// Runs when every picture that keep() was given has been told of; at once when all have.
  void when_kept(std::function<void()> then);
  [[nodiscard]] bool keeping() const { return keeping_ != 0; }
  /// The bytes, when they are here.
  [[nodiscard]] std::optional<Buffer> find(const ImageRef& image) const;

 private:
  Host& host_;
  StoreClient& store_;
  std::string owner_;
  std::map<std::string, Buffer> bytes_;  // by artifact, else by name
  int shown_ = 0;
  int keeping_ = 0;
  std::vector<std::function<void()>> waiting_;  // for the last of them
};

}  // namespace gantry::agent
