// SPDX-License-Identifier: Apache-2.0
#pragma once
// HTML as text that a model can read: headings, lists, tables, code and links in the manner of
// Markdown, without what no reader would see (scripts, styles, hidden elements). libxml2 parses.
// Pure; any thread, after libxml2 was initialised on one (init_html()).

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace gantry::web {

struct HtmlText {
  std::string title;  // one line, at most 300 bytes
  std::string text;
  bool cut = false;       // the text is longer than allowed, or nested deeper than is read
  std::size_t links = 0;  // of them in the text
};

void init_html();

/// `html` is UTF-8; links are resolved against `url` (and a <base>). At most `limit` bytes of text.
/// `given_up` is asked again and again: hostile pages can take long.
[[nodiscard]] HtmlText html_text(std::string_view html, const std::string& url, std::size_t limit,
                                 const std::function<bool()>& given_up = {});

/// A short piece of HTML on one line, without links.
[[nodiscard]] std::string html_line(std::string_view html);

}  // namespace gantry::web
