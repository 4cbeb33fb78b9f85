// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the tools do. Blocks on the disk: for the blocking pool.

#include <gantry/contracts/tool.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <functional>
#include <memory>

#include "arguments.hpp"
#include "roots.hpp"
#include "settings.hpp"

namespace gantry::files {

/// One call at work.
struct Work {
  std::shared_ptr<const Settings> settings;
  std::function<bool()> over;  // nobody waits for it any more
  std::function<std::int64_t()> monotonic_ns;
};

/// The folders of a call: its workspace first, then what is configured and there.
[[nodiscard]] Result<Roots> roots_of(const Settings& settings, const ToolCallRequest& request);

[[nodiscard]] Result<ToolResult> read(const Roots& roots, const Work& work,
                                      const ReadArguments& arguments);
[[nodiscard]] Result<ToolResult> write(const Roots& roots, const Work& work,
                                       const WriteArguments& arguments);
[[nodiscard]] Result<ToolResult> replace(const Roots& roots, const Work& work,
                                         const ReplaceArguments& arguments);
[[nodiscard]] Result<ToolResult> apply_patch(const Roots& roots, const Work& work,
                                             const PatchArguments& arguments);
[[nodiscard]] Result<ToolResult> search(const Roots& roots, const Work& work,
                                        const SearchArguments& arguments);
[[nodiscard]] Result<ToolResult> list(const Roots& roots, const Work& work,
                                      const ListArguments& arguments);

}  // namespace gantry::files
