// SPDX-License-Identifier: Apache-2.0
#include "workspaces_plugin.hpp"

#include <gantry/contract.hpp>
#include <gantry/contracts/workspace.hpp>

#include <algorithm>

#include "workspace_files.hpp"

namespace gantry::workspaces {
namespace {

constexpr std::size_t kMostReferences = 1000;
constexpr std::int64_t kLargestRead = 256LL << 20;
constexpr int kDeepestTree = 32;

std::size_t limit_of(std::int64_t wanted) {
  return static_cast<std::size_t>(std::clamp<std::int64_t>(wanted, 0, kLargestRead));
}

Result<Done> done_of(const Result<void>& changed) {
  if (!changed.ok()) return changed.error();
  return Done{};
}

Result<WorkspaceEntries> entries_of(Result<std::vector<WorkspaceEntry>> found) {
  if (!found.ok()) return found.error();
  return WorkspaceEntries{std::move(*found)};
}

}  // namespace

template <class C>
Result<void> WorkspacesPlugin::serve_kept(
    std::function<void(const typename C::Request&,
                       std::function<void(Result<typename C::Response>)>)>
        answer) {
  return host().bus().template serve<C>([this, answer = std::move(answer)](
                                            const Ref<typename C::Request>& request,
                                            const CallInfo&, Reply<C> reply) {
    auto owed = std::make_shared<Reply<C>>(std::move(reply));
    startup_->when_loaded([answer, request, owed](const Result<void>& loaded) {
      if (!loaded.ok()) return owed->fail(loaded.error());
      answer(*request, [owed](Result<typename C::Response> result) { (*owed)(std::move(result)); });
    });
  });
}

template <class C>
Result<void> WorkspacesPlugin::serve_on_disk(
    std::function<Result<typename C::Response>(const std::string&, const typename C::Request&)>
        work) {
  return host().bus().template serve<C>([this, work = std::move(work)](
                                            const Ref<typename C::Request>& request,
                                            const CallInfo&, Reply<C> reply) {
    auto owed = std::make_shared<Reply<C>>(std::move(reply));
    startup_->when_loaded([this, work, request, owed](const Result<void>& loaded) {
      if (!loaded.ok()) return owed->fail(loaded.error());
      const Workspace* found = registry_->find(request->principal, request->workspace);
      if (found == nullptr) return owed->fail(not_found("Workspace not found"));
      host().blocking([work, request, owed, root = found->root] { (*owed)(work(root, *request)); });
    });
  });
}

Result<void> WorkspacesPlugin::init() {
  GANTRY_ASSIGN(settings_, read_settings(host().config_json()));
  registry_ = std::make_unique<Registry>(host(), settings_);
  startup_ = std::make_unique<Startup>(host(), [this] { return registry_->load(); });
  GANTRY_TRY(serve_registry());
  GANTRY_TRY(serve_files());
  return serve_listings();
}

Result<void> WorkspacesPlugin::start() {
  startup_->begin();
  return {};
}

Result<void> WorkspacesPlugin::serve_registry() {
  GANTRY_TRY(serve_kept<WorkspaceList>([this](const WorkspaceListRequest& request, auto done) {
    done(registry_->list(request.principal));
  }));
  GANTRY_TRY(serve_kept<WorkspaceGet>([this](const WorkspaceRef& request, auto done) {
    const Workspace* found = request.by_id ? registry_->find(request.principal, request.workspace)
                                           : registry_->find_named(request);
    if (found == nullptr) return done(not_found("Workspace not found"));
    done(*found);
  }));
  GANTRY_TRY(serve_kept<WorkspaceCreate>([this](const WorkspaceCreateRequest& request, auto done) {
    registry_->create(request, std::move(done));
  }));
  GANTRY_TRY(serve_kept<WorkspaceChange>([this](const WorkspaceChangeRequest& request, auto done) {
    registry_->change(request, std::move(done));
  }));
  GANTRY_TRY(serve_kept<WorkspaceDelete>([this](const WorkspaceRef& request, auto done) {
    registry_->remove(request, [done](const Result<void>& gone) { done(done_of(gone)); });
  }));
  GANTRY_TRY(serve_kept<WorkspaceSort>([this](const WorkspaceSortRequest& request, auto done) {
    registry_->sort(request, std::move(done));
  }));
  return serve_kept<WorkspaceImport>([this](const WorkspaceImportRequest& request, auto done) {
    registry_->import(request, std::move(done));
  });
}

Result<void> WorkspacesPlugin::serve_files() {
  GANTRY_TRY(serve_on_disk<WorkspaceRead>(
      [](const std::string& root, const WorkspaceFileRequest& request) -> Result<WorkspaceFile> {
        GANTRY_ASSIGN(FileText read, read_file(root, request.path, limit_of(request.max_bytes)));
        return WorkspaceFile{Buffer::of(std::move(read.text)), read.changed_ms};
      }));
  GANTRY_TRY(serve_on_disk<WorkspaceWrite>(
      [](const std::string& root, const WorkspaceWriteRequest& request) {
        return done_of(write_file(root, request.path, request.content.text()));
      }));
  GANTRY_TRY(serve_on_disk<WorkspaceMove>(
      [](const std::string& root, const WorkspaceMoveRequest& request) {
        return done_of(rename_path(root, request.from, request.to));
      }));
  return serve_on_disk<WorkspaceRemove>(
      [](const std::string& root, const WorkspaceFileRequest& request) {
        return done_of(remove_path(root, request.path));
      });
}

Result<void> WorkspacesPlugin::serve_listings() {
  GANTRY_TRY(serve_on_disk<WorkspaceTree>(
      [](const std::string& root, const WorkspaceTreeRequest& request) {
        return entries_of(list_tree(root, std::clamp(request.depth, 1, kDeepestTree)));
      }));
  GANTRY_TRY(serve_on_disk<WorkspaceNewest>(
      [](const std::string& root, const WorkspaceNewestRequest& request) {
        return entries_of(newest_files(root, static_cast<std::size_t>(std::max(request.limit, 0))));
      }));
  return serve_on_disk<WorkspaceReferences>(
      [](const std::string& root,
         const WorkspaceReferencesRequest& request) -> Result<WorkspaceReferenceTexts> {
        if (request.paths.size() > kMostReferences) {
          return invalid_argument("a message refers to at most 1000 files");
        }
        WorkspaceReferenceTexts out;
        for (const std::string& path : request.paths) {
          out.references.push_back(read_reference(root, path, limit_of(request.max_bytes)));
        }
        return out;
      });
}

}  // namespace gantry::workspaces
