// SPDX-License-Identifier: Apache-2.0
#pragma once
// Everything that is offered, of all sources. What changes rarely (tools, prompts, templates) is
// kept until somebody says that it has changed; resources are asked for each time. The order is
// that of the sources, then theirs, so the same offer always has the same text. Strand only.

#include <gantry/mcp/revision.hpp>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "environment.hpp"
#include "source.hpp"

namespace gantry::mcp {

using Sources = std::vector<std::shared_ptr<Source>>;
/// Finds the sources that there are now, the observer first, the others by name.
using FindSources = std::function<void(std::function<void(Sources)>)>;

template <class T>
struct Entry {
  std::shared_ptr<Source> source;
  T what;
};

/// One kind of things that all sources list.
template <class T>
class Offer {
 public:
  using List = void (Source::*)(Done<std::vector<T>>);
  /// `key` names a thing; of two with the same name the first counts. `problem` refuses one.
  Offer(Environment& environment, FindSources find, List list, const std::string& (*key)(const T&),
        std::string (*problem)(const T&))
      : environment_(environment),
        find_(std::move(find)),
        list_(list),
        key_(key),
        problem_(problem) {}

  /// Runs `ready` when entries() are there: at once when they are.
  void load(std::function<void()> ready);
  void invalidate() { ++wanted_; }
  [[nodiscard]] const std::vector<Entry<T>>& entries() const { return entries_; }
  [[nodiscard]] const Entry<T>* find(std::string_view name) const;
  /// Grows whenever entries() are others.
  [[nodiscard]] std::uint64_t version() const { return version_; }

 private:
  struct Loading;
  void finish(Loading& loading);

  Environment& environment_;
  FindSources find_;
  List list_;
  const std::string& (*key_)(const T&);
  std::string (*problem_)(const T&);
  std::vector<Entry<T>> entries_;
  std::vector<std::function<void()>> waiting_;
  std::uint64_t wanted_ = 1;  // what somebody has said that there is
  std::uint64_t loaded_ = 0;  // what entries_ show
  std::uint64_t version_ = 0;
  bool loading_ = false;
};

class Catalog {
 public:
  /// `listed`: names of the tools that are shown, "x*" for all that begin so; empty: all.
  Catalog(Environment& environment, FindSources find, std::vector<std::string> listed = {});

  Offer<ToolDescription>& tools() { return tools_; }
  Offer<PromptDescription>& prompts() { return prompts_; }
  Offer<ResourceTemplate>& templates() { return templates_; }
  void resources(std::function<void(std::vector<Entry<ResourceDescription>>)> done);
  /// Asks the sources one after another; not_found when none has it.
  void read(ResourceReadRequest request, Done<ResourceContents> done);
  void complete(CompletionRequest request, Done<Completions> done);
  /// The first refusal of any source.
  void may_watch(WatchRequest request, Done<void> done);

  /// Each tool that is shown, as JSON for a revision. Kept while the tools stay the same.
  const std::vector<std::string>& tool_texts(const Revision& revision);

 private:
  struct Texts {
    std::uint64_t version = 0;
    std::vector<std::string> tools;
  };

  [[nodiscard]] bool is_listed(const ToolDescription& tool) const;
  /// Says once of each name of `listed_` that there is no such tool.
  void warn_of_unknown();

  Environment& environment_;
  FindSources find_;
  std::vector<std::string> listed_;
  std::set<std::string> warned_;
  Offer<ToolDescription> tools_;
  Offer<PromptDescription> prompts_;
  Offer<ResourceTemplate> templates_;
  std::array<Texts, 5> texts_;
};

}  // namespace gantry::mcp
