// SPDX-License-Identifier: Apache-2.0
#pragma once
// One collection of the store: small, read as a whole at the start, written through. Strand only.

#include <gantry/host.hpp>
#include <gantry/json.hpp>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gantry::chat_cortask {

class Shelf {
 public:
  using Done = std::function<void(Result<void>)>;
  using Change = std::pair<std::string, std::optional<Json>>;  // key and body; none: it goes

  Shelf(Host& host, std::string collection) : host_(host), collection_(std::move(collection)) {}

  /// Everything that is there, by key. Waits.
  [[nodiscard]] Result<std::map<std::string, Json>> read_all();
  /// All changes, or none.
  void write(std::vector<Change> changes, Done done);

 private:
  Host& host_;
  std::string collection_;
};

}  // namespace gantry::chat_cortask
