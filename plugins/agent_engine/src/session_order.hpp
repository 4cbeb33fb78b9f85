// SPDX-License-Identifier: Apache-2.0
#pragma once
// One principal's sessions in the order of their latest change, so that a page of a long list needs
// the records of that page alone.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gantry::agent {

class SessionOrder {
 public:
  SessionOrder() = default;
  SessionOrder(const SessionOrder&) = delete;  // it points into itself
  SessionOrder& operator=(const SessionOrder&) = delete;

  /// The session was changed then; an earlier change than is known of moves nothing.
  void put(const std::string& id, const std::string& workspace, std::int64_t updated_ms);
  void remove(const std::string& id);

  [[nodiscard]] std::int64_t count(const std::optional<std::string>& workspace) const;
  /// Ids of a page, latest change first, of one workspace or of all.
  [[nodiscard]] std::vector<std::string> page(const std::optional<std::string>& workspace,
                                              std::int64_t offset, std::size_t limit) const;

 private:
  using Workspaces = std::map<std::string, std::int64_t>;  // to how many sessions it has
  struct Place {
    std::int64_t updated_ms;
    std::string id;
    Workspaces::value_type* workspace;

    bool operator<(const Place& other) const {
      return updated_ms != other.updated_ms ? updated_ms > other.updated_ms : id < other.id;
    }
  };
  using Places = std::set<Place>;

  void erase(Places::iterator place);

  Workspaces workspaces_;
  Places places_;
  std::unordered_map<std::string_view, Places::iterator> by_id_;  // names in places_
};

}  // namespace gantry::agent
