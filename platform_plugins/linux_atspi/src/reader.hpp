// SPDX-License-Identifier: Apache-2.0
// Reading the tree of one window: find the application, match the frame, make the cache current,
// assemble. Bus thread only.
#pragma once

#include "assemble.hpp"
#include "directory.hpp"
#include "fetch.hpp"
#include "link.hpp"
#include "tree.hpp"
#include "window_match.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace gantry::atspi {

struct ReadOptions {
  milliseconds budget{0};     ///< 0: AtspiConfig::tree_deadline
  std::size_t max_nodes = 0;  ///< 0: AtspiConfig::max_nodes
};

class Reader {
 public:
  Reader(BusLink& link, Directory& directory, const AtspiConfig& config)
      : link_(link), directory_(directory), config_(config) {}

  /// The window's tree. A window whose application is missing, silent or blind answers a Tree
  /// without or with fewer nodes and `degraded` filled; errors are: unavailable (no bus),
  /// not_found (the application is there, but none of its frames is this window).
  Task<Result<std::shared_ptr<const Tree>>> read(WindowHint hint, ReadOptions options);
  /// Forgets every answer; called when the bus went away.
  void reset() { answers_.clear(); }

 private:
  using Answer = Result<std::shared_ptr<const Tree>>;
  struct Cached {
    std::shared_ptr<const Tree> tree;
    std::shared_ptr<const Tree> warm;  ///< The same, marked as answered without reading.
    std::weak_ptr<App> app;
    NodeHandle frame;
    FrameMatch match;
    std::uint64_t events = 0;
    std::size_t max_nodes = 0;
    bool reusable = false;  ///< no event came in between: the tree is one consistent view
    TimePoint used{};
  };
  struct Found {
    AppPtr app;
    NodeHandle frame;
    FrameMatch match;
  };
  struct Job {
    WindowHint hint;
    std::string key;
    TimePoint began;
    TimePoint deadline;
    std::size_t max_nodes = 0;
    std::uint64_t calls_before = 0;
  };

  Task<Result<Found>> locate(const Job& job, std::shared_ptr<Bus> bus);
  Task<Result<Found>> choose(const Job& job, std::shared_ptr<Bus> bus, std::vector<AppPtr> apps);
  Task<Stop> survey(std::shared_ptr<Bus> bus, AppPtr app, TimePoint deadline);
  Task<Answer> capture(Job job, std::shared_ptr<Bus> bus, Found found);
  Task<Stop> fill(const Job& job, Fetch& fetch, App& app, NodeHandle frame);
  void note_place(const Job& job, App& app, NodeHandle frame);
  Task<bool> still_valid(const Job& job, std::shared_ptr<Bus> bus, const Cached& cached);
  std::shared_ptr<Tree> build(const Job& job, const Found& found, Stop stop);
  std::shared_ptr<const Tree> warm(const Cached& cached, const Job& job, std::uint64_t calls);
  Answer hung(const Job& job, const AppPtr& app);
  Answer absent(const Job& job) const;
  void remember(const Job& job, const Found& found, std::shared_ptr<const Tree> tree,
                std::uint64_t events_before);

  BusLink& link_;
  Directory& directory_;
  const AtspiConfig& config_;
  std::map<std::string, Cached> answers_;
};

}  // namespace gantry::atspi
