// SPDX-License-Identifier: Apache-2.0
#pragma once
// Credentials as they are kept: encrypted and authenticated (AES-256-GCM), with a key that is not
// in the store.

#include <gantry/result.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace gantry::chat_cortask {

class Seal {
 public:
  /// The key is made of `secret`, or without one read from a file in `folder` that only the
  /// daemon's user may read; made when it is missing. Blocks. Errors: unavailable.
  [[nodiscard]] static Result<Seal> make(std::string_view secret, const std::string& folder);

  /// Base64 of nonce, tag and what is sealed. `name` belongs to it: what is sealed under one name
  /// cannot be opened under another. Errors: internal.
  [[nodiscard]] Result<std::string> close(std::string_view name, std::string_view text) const;
  /// Errors: data_loss (another key, another name, or changed bytes).
  [[nodiscard]] Result<std::string> open(std::string_view name, std::string_view sealed) const;

 private:
  using Key = std::array<std::uint8_t, 32>;
  explicit Seal(const Key& key) : key_(key) {}

  Key key_{};
};

}  // namespace gantry::chat_cortask
