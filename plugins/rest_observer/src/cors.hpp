// SPDX-License-Identifier: Apache-2.0
#pragma once
// Cross-origin headers for the origins that the configuration lists (observer contract 1.1).
// Whether a foreign origin may ask at all is the listener's decision; these headers let a page read
// the answer.

#include <gantry/contracts/http.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace gantry::rest_observer {

class Cors {
 public:
  explicit Cors(std::vector<std::string> origins = {}) : origins_(std::move(origins)) {}

  /// Adds what a listed origin needs: the echo of its name, and on a preflight the methods and the
  /// headers that it asked for.
  void apply(const HttpRequest& request, HttpResponse& response) const;

 private:
  [[nodiscard]] bool listed(std::string_view origin) const;
  std::vector<std::string> origins_;
};

/// The value of a header (name in lower case), or an empty text.
[[nodiscard]] std::string_view header_of(const HttpRequest& request, std::string_view name);

}  // namespace gantry::rest_observer
