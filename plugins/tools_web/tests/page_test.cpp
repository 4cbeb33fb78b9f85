// SPDX-License-Identifier: Apache-2.0
// Answers of web servers as results: HTML, charsets, packing, pieces, pictures, failures.
#include <zlib.h>
#include <catch2/catch.hpp>

#include <string>

#include "charset.hpp"
#include "html_text.hpp"
#include "inflate.hpp"
#include "page.hpp"

using namespace gantry;
using namespace gantry::web;

namespace {

std::string text_of(const std::string& html) {
  init_html();
  return html_text(html, "https://example.org/a/b.html", 100'000).text;
}

std::string packed(const std::string& text, int window) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, static_cast<uLong>(text.size())) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

PageAnswer page(const std::string& type, std::string body, int status = 200) {
  PageAnswer out;
  out.url = "https://example.org/a";
  out.head.status = status;
  if (!type.empty()) out.head.headers["content-type"] = type;
  out.body = std::move(body);
  return out;
}

std::string read_text(PageAnswer answer, PageRequest request = {}) {
  init_html();
  const auto result = read_page(std::move(answer), request);
  return result.ok() ? result->content.at(0).text : result.error().message;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("HTML becomes text") {
  struct Row {
    const char* html;
    const char* text;
  };
  const Row rows[] = {
      {"<p>one  two\n three</p><p>four<br>five", "one two three\n\nfour\nfive"},
      {"<h1>Big</h1>text<h3> small </h3>", "# Big\n\ntext\n\n### small"},
      {"<ul><li>a<li><p>b</p><ol><li>c<li>d</ol></ul>", "- a\n- b\n  1. c\n  2. d"},
      {"<table><tr><th>k<th>v<tr><td>1<td>2</table>", "k | v\n1 | 2"},
      {"<pre>a\n  b &lt;</pre>c", "```\na\n  b <\n```\n\nc"},
      {"x <a href='../c?d=1#e'> link </a>y", "x [link](https://example.org/c?d=1#e) y"},
      {"<a href='#top'>up</a> <a href='javascript:f()'>js</a> <a>no</a>", "up js no"},
      {"<a href='mailto:a@example.org'>mail</a>", "mail"},
      {"<base href='https://other.example/'><a href='x'>y</a>", "[y](https://other.example/x)"},
      {"a<img src=x alt='a cat'>b<img src=y>", "a[image: a cat]b"},
      {"<script>f('<p>no</p>')</script><style>p{}</style><noscript>no</noscript>yes", "yes"},
      {"<div hidden>no</div><p style='DISPLAY : none'>no</p><p style='opacity:0.5'>dim</p>", "dim"},
      {"<span style='font-size:0'>no</span><template>no</template>yes", "yes"},
      {"a &amp; b &#x263A; &nbsp;c",
       "a & b \xE2\x98\xBA \xC2\xA0"
       "c"},
      {"", ""},
  };
  for (const Row& row : rows) {
    INFO(row.html);
    CHECK(text_of(row.html) == row.text);
  }
}

TEST_CASE("the title is one short line") {
  init_html();
  CHECK(html_text("<title> A\n b &lt; </title><p>x", {}, 100).title == "A b <");
  const std::string title = html_text("<title>" + std::string(1000, 'x'), {}, 100).title;
  CHECK(title == std::string(300, 'x'));
}

TEST_CASE("a page that means harm stays small work") {
  init_html();
  const HtmlText deep = html_text(std::string(100'000, '<') + "div>", {}, 1000);
  CHECK(deep.text.size() <= 1000);
  std::string nested;
  for (int i = 0; i < 20'000; ++i) nested += "<div>";
  CHECK(html_text("<p>before</p>" + nested + "deep", {}, 1000).cut);
  std::string tag = "<p>before</p><a ";
  for (int i = 0; i < 200'000; ++i) tag += "a" + std::to_string(i) + " ";
  const HtmlText stopped = html_text(tag + ">x</a>after", {}, 1000);
  CHECK(stopped.cut);
  CHECK(stopped.text == "before");
  int asked = 0;
  std::string words;
  for (int i = 0; i < 50'000; ++i) words += "x ";
  const HtmlText given_up = html_text(words, {}, 1'000'000, [&] { return ++asked == 2; });
  CHECK(asked == 2);
  CHECK(given_up.cut);
}

TEST_CASE("text is cut at a character") {
  init_html();
  const HtmlText cut = html_text("<p>\xC3\xA4\xC3\xA4\xC3\xA4", {}, 5);
  CHECK(cut.cut);
  CHECK(cut.text == "\xC3\xA4\xC3\xA4");
}

TEST_CASE("charsets") {
  struct Row {
    std::string bytes;
    const char* declared;
    bool html;
    const char* text;
    const char* charset;
    std::size_t wrong;
  };
  const Row rows[] = {
      {"\xC3\xA4", "", false, "\xC3\xA4", "utf-8", 0},
      {"\xE4", "", false, "\xC3\xA4", "windows-1252", 0},
      {"\xE4", "ISO-8859-1", false, "\xC3\xA4", "windows-1252", 0},
      {"\x80", "latin1", false, "\xE2\x82\xAC", "windows-1252", 0},
      {"\xE4x", "utf-8", false, "\xEF\xBF\xBDx", "utf-8", 1},
      {"\xD0\xBF", "no-such-charset", false, "\xD0\xBF", "utf-8", 0},
      {"\xD0\xBF", "../../x//IGNORE", false, "\xD0\xBF", "utf-8", 0},
      {"\xCF\xD2", "windows-1251", false, "\xD0\x9F\xD0\xA2", "windows-1251", 0},
      {"\x82\xA0", "Shift_JIS", false, "\xE3\x81\x82", "shift_jis", 0},
      {"\xA4\xA2", "euc-jp", false, "\xE3\x81\x82", "euc-jp", 0},
      {"\xC4\xE3", "gb2312", false, "\xE4\xBD\xA0", "gbk", 0},
      {"\xEF\xBB\xBF"
       "a",
       "windows-1251", false, "a", "utf-8", 0},
      {std::string("\xFF\xFE\x41\x00", 4), "", false, "A", "utf-16le", 0},
      {"<meta charset=koi8-r>\xC1", "", true, "<meta charset=koi8-r>\xD0\xB0", "koi8-r", 0},
      {"<meta charset=koi8-r>\xC1", "windows-1252", true, "<meta charset=koi8-r>\xC3\x81",
       "windows-1252", 0},
      {"<META http-equiv=content-type content='text/html; charset=koi8-r'>\xC1", "", true,
       "<META http-equiv=content-type content='text/html; charset=koi8-r'>\xD0\xB0", "koi8-r", 0},
      {"<meta charset=utf-16>a", "", true, "<meta charset=utf-16>a", "utf-8", 0},
  };
  for (const Row& row : rows) {
    INFO(row.bytes << " as " << row.declared);
    const Converted converted = to_utf8(row.bytes, row.declared, row.html);
    CHECK(converted.text == row.text);
    CHECK(converted.charset == row.charset);
    CHECK(converted.wrong == row.wrong);
  }
}

TEST_CASE("packed bodies are unpacked, and no further than allowed") {
  const std::string text(100'000, 'a');
  CHECK(decode_body("gzip", packed(text, 15 + 16), 200'000).value().bytes == text);
  CHECK(decode_body("X-GZIP", packed(text, 15 + 16), 200'000).value().bytes == text);
  CHECK(decode_body("deflate", packed(text, 15), 200'000).value().bytes == text);
  CHECK(decode_body("deflate", packed(text, -15), 200'000).value().bytes == text);
  const auto bomb = decode_body("gzip", packed(std::string(50U << 20U, '\0'), 15 + 16), 1000);
  CHECK(bomb.value().bytes.size() == 1000);
  CHECK(bomb.value().cut);
  const std::string whole = packed(text, 15 + 16);
  CHECK(decode_body("gzip", whole.substr(0, whole.size() / 2), 200'000).value().cut);
  CHECK(decode_body("gzip", "no gzip", 100).error().code == Code::DataLoss);
  CHECK(decode_body("br", "x", 100).error().code == Code::FailedPrecondition);
  CHECK(decode_body("gzip, gzip", "x", 100).error().code == Code::FailedPrecondition);
}

TEST_CASE("what a page says of itself comes first") {
  const std::string text =
      read_text(page("text/html; charset=\"ISO-8859-1\"", "<title>T</title><p>gr\xFC\xDF"));
  CHECK(has(text, "https://example.org/a\nHTTP 200, text/html, windows-1252, "));
  CHECK(has(text, "Title: T\n\ngr\xC3\xBC\xC3\x9F"));
  PageAnswer moved = page("text/plain", "x");
  moved.redirects = {"http://example.org/old"};
  CHECK(has(read_text(moved), "Redirected from http://example.org/old\n"));
  CHECK(has(read_text(page("text/plain; charset=utf-8", "\xE4")), "1 byte is not of that charset"));
}

TEST_CASE("kinds of answers") {
  CHECK(has(read_text(page("application/json", R"({"a":1})")), R"({"a":1})"));
  CHECK(has(read_text(page("application/rss+xml", "<rss/>")), "<rss/>"));
  CHECK(has(read_text(page("", "<!DOCTYPE html><title>T</title>x")), "Title: T"));
  CHECK(has(read_text(page("", "just words")), "just words"));
  CHECK(has(read_text(page("text/html", "")), "[the page has no text]"));
  PageRequest raw;
  raw.raw = true;
  CHECK(has(read_text(page("text/html", "<p>x</p>"), raw), "<p>x</p>"));
  for (const char* type : {"application/zip", "application/pdf", "video/mp4"}) {
    INFO(type);
    const auto refused = read_page(page(type, "%PDF-1.7"), {});
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == Code::FailedPrecondition);
  }
  CHECK(read_page(page("", std::string("\0\1\2", 3)), {}).error().code == Code::FailedPrecondition);
}

TEST_CASE("pictures are pictures, whatever the server calls them") {
  const std::string png("\x89PNG\r\n\x1A\nrest");
  const auto result = read_page(page("text/html", png), {});
  REQUIRE(result.ok());
  REQUIRE(result->content.size() == 2);
  CHECK(result->content[1].kind == ContentKind::Image);
  CHECK(result->content[1].media_type == "image/png");
  CHECK(result->content[1].data.text() == png);
  PageRequest small;
  small.limits.picture = 5;
  CHECK(read_page(page("image/png", png), small).error().code == Code::ResourceExhausted);
  PageAnswer cut = page("image/png", png);
  cut.cut = true;
  CHECK(read_page(cut, {}).error().code == Code::ResourceExhausted);
}

TEST_CASE("long texts come in pieces that fit together") {
  std::string whole;
  for (int i = 0; i < 500; ++i) whole += "line " + std::to_string(i) + " \xC3\xA4\n";
  PageRequest request;
  request.limits.text = 700;
  std::string joined;
  for (int pieces = 0; pieces < 100; ++pieces) {
    const auto result = read_page(page("text/plain", whole), request);
    REQUIRE(result.ok());
    std::string text = result->content.at(0).text;
    text.erase(0, text.find("\n\n") + 2);
    const std::size_t mark = text.find("\n\n[bytes ");
    joined += text.substr(0, mark);
    if (mark == std::string::npos) break;
    const std::string next = "\"next_offset\":";
    const std::string& facts = result->structured->text;
    request.offset = std::stoul(facts.substr(facts.find(next) + next.size()));
  }
  CHECK(joined == whole);
  request.offset = 1'000'000;
  CHECK(has(read_text(page("text/plain", whole), request), "there is no text after offset"));
}

TEST_CASE("failures of the server are failures of the call, with its words") {
  struct Row {
    int status;
    const char* code;
  };
  const Row rows[] = {
      {401, "unauthenticated"}, {403, "permission_denied"},   {404, "not_found"},
      {410, "not_found"},       {429, "resource_exhausted"},  {500, "unavailable"},
      {503, "unavailable"},     {418, "failed_precondition"}, {304, "failed_precondition"}};
  for (const Row& row : rows) {
    INFO(row.status);
    const auto result = read_page(page("text/plain", "sorry", row.status), {});
    REQUIRE(result.ok());
    CHECK(result->is_error);
    CHECK(has(result->structured->text, std::string(R"("code":")") + row.code));
    CHECK(result->content.at(1).text == "The page says:\nsorry");
  }
}

TEST_CASE("an answer that broke off is not told as a whole one") {
  PageAnswer broken = page("text/plain", "half");
  broken.head.headers["content-length"] = "8";
  CHECK(read_page(broken, {}).error().code == Code::DataLoss);
  broken.cut = true;  // as much as was wanted of it
  CHECK(has(read_text(broken), "longer than what is read"));
}
