// SPDX-License-Identifier: Apache-2.0
#include "artifact_tools.hpp"

#include <gantry/contract.hpp>
#include <gantry/uuid.hpp>

#include <functional>
#include <iterator>
#include <utility>

#include "artifact_shelf.hpp"
#include "chats.hpp"
#include "workspaces.hpp"

namespace gantry::chat_cortask {
namespace {

constexpr std::int64_t kLargestArtifact = 4LL << 20;
constexpr std::int64_t kLargestShown = 32LL << 20;

constexpr const char* kArtifactSchema =
    R"({"type":"object","properties":{"type":{"type":"string","enum":["html","csv","json","svg",)"
    R"("text"]},"title":{"type":"string"},"content":{"type":"string","description":"What is shown)"
    R"(; or path"},"path":{"type":"string","description":"File of the workspace with what is )"
    R"(shown"}},"required":["type","title"]})";
constexpr const char* kShowFileSchema =
    R"({"type":"object","properties":{"path":{"type":"string","description":"File of the )"
    R"(workspace"},"label":{"type":"string"}},"required":["path"]})";

/// Only this chat's page can show what these tools make.
bool is_ours(const tools::CallPtr& call) {
  if (call->request().principal == kPrincipal && !call->request().workspace.empty()) return true;
  call->fail(failed_precondition("only the page of the Cortask chat shows this; answer with text"));
  return false;
}

/// Reads a file of the workspace that the call works in; `then` is on the strand.
void with_file(Services& services, const tools::CallPtr& call, const std::string& path,
               std::int64_t limit, std::function<void(const Buffer&)> then) {
  const Workspace* workspace = services.workspaces.find_root(call->request().workspace);
  if (workspace == nullptr) {
    return call->fail(failed_precondition("this session works in no workspace of the chat"));
  }
  services.host.bus().call<WorkspaceRead>(
      {kPrincipal, workspace->id, path, limit},
      [call, then = std::move(then)](const Result<Ref<WorkspaceFile>>& read) {
        if (!read.ok()) return call->fail(read.error());
        then((*read)->content);
      });
}

void make_artifact(Services& services, const tools::CallPtr& call) {
  if (!is_ours(call)) return;
  auto arguments = from_json<ArtifactArguments>(call->request().arguments.text);
  if (!arguments.ok()) return call->fail(arguments.error());
  MadeArtifact made;
  made.type = arguments->type;
  made.title = arguments->title;
  made.mime_type = artifact_mime(made.type);
  if (made.mime_type.empty()) {
    return call->fail(invalid_argument("type is html, csv, json, svg or text"));
  }
  const std::function<void(std::string)> keep = [&services, call,
                                                 made](std::string content) mutable {
    if (std::ssize(content) > kLargestArtifact) {
      return call->fail(invalid_argument("an artifact has at most 4 MiB"));
    }
    made.id = random_uuid();
    made.content = std::move(content);
    made.created_ms = services.host.wall_ns() / 1'000'000;
    const ArtifactResult result{made.id, made.type, made.title, made.mime_type};
    services.artifacts.put(std::move(made));
    call->finish(tools::text_result(to_json(result)));
  };
  if (arguments->content) return keep(*arguments->content);
  if (!arguments->path) return call->fail(invalid_argument("content or path is required"));
  with_file(services, call, *arguments->path, kLargestArtifact,
            [keep](const Buffer& content) { keep(std::string(content.text())); });
}

void show_file(Services& services, const tools::CallPtr& call) {
  if (!is_ours(call)) return;
  auto arguments = from_json<ShowFileArguments>(call->request().arguments.text);
  if (!arguments.ok()) return call->fail(arguments.error());
  with_file(services, call, arguments->path, kLargestShown,
            [call, arguments = *arguments](const Buffer& content) {
              // The page knows the reference by its first member.
              std::string out = R"({"__fileRef":true,"path":)" + to_json(arguments.path) +
                                ",\"size\":" + std::to_string(content.size());
              if (arguments.label) out += ",\"label\":" + to_json(*arguments.label);
              call->finish(tools::text_result(out + "}"));
            });
}

}  // namespace

std::vector<tools::Tool> artifact_tools(Services& services) {
  std::vector<tools::Tool> out;
  out.push_back(
      {tools::reading_tool("artifact", "",
                           "Shows a page, table, picture or text beside the chat. Use it for what "
                           "the user will look at or keep, not for short answers.",
                           kArtifactSchema),
       [&services](const tools::CallPtr& call) { make_artifact(services, call); }});
  out.push_back(
      {tools::reading_tool("show_file", "", "Shows the user a link to a file of the workspace.",
                           kShowFileSchema),
       [&services](const tools::CallPtr& call) { show_file(services, call); }});
  return out;
}

}  // namespace gantry::chat_cortask
