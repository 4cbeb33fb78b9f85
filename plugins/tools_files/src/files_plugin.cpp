// SPDX-License-Identifier: Apache-2.0
#include "files_plugin.hpp"

#include <utility>

namespace gantry::files {

template <class Arguments>
tools::Tool FilesPlugin::tool(ToolDescription description, Function<Arguments> function) {
  return {std::move(description), [this, function](const tools::CallPtr& call) {
            auto arguments = read_arguments<Arguments>(call->request().arguments);
            if (!arguments.ok()) return call->fail(arguments.error());
            Work work{settings_, [call] { return call->over(); },
                      [host = &host()] { return host->monotonic_ns(); }};
            host().blocking(
                [call, function, work = std::move(work), arguments = std::move(*arguments)] {
                  if (call->over()) return;
                  const auto roots = roots_of(*work.settings, call->request());
                  call->answer(roots.ok() ? function(*roots, work, arguments)
                                          : Result<ToolResult>(roots.error()));
                });
          }};
}

Result<void> FilesPlugin::init() {
  GANTRY_TRY(reconfigure());
  return server_.serve({tool<ReadArguments>(read_description(), &read),
                        tool<WriteArguments>(write_description(), &write),
                        tool<ReplaceArguments>(replace_description(), &replace),
                        tool<PatchArguments>(patch_description(), &apply_patch),
                        tool<SearchArguments>(search_description(), &search),
                        tool<ListArguments>(list_description(), &list)});
}

Result<void> FilesPlugin::start() {
  server_.announce();
  return {};
}

Result<void> FilesPlugin::reconfigure() {
  GANTRY_ASSIGN(Settings settings, read_settings(host().config_json()));
  server_.set_callers(settings.callers);
  settings_ = std::make_shared<const Settings>(std::move(settings));
  return {};
}

}  // namespace gantry::files
