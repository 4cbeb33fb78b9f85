// SPDX-License-Identifier: Apache-2.0
#pragma once
// The inspector: a page with its modules, read once and answered from memory. Names are looked up
// in what was read, so a request cannot name any other file.

#include <gantry/contracts/http.hpp>
#include <gantry/result.hpp>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace gantry::rest_observer {

inline constexpr std::string_view kIndexFile = "index.html";

/// The headers that every page of this server carries: nothing from elsewhere is loaded, nothing is
/// run but the page's own modules, no text becomes markup, and no other page shows it in a frame.
void add_page_headers(HttpResponse& response);

class WebFiles {
 public:
  /// Reads the files of `folder` that a page is made of (.html, .css, .js, .svg); waits for the
  /// disk. Errors: not_found (no folder, or no index.html in it), permission_denied (others may
  /// write a file: what stands in it acts with the rights of whoever opens the page).
  [[nodiscard]] static Result<WebFiles> read(const std::filesystem::path& folder);

  [[nodiscard]] bool empty() const { return files_.empty(); }
  [[nodiscard]] bool has(std::string_view name) const { return files_.contains(name); }

  /// 200, or 304 when the client has it already (RFC 9110 13.1.2). `name` is one that there is.
  [[nodiscard]] HttpResponse answer(const HttpRequest& request, std::string_view name) const;

 private:
  struct File {
    std::string_view content_type;
    std::string etag;  ///< With its quotes.
    Buffer body;
  };
  std::map<std::string, File, std::less<>> files_;
};

}  // namespace gantry::rest_observer
