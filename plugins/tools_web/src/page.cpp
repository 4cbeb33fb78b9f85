// SPDX-License-Identifier: Apache-2.0
#include "page.hpp"

#include <gantry/codec.hpp>
#include <gantry/counted.hpp>
#include <gantry/tools/tool_server.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "charset.hpp"
#include "html_text.hpp"
#include "inflate.hpp"
#include "text_flow.hpp"

namespace gantry::web {

/// `structured` of a result: what is known of the page besides its text.
struct PageFacts {
  std::string url;
  std::vector<std::string> redirects;
  std::int32_t status = 0;
  std::string content_type;
  std::string charset;
  std::string title;
  std::int64_t bytes = 0;                   // of the body
  std::int64_t text_bytes = 0;              // of the whole text
  std::int64_t offset = 0;                  // of what is told here
  std::optional<std::int64_t> next_offset;  // there is more text from here
  bool truncated = false;                   // there is more of the page than was read
};
BOOST_DESCRIBE_STRUCT(PageFacts, (),
                      (url, redirects, status, content_type, charset, title, bytes, text_bytes,
                       offset, next_offset, truncated))

}  // namespace gantry::web

GANTRY_INSTANTIATE(gantry::web::PageFacts)

namespace gantry::web {
namespace {

constexpr std::size_t kErrorText = 2'000;  // of a page that tells of a failure

enum class Kind { Html, Text, Picture, Other };

struct Magic {
  std::string_view bytes;
  std::size_t at;
  std::string_view type;
};
constexpr std::array kPictures{Magic{"\x89PNG\r\n\x1A\n", 0, "image/png"},
                               Magic{"\xFF\xD8\xFF", 0, "image/jpeg"},
                               Magic{"WEBP", 8, "image/webp"}, Magic{"GIF8", 0, "image/gif"}};

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::string_view picture_type(std::string_view bytes) {
  for (const Magic& magic : kPictures) {
    if (bytes.size() >= magic.at && bytes.substr(magic.at).starts_with(magic.bytes)) {
      return magic.type;
    }
  }
  return {};
}

bool looks_like_html(std::string_view bytes) {
  const std::string head = ascii_lower(bytes.substr(0, 512));
  return head.find("<!doctype html") != std::string::npos ||
         head.find("<html") != std::string::npos || head.find("<head") != std::string::npos;
}

Kind kind_of(std::string_view type, std::string_view bytes) {
  if (!picture_type(bytes).empty()) return Kind::Picture;
  if (type == "text/html" || type == "application/xhtml+xml") return Kind::Html;
  const bool text = type.starts_with("text/") || type.ends_with("+json") ||
                    type.ends_with("+xml") || type == "application/json" ||
                    type == "application/xml" || type == "application/javascript" ||
                    type == "application/x-javascript" || type == "application/yaml" ||
                    type == "application/x-yaml" || type == "application/toml";
  if (text) return Kind::Text;
  if (!type.empty() && type != "application/octet-stream") return Kind::Other;
  if (looks_like_html(bytes)) return Kind::Html;
  const std::string_view head = bytes.substr(0, 4096);
  return head.find('\0') == std::string_view::npos ? Kind::Text : Kind::Other;
}

/// Where the piece from `offset` begins and ends, at the edges of characters and, if there is one
/// near, of lines.
std::pair<std::size_t, std::size_t> piece_of(std::string_view text, std::size_t offset,
                                             std::size_t limit) {
  const auto edge = [&](std::size_t at) {
    while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80) {
      --at;
    }
    return std::min(at, text.size());
  };
  const std::size_t begin = edge(offset);
  std::size_t end = edge(begin + std::min(limit, text.size() - begin));
  if (end < text.size()) {
    const std::size_t line = text.rfind('\n', end);
    if (line != std::string_view::npos && line > begin + limit * 3 / 4) end = line + 1;
  }
  return {begin, end};
}

Result<void> check_length(const PageAnswer& answer) {
  const std::string_view told = answer.head.header("content-length");
  std::uint64_t length = 0;
  const auto [end, problem] = std::from_chars(told.data(), told.data() + told.size(), length);
  if (told.empty() || problem != std::errc() || answer.cut) return {};
  if (answer.body.size() >= length) return {};
  return Error{Code::DataLoss,
               "the answer broke off after " + std::to_string(answer.body.size()) + " of " +
                   std::to_string(length) + " bytes",
               {}};
}

Code code_of_status(int status) {
  switch (status) {
    case 401: return Code::Unauthenticated;
    case 403: return Code::PermissionDenied;
    case 404:
    case 410: return Code::NotFound;
    case 429: return Code::ResourceExhausted;
    default: return status >= 500 ? Code::Unavailable : Code::FailedPrecondition;
  }
}

struct Reading {
  std::string text;
  PageFacts facts;
  std::size_t wrong = 0;  // bytes that mean nothing in the charset
};

Reading read_text(const std::string& bytes, const MediaType& media, bool html,
                  const PageAnswer& answer, const PageRequest& request) {
  Reading out;
  Converted converted = to_utf8(bytes, media.charset, html);
  out.facts.charset = std::move(converted.charset);
  out.wrong = converted.wrong;
  if (html && !request.raw) {
    HtmlText page = html_text(converted.text, answer.url, request.limits.bytes, request.given_up);
    out.facts.title = std::move(page.title);
    out.facts.truncated = page.cut;
    out.text = std::move(page.text);
  } else {
    out.text = std::move(converted.text);
  }
  return out;
}

std::string heading(const Reading& reading, const PageAnswer& answer) {
  const PageFacts& facts = reading.facts;
  std::string out = facts.url + "\n";
  if (!answer.redirects.empty()) out += "Redirected from " + answer.redirects.front() + "\n";
  out += "HTTP " + std::to_string(facts.status) + ", " + facts.content_type + ", " + facts.charset +
         ", " + std::to_string(facts.bytes) + " bytes";
  if (reading.wrong > 0) {
    out += "; " + counted(reading.wrong, "byte is", "bytes are") + " not of that charset";
  }
  if (!facts.title.empty()) out += "\nTitle: " + facts.title;
  return out + "\n\n";
}

ToolResult text_page(Reading reading, const PageAnswer& answer, const PageRequest& request) {
  PageFacts& facts = reading.facts;
  const auto [begin, end] = piece_of(reading.text, request.offset, request.limits.text);
  facts.text_bytes = static_cast<std::int64_t>(reading.text.size());
  facts.offset = static_cast<std::int64_t>(begin);
  std::string text = heading(reading, answer) + reading.text.substr(begin, end - begin);
  if (end < reading.text.size()) {
    facts.next_offset = static_cast<std::int64_t>(end);
    text += "\n\n[bytes " + std::to_string(begin) + " to " + std::to_string(end) + " of " +
            std::to_string(reading.text.size()) + "; ask again with offset " + std::to_string(end) +
            " for what follows]";
  } else if (begin > 0 && begin == reading.text.size()) {
    text += "[there is no text after offset " + std::to_string(begin) + "]";
  } else if (reading.text.empty()) {
    text += "[the page has no text]";
  }
  if (facts.truncated) text += "\n[the page is longer than what is read of one]";
  ToolResult result = tools::text_result(std::move(text));
  result.structured = Json(to_json(facts));
  return result;
}

ToolResult failed_page(Reading reading, const PageAnswer& answer) {
  const Code code = code_of_status(answer.head.status);
  std::string words = "the server answered " + std::to_string(answer.head.status);
  if (const std::string_view wait = answer.head.header("retry-after"); !wait.empty()) {
    words += ", ask again after " + std::string(wait.substr(0, 40));
  }
  ToolResult result = tools::failed_result({code, words + " for " + answer.url, {}});
  const std::size_t end = piece_of(reading.text, 0, kErrorText).second;
  if (end > 0) {
    ContentBlock& block = result.content.emplace_back();
    block.text = "The page says:\n" + reading.text.substr(0, end);
  }
  return result;
}

Result<ToolResult> picture_page(std::string bytes, PageFacts facts, const PageRequest& request,
                                bool cut) {
  if (cut || bytes.size() > request.limits.picture) {
    return Error{Code::ResourceExhausted,
                 "the picture is larger than " + std::to_string(request.limits.picture) +
                     " bytes (cure: raise tools_web.fetch.max_picture)",
                 {}};
  }
  facts.content_type = picture_type(bytes);
  ToolResult result = tools::text_result(facts.url + "\nA picture, " + facts.content_type + ", " +
                                         std::to_string(bytes.size()) + " bytes");
  ContentBlock& picture = result.content.emplace_back();
  picture.kind = ContentKind::Image;
  picture.media_type = facts.content_type;
  picture.data = Buffer::of(std::move(bytes));
  result.structured = Json(to_json(facts));
  return result;
}

Error unreadable(const std::string& type, std::size_t size, const std::string& url) {
  std::string words = "'" + type + "' is neither text nor a picture (" + std::to_string(size) +
                      " bytes from " + url + ")";
  if (type == "application/pdf") {
    words += "; a PDF has to be saved and read with a program such as pdftotext";
  }
  return failed_precondition(words);
}

}  // namespace

MediaType read_media_type(std::string_view header) {
  MediaType out;
  const std::size_t end = std::min(header.find(';'), header.size());
  out.type = ascii_lower(without_blanks(header.substr(0, end)));
  header.remove_prefix(end);
  while (!header.empty()) {
    header.remove_prefix(1);
    const std::size_t next = std::min(header.find(';'), header.size());
    std::string_view parameter = without_blanks(header.substr(0, next));
    header.remove_prefix(next);
    if (!ascii_lower(parameter).starts_with("charset=")) continue;
    parameter.remove_prefix(8);
    while (!parameter.empty() && parameter.front() == '"') parameter.remove_prefix(1);
    while (!parameter.empty() && parameter.back() == '"') parameter.remove_suffix(1);
    if (parameter.size() <= 40) out.charset = ascii_lower(parameter);
  }
  return out;
}

Result<ToolResult> read_page(PageAnswer answer, const PageRequest& request) {
  GANTRY_TRY(check_length(answer));
  GANTRY_ASSIGN(Decoded decoded, decode_body(answer.head.header("content-encoding"),
                                             std::move(answer.body), request.limits.bytes));
  const MediaType media = read_media_type(answer.head.header("content-type"));
  const bool good = answer.head.status >= 200 && answer.head.status <= 299;
  const bool cut = answer.cut || decoded.cut;
  PageFacts facts;
  facts.url = answer.url;
  facts.redirects = answer.redirects;
  facts.status = answer.head.status;
  facts.content_type = media.type.empty() ? "no content type" : media.type.substr(0, 100);
  facts.bytes = static_cast<std::int64_t>(decoded.bytes.size());
  const Kind kind = kind_of(media.type, decoded.bytes);
  if (kind == Kind::Picture && good) {
    return picture_page(std::move(decoded.bytes), std::move(facts), request, cut);
  }
  Reading reading;
  if (kind == Kind::Html || kind == Kind::Text) {
    reading = read_text(decoded.bytes, media, kind == Kind::Html, answer, request);
  } else if (good) {
    return unreadable(facts.content_type, decoded.bytes.size(), answer.url);
  }
  facts.charset = reading.facts.charset;
  facts.title = reading.facts.title;
  facts.truncated = reading.facts.truncated || cut;
  reading.facts = std::move(facts);
  if (!good) return failed_page(std::move(reading), answer);
  return text_page(std::move(reading), answer, request);
}

}  // namespace gantry::web
