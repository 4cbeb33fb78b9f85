// SPDX-License-Identifier: Apache-2.0
#include "catalog.hpp"

#include <algorithm>

#include "echo.hpp"
#include "wire.hpp"

namespace gantry::mcp {
namespace {

constexpr std::size_t kLongestName = 128;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

const std::string& tool_key(const ToolDescription& tool) { return tool.name; }
const std::string& prompt_key(const PromptDescription& prompt) { return prompt.name; }
const std::string& template_key(const ResourceTemplate& resource) { return resource.uri_template; }

std::string tool_problem(const ToolDescription& tool) {
  if (tool.name.empty() || tool.name.size() > kLongestName ||
      !std::all_of(tool.name.begin(), tool.name.end(), is_name_character)) {
    return "the name '" + tool.name + "' is not 1 to 128 of A-Z a-z 0-9 _ - .";
  }
  return {};
}
std::string prompt_problem(const PromptDescription& prompt) {
  return prompt.name.empty() ? "a prompt has no name" : std::string();
}
std::string template_problem(const ResourceTemplate& resource) {
  return resource.uri_template.empty() ? "a resource template has no address" : std::string();
}

/// Whether a tool is meant by its name, or by how it begins ("get_*").
bool fits_name(std::string_view meant, std::string_view tool) {
  if (!meant.ends_with('*')) return meant == tool;
  return tool.starts_with(meant.substr(0, meant.size() - 1));
}

/// Of two failures the one that helps more: who has the thing and cannot give it says more than who
/// does not have it, and anybody says more than who says nothing.
Error more_telling(Error first, Error second) {
  const bool later =
      first.message.empty() || (first.code == Code::NotFound && second.code != Code::NotFound);
  return later && !second.message.empty() ? std::move(second) : std::move(first);
}

/// Asks the sources in turn until one knows. `why` is the answer when none does.
template <class Request, class Answer>
void ask_in_turn(std::shared_ptr<const Sources> sources, std::size_t at, Request request,
                 void (Source::*ask)(Request, Done<Answer>), Done<Answer> done, Error why) {
  if (at == sources->size()) return done(std::move(why));
  Source& source = *(*sources)[at];
  (source.*ask)(request, [sources, at, request, ask, done, why](Result<Answer> answer) {
    if (answer.ok() ||
        (answer.error().code != Code::NotFound && answer.error().code != Code::Unavailable)) {
      return done(std::move(answer));
    }
    ask_in_turn(sources, at + 1, request, ask, done, more_telling(why, std::move(answer).error()));
  });
}

void all_may_watch(const std::shared_ptr<const Sources>& sources, std::size_t at,
                   const WatchRequest& request, const Done<void>& done) {
  if (at == sources->size()) return done({});
  (*sources)[at]->may_watch(request, [sources, at, request, done](Result<void> may) {
    if (!may.ok()) return done(std::move(may));
    all_may_watch(sources, at + 1, request, done);
  });
}

}  // namespace

// ---- Offer
// ----------------------------------------------------------------------------------------

template <class T>
struct Offer<T>::Loading {
  Sources sources;
  std::vector<Result<std::vector<T>>> lists;
  std::size_t missing = 0;
  std::uint64_t wanted = 0;
};

template <class T>
void Offer<T>::load(std::function<void()> ready) {
  if (loaded_ == wanted_) return ready();
  waiting_.push_back(std::move(ready));
  if (std::exchange(loading_, true)) return;
  find_([this, wanted = wanted_](Sources sources) {
    auto loading = std::make_shared<Loading>();
    loading->wanted = wanted;
    loading->missing = sources.size();
    loading->lists.assign(sources.size(), std::vector<T>());
    loading->sources = std::move(sources);
    if (loading->missing == 0) return finish(*loading);
    const Sources asked = loading->sources;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      ((*asked[i]).*list_)([this, loading, i](Result<std::vector<T>> list) {
        loading->lists[i] = std::move(list);
        if (--loading->missing == 0) finish(*loading);
      });
    }
  });
}

template <class T>
void Offer<T>::finish(Loading& loading) {
  std::vector<Entry<T>> entries;
  bool complete = true;
  for (std::size_t i = 0; i < loading.sources.size(); ++i) {
    const std::string& source = loading.sources[i]->name();
    if (!loading.lists[i].ok()) {
      complete = false;
      environment_.warn("a plugin did not list what it offers: " + source,
                        loading.lists[i].error().message);
      continue;
    }
    for (T& thing : *loading.lists[i]) {
      std::string problem = problem_(thing);
      const bool taken = std::any_of(entries.begin(), entries.end(), [&](const Entry<T>& entry) {
        return key_(entry.what) == key_(thing);
      });
      if (problem.empty() && taken) problem = "'" + key_(thing) + "' is another plugin's already";
      if (!problem.empty()) {
        environment_.warn("left out what " + source + " offers", problem);
        continue;
      }
      entries.push_back({loading.sources[i], std::move(thing)});
    }
  }
  entries_ = std::move(entries);
  ++version_;
  // What could not be listed is asked for again with the next request.
  if (complete) loaded_ = loading.wanted;
  loading_ = false;
  auto waiting = std::exchange(waiting_, {});
  for (auto& ready : waiting) ready();
}

template <class T>
const Entry<T>* Offer<T>::find(std::string_view name) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry<T>& entry) { return key_(entry.what) == name; });
  return found == entries_.end() ? nullptr : &*found;
}

template class Offer<ToolDescription>;
template class Offer<PromptDescription>;
template class Offer<ResourceTemplate>;

// ---- Catalog
// --------------------------------------------------------------------------------------

Catalog::Catalog(Environment& environment, FindSources find, std::vector<std::string> listed)
    : environment_(environment),
      find_(find),
      listed_(std::move(listed)),
      tools_(environment, find, &Source::list_tools, &tool_key, &tool_problem),
      prompts_(environment, find, &Source::list_prompts, &prompt_key, &prompt_problem),
      templates_(environment, find, &Source::list_templates, &template_key, &template_problem) {}

void Catalog::resources(std::function<void(std::vector<Entry<ResourceDescription>>)> done) {
  find_([done = std::move(done)](Sources sources) {
    struct Loading {
      Sources sources;
      std::vector<std::vector<ResourceDescription>> lists;
      std::size_t missing = 0;
    };
    auto loading = std::make_shared<Loading>();
    loading->sources = sources;
    loading->lists.resize(sources.size());
    loading->missing = sources.size();
    const auto finish = [loading, done] {
      std::vector<Entry<ResourceDescription>> all;
      for (std::size_t i = 0; i < loading->sources.size(); ++i) {
        for (ResourceDescription& one : loading->lists[i]) {
          all.push_back({loading->sources[i], std::move(one)});
        }
      }
      done(std::move(all));
    };
    if (sources.empty()) return finish();
    for (std::size_t i = 0; i < sources.size(); ++i) {
      sources[i]->list_resources(
          [loading, finish, i](Result<std::vector<ResourceDescription>> list) {
            if (list.ok()) loading->lists[i] = std::move(list).value();
            if (--loading->missing == 0) finish();
          });
    }
  });
}

void Catalog::read(ResourceReadRequest request, Done<ResourceContents> done) {
  find_([request = std::move(request), done = std::move(done)](Sources sources) {
    ask_in_turn<ResourceReadRequest, ResourceContents>(
        std::make_shared<const Sources>(std::move(sources)), 0, request, &Source::read_resource,
        [done](Result<ResourceContents> contents) {
          if (!contents.ok() && contents.error().message.empty()) {
            return done(
                not_found("there is no such resource; resources/list and "
                          "resources/templates/list name those that are"));
          }
          done(std::move(contents));
        },
        not_found({}));
  });
}

void Catalog::complete(CompletionRequest request, Done<Completions> done) {
  find_([request = std::move(request), done = std::move(done)](Sources sources) {
    const std::string what = request.prompt.empty() ? "resource " + echoed(request.uri_template)
                                                    : "prompt " + echoed(request.prompt);
    ask_in_turn<CompletionRequest, Completions>(
        std::make_shared<const Sources>(std::move(sources)), 0, request, &Source::complete,
        [done, what](Result<Completions> found) {
          if (!found.ok() && found.error().message.empty()) {
            return done(not_found("nothing can be completed for the " + what));
          }
          done(std::move(found));
        },
        not_found({}));
  });
}

void Catalog::may_watch(WatchRequest request, Done<void> done) {
  find_([request = std::move(request), done = std::move(done)](Sources sources) {
    all_may_watch(std::make_shared<const Sources>(std::move(sources)), 0, request, done);
  });
}

bool Catalog::is_listed(const ToolDescription& tool) const {
  const bool chosen =
      listed_.empty() || std::any_of(listed_.begin(), listed_.end(), [&](const std::string& name) {
        return fits_name(name, tool.name);
      });
  return chosen && tool.listed && tool.unavailable.empty();
}

void Catalog::warn_of_unknown() {
  for (const std::string& name : listed_) {
    const auto& all = tools_.entries();
    const bool known = std::any_of(all.begin(), all.end(), [&](const auto& entry) {
      return fits_name(name, entry.what.name);
    });
    if (known || !warned_.insert(name).second) continue;
    environment_.warn("mcp.tools names no tool that is there", name);
  }
}

const std::vector<std::string>& Catalog::tool_texts(const Revision& revision) {
  Texts& texts = texts_.at(static_cast<std::size_t>(&revision - revisions().data()));
  if (texts.version == tools_.version()) return texts.tools;
  texts.version = tools_.version();
  texts.tools.clear();
  warn_of_unknown();
  for (const auto& entry : tools_.entries()) {
    if (is_listed(entry.what)) texts.tools.push_back(tool_json(entry.what, revision));
  }
  return texts.tools;
}

}  // namespace gantry::mcp
