// SPDX-License-Identifier: Apache-2.0
#pragma once
// Opening what lies below a folder and nothing else, whatever links and dots say and whoever moves
// folders meanwhile. Linux; by openat2() (5.6), or step by step where the kernel lacks it.

#include <gantry/unique_fd.hpp>

#include <string>
#include <string_view>

namespace gantry::files {

using Descriptor = UniqueFd;

/// How links below the folder are taken.
enum class Links { Follow, Refuse };
/// Whether the kernel resolves the path; the other way is for kernels that cannot, and for tests.
enum class Resolver { Kernel, Steps };

/// An O_PATH descriptor of `path`, relative to `folder`, with `flags` besides (O_DIRECTORY). Empty:
/// errno says why: EXDEV (it leads out), ELOOP (a link, where none may be, or too many), and what
/// open() has. Absolute links lead out, wherever they lead.
[[nodiscard]] Descriptor open_beneath(const Descriptor& folder, const std::string& path, int flags,
                                      Links links, Resolver resolver = Resolver::Kernel);

/// The path of an open descriptor as the kernel knows it now; empty when it has none any more.
[[nodiscard]] std::string path_of(const Descriptor& descriptor);

/// The components of a path without empty ones and single dots.
[[nodiscard]] std::string without_dots(std::string_view path);

}  // namespace gantry::files
