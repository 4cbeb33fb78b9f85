// SPDX-License-Identifier: Apache-2.0
#include "reader.hpp"

#include "diagnose.hpp"
#include "roles.hpp"

#include <algorithm>
#include <array>

namespace gantry::atspi {
namespace {

constexpr std::size_t kRememberedAnswers = 64;
constexpr std::size_t kSampledBoxes = 12;
// The window system knows a new place before the application does; boxes read meanwhile are old.
constexpr milliseconds kSettle{400};

std::string key_of(const WindowHint& hint) {
  std::string key = hint.handle + '\0' + std::to_string(hint.pid) + '\0' + hint.title + '\0';
  if (hint.bounds) {
    const Bounds& b = *hint.bounds;
    for (const int n : {b.x, b.y, b.width, b.height}) key += std::to_string(n) + ',';
  }
  return key;
}

std::int64_t unix_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<milliseconds>(now).count();
}

std::string describe(const WindowHint& hint) {
  return "window \"" + hint.title + "\"" +
         (hint.pid != 0 ? " of process " + std::to_string(hint.pid) : "");
}

const char* stop_reason(Stop stop) {
  constexpr std::array<const char*, 5> kReasons = {"", "app_hung", "app_gone", "deadline",
                                                   "node_budget"};
  return kReasons[static_cast<std::size_t>(stop)];
}

/// Nodes spread over the window whose boxes vouch for the rest.
std::vector<NodeIndex> sample_of(const AppModel& model, NodeIndex frame, std::size_t max_nodes) {
  std::vector<NodeIndex> drawn;
  for (const NodeIndex index : collect_order(model, frame, max_nodes).nodes) {
    if (model.at(index).drawn && model.at(index).bounds) drawn.push_back(index);
  }
  if (drawn.size() <= kSampledBoxes) return drawn;
  std::vector<NodeIndex> sample;
  for (std::size_t i = 0; i < kSampledBoxes; ++i) {
    sample.push_back(drawn[i * (drawn.size() - 1) / (kSampledBoxes - 1)]);
  }
  return sample;
}

}  // namespace

Task<Reader::Answer> Reader::read(WindowHint hint, ReadOptions options) {
  Job job;
  job.key = key_of(hint);
  job.hint = std::move(hint);
  job.began = Clock::now();
  job.deadline = job.began + (options.budget.count() > 0 ? options.budget : config_.tree_deadline);
  job.max_nodes = options.max_nodes > 0 ? options.max_nodes : config_.max_nodes;
  Result<bool> up = co_await link_.ensure();
  if (!up) co_return up.error();
  std::shared_ptr<Bus> bus = link_.bus();
  job.calls_before = bus->counters().calls;

  if (const auto known = answers_.find(job.key); known != answers_.end()) {
    const Cached cached = known->second;
    const bool valid = co_await still_valid(job, bus, cached);
    if (valid) {
      co_return warm(cached, job, bus->counters().calls - job.calls_before);
    }
    // The same window of an application whose window list has not changed needs no new match.
    const AppPtr app = cached.app.lock();
    if (app && app->hung && Clock::now() < app->probe_after) co_return hung(job, app);
    if (app && !app->gone && !app->hung && app->model.get(cached.frame) != nullptr &&
        app->model.at(AppModel::root()).is_fresh(kFreshChildren)) {
      Found same{app, cached.frame, cached.match};
      co_return co_await capture(std::move(job), std::move(bus), std::move(same));
    }
  }
  Result<Found> found = co_await locate(job, bus);
  if (!found) {
    if (found.error().code == Code::Aborted)
      co_return hung(job, directory_.find(found.error().detail));
    if (found.error().code == Code::Unimplemented) co_return absent(job);
    co_return found.error();
  }
  Found target = std::move(found).value();
  co_return co_await capture(std::move(job), std::move(bus), std::move(target));
}

Task<bool> Reader::still_valid(const Job& job, std::shared_ptr<Bus> bus, const Cached& cached) {
  const AppPtr app = cached.app.lock();
  if (!app || app->gone || app->hung || !cached.reusable) co_return false;
  if (cached.max_nodes != job.max_nodes || app->turn.busy()) co_return false;
  if (app->model.events() != cached.events || app->model.get(cached.frame) == nullptr)
    co_return false;
  const ToolkitTraits& traits = app->traits();
  if (!traits.tree_events) co_return false;
  if (traits.bounds_events) co_return true;
  Fetch fetch(bus, config_);
  const bool unmoved =
      co_await fetch.bounds_unmoved(*app, sample_of(app->model, cached.frame.index, job.max_nodes),
                                    std::min(job.deadline, Clock::now() + config_.call_timeout));
  if (!unmoved) app->model.stale_subtree(cached.frame.index, kFreshBounds | kFreshProps);
  co_return unmoved && app->model.events() == cached.events;
}

std::shared_ptr<const Tree> Reader::warm(const Cached& cached, const Job& job,
                                         std::uint64_t calls) {
  if (const AppPtr app = cached.app.lock()) app->last_used = Clock::now();
  // A large tree is copied once, not at every look.
  if (calls == 0 && cached.warm != nullptr) return cached.warm;
  auto tree = std::make_shared<Tree>(*cached.tree);
  tree->from_cache = true;
  tree->calls = calls;
  const auto known = answers_.find(job.key);
  if (calls == 0 && known != answers_.end() && known->second.tree == cached.tree) {
    known->second.warm = tree;
  }
  return tree;
}

Task<Result<Reader::Found>> Reader::locate(const Job& job, std::shared_ptr<Bus> bus) {
  const bool known = job.hint.pid != 0 && !directory_.of_process(job.hint.pid).empty();
  Result<bool> listed = co_await directory_.refresh(bus, job.deadline, !known);
  if (!listed) co_return listed.error();
  if (job.hint.pid != 0) {
    Result<Found> found = co_await choose(job, bus, directory_.of_process(job.hint.pid));
    // Only a process that is nowhere on the bus is looked for under other ids: sandboxes and
    // launchers make the window's process differ from the one on the bus.
    if (found || found.error().code != Code::Unimplemented) co_return found;
  }
  co_return co_await choose(job, bus, directory_.of_process(0));
}

Task<Stop> Reader::survey(std::shared_ptr<Bus> bus, AppPtr app, TimePoint deadline) {
  Fetch fetch(bus, config_);
  Stop stop = Stop::kNone;
  if (!app->identified) {
    stop = co_await fetch.identify(*app);
    // On the bus, but not yet (or never) an accessible application: nothing of it is remembered.
    if (stop == Stop::kNone && !app->identified) co_return Stop::kGone;
  }
  if (stop == Stop::kNone) stop = co_await fetch.frames(*app, deadline);
  if (stop == Stop::kNone) {
    std::vector<NodeIndex> frames;
    const bool trusted = app->traits().bounds_events;
    for (const NodeIndex frame : app->model.at(AppModel::root()).children) {
      if (!trusted || !app->model.at(frame).is_fresh(kFreshBounds)) frames.push_back(frame);
    }
    stop = co_await fetch.bounds(*app, std::move(frames), deadline);
  }
  if (stop == Stop::kHung) directory_.quarantine(bus, app);
  if (stop == Stop::kNone) Directory::absolve(*app);
  co_return stop;
}

Task<Result<Reader::Found>> Reader::choose(const Job& job, std::shared_ptr<Bus> bus,
                                           std::vector<AppPtr> apps) {
  std::vector<FrameCandidate> candidates;
  std::vector<Found> founds;
  std::string silent;
  std::string seen;
  std::vector<AppPtr> awake;
  std::vector<NodeRecord*> roots;
  std::vector<Task<Stop>> surveys;
  for (const AppPtr& app : apps) {
    if (app->hung && Clock::now() < app->probe_after) {
      if (app->pid == job.hint.pid) silent = app->model.bus_name();
      continue;
    }
    awake.push_back(app);
    surveys.push_back(survey(bus, app, job.deadline));
  }
  // Side by side: one that turns out to be silent costs its own time-out once, not everybody's.
  auto surveyed = all(std::move(surveys));
  const std::vector<Stop> stops = co_await surveyed;
  for (std::size_t i = 0; i < awake.size(); ++i) {
    const AppPtr& app = awake[i];
    if (stops[i] == Stop::kHung && app->pid == job.hint.pid) silent = app->model.bus_name();
    if (stops[i] != Stop::kNone) continue;
    NodeRecord& root = app->model.at(AppModel::root());
    if (root.children.empty() || job.hint.pid == 0 || app->pid == job.hint.pid)
      roots.push_back(&root);
    for (const NodeIndex index : root.children) {
      const NodeRecord& node = app->model.at(index);
      FrameCandidate candidate;
      candidate.pid = app->pid;
      candidate.name = node.name;
      candidate.bounds = node.bounds;
      candidate.window_relative = app->traits().window_relative;
      candidate.showing = node.states.showing();
      seen += (seen.empty() ? "\"" : ", \"") + node.name + "\"";
      candidates.push_back(std::move(candidate));
      founds.push_back({app, app->model.handle(index), {}});
    }
  }
  const std::optional<FrameMatch> match = match_frame(job.hint, candidates);
  if (match) {
    Found found = founds[match->index];
    found.match = *match;
    co_return found;
  }
  // GTK 4 has no windows to tell of before the registry knows it, and sends no event for them
  // after.
  for (NodeRecord* root : roots) root->stale(kFreshChildren);
  // Aborted: hung; Unimplemented: nobody on the bus. read() turns both into degraded trees.
  if (!silent.empty()) co_return Error{Code::Aborted, "the application is silent", silent};
  const bool mine_is_here = job.hint.pid != 0 && !directory_.of_process(job.hint.pid).empty();
  if (!mine_is_here || seen.empty()) {
    co_return Error{Code::Unimplemented, "no accessible application has " + describe(job.hint), {}};
  }
  co_return not_found("no accessible frame matches " + describe(job.hint) +
                      "; the application has " + seen + "; list the windows again");
}

void Reader::note_place(const Job& job, App& app, NodeHandle frame) {
  NodeRecord* node = app.model.get(frame);
  if (node == nullptr || !job.hint.bounds) return;
  const TimePoint now = Clock::now();
  if (node->window_bounds != job.hint.bounds) {
    // Moving a window moves every box in it, and no toolkit says so.
    const bool first = !node->window_bounds;
    node->window_bounds = job.hint.bounds;
    if (!first) node->moved_at = now;
    if (!first) app.model.stale_subtree(frame.index, kFreshBounds);
  } else if (now - node->moved_at < kSettle) {
    app.model.stale_subtree(frame.index, kFreshBounds);
  }
}

Task<Stop> Reader::fill(const Job& job, Fetch& fetch, App& app, NodeHandle frame) {
  Stop stop = co_await fetch.load_cache(app, link_.registered_at(), job.deadline);
  if (stop != Stop::kNone || app.model.get(frame) == nullptr) co_return stop;
  const FetchLimits limits{job.deadline, job.max_nodes};
  if (app.traits().lazy_cache) {
    const std::uint64_t before = app.model.sequence();
    stop = co_await fetch.reload_lazy(app, frame.index, limits);
    if (stop != Stop::kNone && stop != Stop::kBudget) co_return stop;
    bool unmoved = app.model.sequence() == before;
    if (unmoved) {
      std::vector<NodeIndex> sample = sample_of(app.model, frame.index, job.max_nodes);
      unmoved =
          !sample.empty() && co_await fetch.bounds_unmoved(app, std::move(sample), job.deadline);
    }
    app.model.stale_subtree(frame.index,
                            kFreshText | kFreshRange | (unmoved ? 0U : unsigned{kFreshBounds}));
  }
  const Stop repaired = co_await fetch.repair(app, frame.index, limits);
  if (repaired != Stop::kNone && repaired != Stop::kBudget) co_return repaired;
  Order order = collect_order(app.model, frame.index, job.max_nodes);
  stop = co_await fetch.details(app, std::move(order), job.deadline);
  co_return stop != Stop::kNone ? stop : repaired;
}

Task<Reader::Answer> Reader::capture(Job job, std::shared_ptr<Bus> bus, Found found) {
  App& app = *found.app;
  co_await app.turn.acquire();
  app.last_used = Clock::now();
  const ToolkitTraits& traits = app.traits();
  if (!traits.tree_events && !traits.lazy_cache) {
    app.model.stale_subtree(found.frame.index, kFreshAll);
  } else if (!traits.bounds_events && !traits.lazy_cache) {
    app.model.stale_subtree(found.frame.index, kFreshBounds);
  }
  note_place(job, app, found.frame);
  const std::uint64_t events = app.model.events();
  Fetch fetch(bus, config_);
  const Stop stop = co_await fill(job, fetch, app, found.frame);
  if (stop == Stop::kHung) directory_.quarantine(bus, found.app);
  std::shared_ptr<Tree> tree;
  if (app.model.get(found.frame) != nullptr) tree = build(job, found, stop);
  app.turn.release();
  if (!tree) {
    co_return not_found(describe(job.hint) + " closed while it was read; list the windows again");
  }
  // A page may come into the tree without a word: the next read starts from the application again.
  if (tree->degraded && tree->degraded->reason == "renderer_off") app.loaded = false;
  tree->calls = bus->counters().calls - job.calls_before;
  remember(job, found, tree, events);
  directory_.evict();
  co_return std::shared_ptr<const Tree>(std::move(tree));
}

std::shared_ptr<Tree> Reader::build(const Job& job, const Found& found, Stop stop) {
  App& app = *found.app;
  const Order order = collect_order(app.model, found.frame.index, job.max_nodes);
  const FrameOffset offset = frame_offset(app.model.at(found.frame.index).bounds, job.hint.bounds,
                                          app.traits().window_relative);
  auto tree = std::make_shared<Tree>();
  tree->nodes = assemble(app.model, order, offset);
  tree->app_name = app.name;
  tree->toolkit = app.toolkit_label();
  tree->pid = app.pid;
  tree->matched_by = found.match.rule;
  tree->match_ambiguous = found.match.ambiguous;
  tree->sequence = app.model.sequence();
  tree->captured_at = unix_ms();
  tree->capture_ms = std::chrono::duration<double, std::milli>(Clock::now() - job.began).count();
  const bool cut_below = std::any_of(tree->nodes.begin(), tree->nodes.end(),
                                     [](const TreeNode& node) { return node.children_truncated; });
  tree->truncated = stop != Stop::kNone || order.cut || cut_below;
  if (tree->truncated) {
    tree->truncated_reason = stop != Stop::kNone ? stop_reason(stop)
                             : order.cut         ? "node_budget"
                                                 : "children_budget";
  }
  if (stop == Stop::kHung) {
    tree->degraded = Degraded{"app_hung", "\"" + app.name + "\" stopped answering during the read",
                              "wait until it responds, or restart it"};
  } else {
    tree->degraded = diagnose_renderer(app, order);
  }
  return tree;
}

void Reader::remember(const Job& job, const Found& found, std::shared_ptr<const Tree> tree,
                      std::uint64_t events_before) {
  const App& app = *found.app;
  if (answers_.size() >= kRememberedAnswers && !answers_.contains(job.key)) {
    answers_.erase(std::min_element(
        answers_.begin(), answers_.end(),
        [](const auto& a, const auto& b) { return a.second.used < b.second.used; }));
  }
  Cached cached;
  cached.tree = std::move(tree);
  cached.app = found.app;
  cached.frame = found.frame;
  cached.match = found.match;
  cached.events = app.model.events();
  cached.max_nodes = job.max_nodes;
  // A degraded or cut answer is never repeated from memory: the next read may get further.
  const NodeRecord& frame = app.model.at(found.frame.index);
  cached.reusable = cached.events == events_before && !cached.tree->truncated &&
                    !cached.tree->degraded && !app.gone && Clock::now() - frame.moved_at >= kSettle;
  cached.used = Clock::now();
  answers_[job.key] = std::move(cached);
}

Reader::Answer Reader::hung(const Job& job, const AppPtr& app) {
  auto tree = std::make_shared<Tree>();
  // The last view, marked as such, is worth more than nothing: the agent can name what hangs.
  if (const auto known = answers_.find(job.key); known != answers_.end()) {
    *tree = *known->second.tree;
    tree->from_cache = true;
  }
  if (app) {
    tree->app_name = app->name;
    tree->toolkit = app->toolkit_label();
    tree->pid = app->pid;
  } else {
    tree->pid = job.hint.pid;
  }
  const std::string name = app && !app->name.empty() ? app->name : describe(job.hint);
  tree->truncated = true;
  tree->truncated_reason = "app_hung";
  tree->degraded = Degraded{"app_hung", "\"" + name + "\" does not answer on the accessibility bus",
                            "wait until it responds, or restart it; it is probed again by itself"};
  if (tree->captured_at == 0) tree->captured_at = unix_ms();
  return std::shared_ptr<const Tree>(std::move(tree));
}

Reader::Answer Reader::absent(const Job& job) const {
  auto tree = std::make_shared<Tree>();
  tree->pid = job.hint.pid;
  tree->captured_at = unix_ms();
  tree->degraded = diagnose_missing(job.hint.pid);
  return std::shared_ptr<const Tree>(std::move(tree));
}

}  // namespace gantry::atspi
