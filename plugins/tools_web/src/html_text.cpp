// SPDX-License-Identifier: Apache-2.0
#include "html_text.hpp"

#include <libxml/HTMLparser.h>
#include <libxml/uri.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "text_flow.hpp"

namespace gantry::web {
namespace {

constexpr std::size_t kLongestTitle = 300;
constexpr std::size_t kLongestLink = 2000;
constexpr std::size_t kLongestWord = 8192;
constexpr std::ptrdiff_t kLongestTag = 32 * 1024;
constexpr std::size_t kPiece = 16 * 1024;

std::string_view view(const xmlChar* text) {
  return text == nullptr ? std::string_view()
                         : std::string_view(reinterpret_cast<const char*>(text));
}
const xmlChar* xml(const char* text) { return reinterpret_cast<const xmlChar*>(text); }

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Nobody who looks at the page sees what is in them.
constexpr std::array<std::string_view, 15> kSkipped{
    "script", "style",  "noscript", "template", "svg",   "math",  "iframe",  "object",
    "embed",  "canvas", "audio",    "video",    "title", "input", "datalist"};
constexpr std::array<std::string_view, 30> kBlocks{
    "p",       "div",     "section", "article",    "header",   "footer",     "main", "aside",
    "nav",     "figure",  "form",    "fieldset",   "table",    "blockquote", "dl",   "dt",
    "dd",      "address", "details", "figcaption", "summary",  "ul",         "ol",   "tr",
    "caption", "thead",   "tbody",   "tfoot",      "optgroup", "option"};
/// Blocks with an empty line around them.
constexpr std::array<std::string_view, 9> kParagraphs{"p",  "table",  "blockquote", "ul",     "ol",
                                                      "dl", "figure", "section",    "article"};

std::string attribute(const xmlNode* node, const char* name) {
  xmlChar* raw = xmlGetNoNsProp(node, xml(name));
  const std::unique_ptr<xmlChar, void (*)(void*)> owned(raw, [](void* p) { xmlFree(p); });
  return std::string(view(raw));
}

bool has_attribute(const xmlNode* node, const char* name) {
  return xmlHasProp(node, xml(name)) != nullptr;
}

std::string without_spaces(std::string text) {
  text.erase(std::remove_if(text.begin(), text.end(),
                            [](char c) { return c == ' ' || c == '\t' || c == '\n'; }),
             text.end());
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

bool is_hidden(const xmlNode* node) {
  if (has_attribute(node, "hidden")) return true;
  if (!has_attribute(node, "style")) return false;
  const std::string style = without_spaces(attribute(node, "style"));
  for (const std::string_view how :
       {"display:none", "visibility:hidden", "font-size:0", "opacity:0"}) {
    const std::size_t at = style.find(how);
    if (at == std::string::npos) continue;
    const char after = at + how.size() < style.size() ? style[at + how.size()] : ';';
    if (after == ';' || after == '!' || after == 'p') return true;  // not 0.5 or 02em
  }
  return false;
}

class Walker {
 public:
  Walker(std::string url, std::size_t limit, bool links)
      : flow_(limit), base_(std::move(url)), with_links_(links) {}

  /// Without recursion: a page decides how deep it is.
  void walk(const xmlNode* root) {
    const xmlNode* node = root;
    while (node != nullptr && !flow_.full()) {
      if (enter(node) && node->children != nullptr) {
        node = node->children;
        continue;
      }
      while (node != nullptr) {
        leave(node);
        if (node == root) return;
        if (node->next != nullptr) {
          node = node->next;
          break;
        }
        node = node->parent;
      }
    }
  }

  HtmlText result() {
    HtmlText out;
    TextFlow title(kLongestTitle * 2);
    title.words(title_);
    out.title = cut_to(title.take(), kLongestTitle);
    out.cut = flow_.full();
    out.text = flow_.take();
    out.text.resize(out.text.size() - tools::unfinished_utf8(out.text));
    out.links = links_;
    return out;
  }

 private:
  /// False: its children are left out.
  bool enter(const xmlNode* node) {
    if (node->type == XML_TEXT_NODE || node->type == XML_CDATA_SECTION_NODE) {
      flow_.words(view(node->content));
      return false;
    }
    if (node->type != XML_ELEMENT_NODE) return node->type == XML_HTML_DOCUMENT_NODE;
    const std::string_view name = view(node->name);
    if (name == "title" && title_.empty()) take_title(node);
    if (name == "base" && has_attribute(node, "href")) base_ = absolute(attribute(node, "href"));
    if (is_one_of(name, kSkipped) || is_hidden(node)) return false;
    open(node, name);
    return true;
  }

  void open(const xmlNode* node, std::string_view name) {
    if (name == "br") return flow_.lines(1);
    if (name == "hr") {
      flow_.lines(2);
      flow_.mark("---");
      return flow_.lines(2);
    }
    if (heading(name) > 0) {
      flow_.lines(2);
      flow_.lead(std::string(static_cast<std::size_t>(heading(name)), '#') + ' ');
    } else if (name == "li") {
      open_item(node);
    } else if (name == "td" || name == "th") {
      if (has_sibling_cell(node)) flow_.mark(" | ");
    } else if (name == "pre") {
      flow_.lines(2);
      flow_.mark("```\n");
      flow_.verbatim(true);
    } else if (name == "a") {
      open_link();
    } else if (name == "img") {
      image(node);
    } else if (is_one_of(name, kBlocks)) {
      flow_.lines(is_one_of(name, kParagraphs) && lists_.empty() ? 2 : 1);
      if (name == "ul" || name == "ol") lists_.push_back(0);
    }
  }

  void leave(const xmlNode* node) {
    if (node->type != XML_ELEMENT_NODE) return;
    const std::string_view name = view(node->name);
    if (is_one_of(name, kSkipped) || is_hidden(node)) return;
    if (heading(name) > 0) {
      flow_.lines(2);
    } else if (name == "li") {
      flow_.lines(1);
    } else if (name == "pre") {
      flow_.verbatim(false);
      flow_.lines(1);
      flow_.mark("```");
      flow_.lines(2);
    } else if (name == "a") {
      close_link(node);
    } else if (is_one_of(name, kBlocks)) {
      if (name == "ul" || name == "ol") lists_.pop_back();
      flow_.lines(is_one_of(name, kParagraphs) && lists_.empty() ? 2 : 1);
    }
  }

  static int heading(std::string_view name) {
    return name.size() == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6' ? name[1] - '0'
                                                                                  : 0;
  }

  void open_item(const xmlNode* node) {
    flow_.lines(1);
    const std::size_t depth = std::min<std::size_t>(lists_.size(), 8);
    std::string mark(depth > 1 ? (depth - 1) * 2 : 0, ' ');
    const bool numbered = node->parent != nullptr && view(node->parent->name) == "ol";
    mark += numbered && !lists_.empty() ? std::to_string(++lists_.back()) + ". " : "- ";
    flow_.lead(mark);
  }

  static bool has_sibling_cell(const xmlNode* node) {
    for (const xmlNode* other = node->prev; other != nullptr; other = other->prev) {
      if (other->type == XML_ELEMENT_NODE) return true;
    }
    return false;
  }

  void open_link() {
    if (with_links_) link_starts_.push_back(flow_.size());
  }

  void close_link(const xmlNode* node) {
    if (!with_links_ || link_starts_.empty()) return;
    const std::size_t begin = link_starts_.back();
    link_starts_.pop_back();
    const std::size_t words = flow_.since(begin).find_first_not_of(" \n");
    if (words == std::string_view::npos) return;
    const std::string href = attribute(node, "href");
    if (href.empty() || href.front() == '#') return;
    const std::string target = absolute(href);
    const bool web = target.starts_with("http://") || target.starts_with("https://");
    if (!web || target.size() > kLongestLink) return;
    flow_.wrap(begin + words, "[", "](" + target + ")");
    ++links_;
  }

  void image(const xmlNode* node) {
    const std::string words = attribute(node, "alt");
    if (words.empty()) return;
    flow_.mark("[image: ");
    flow_.words(words);
    flow_.mark("]");
  }

  void take_title(const xmlNode* node) {
    for (const xmlNode* child = node->children; child != nullptr; child = child->next) {
      title_ += view(child->content);
      if (title_.size() > kLongestTitle * 4) return;
    }
  }

  [[nodiscard]] std::string absolute(const std::string& href) const {
    if (base_.empty()) return href;
    xmlChar* raw = xmlBuildURI(xml(href.c_str()), xml(base_.c_str()));
    const std::unique_ptr<xmlChar, void (*)(void*)> owned(raw, [](void* p) { xmlFree(p); });
    return std::string(view(raw));
  }

  TextFlow flow_;
  std::string base_;
  std::string title_;
  std::vector<std::size_t> link_starts_;
  std::size_t links_ = 0;
  std::vector<int> lists_;  // those that are open: items so far
  bool with_links_;
};

/// What a parser could stumble over: NULs, which end the text for it, and words of many thousand
/// letters, which are packed pictures and not for reading.
std::string tamed(std::string_view html) {
  std::string out;
  out.reserve(html.size());
  std::size_t word = 0;
  for (const char c : html) {
    const bool ends = c == '\0' || c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '"' ||
                      c == '\'' || c == '<' || c == '>';
    word = ends ? 0 : word + 1;
    if (word <= kLongestWord) out += c == '\0' ? ' ' : c;
  }
  return out;
}

struct Parsed {
  std::unique_ptr<htmlParserCtxt, void (*)(htmlParserCtxtPtr)> context{nullptr, htmlFreeParserCtxt};
  std::unique_ptr<xmlDoc, void (*)(xmlDocPtr)> document{nullptr, xmlFreeDoc};
  bool stopped = false;
};

/// Whether the parser waits for the end of a tag that is longer than any honest one. It compares
/// each attribute of a tag with all before it, so such a tag could take minutes.
bool endless_tag(const htmlParserCtxt& context) {
  const xmlParserInput* input = context.input;
  if (input == nullptr || input->end - input->cur < kLongestTag) return false;
  const xmlChar next = input->cur[1];
  return input->cur[0] == '<' && ((next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z'));
}

Parsed parse(std::string_view html, const std::function<bool()>& given_up) {
  Parsed out;
  const std::string text = tamed(html);
  out.context.reset(
      htmlCreatePushParserCtxt(nullptr, nullptr, nullptr, 0, nullptr, XML_CHAR_ENCODING_UTF8));
  if (!out.context) return out;
  htmlCtxtUseOptions(out.context.get(), HTML_PARSE_RECOVER | HTML_PARSE_NOERROR |
                                            HTML_PARSE_NOWARNING | HTML_PARSE_NONET |
                                            HTML_PARSE_COMPACT);
  for (std::size_t at = 0; at < text.size() && !out.stopped; at += kPiece) {
    const std::size_t size = std::min(kPiece, text.size() - at);
    htmlParseChunk(out.context.get(), text.data() + at, static_cast<int>(size), 0);
    out.stopped =
        endless_tag(*out.context) || out.context->disableSAX != 0 || (given_up && given_up());
  }
  if (!out.stopped) htmlParseChunk(out.context.get(), nullptr, 0, 1);
  out.document.reset(std::exchange(out.context->myDoc, nullptr));
  return out;
}

HtmlText reduced(std::string_view html, const std::string& url, std::size_t limit, bool links,
                 const std::function<bool()>& given_up) {
  const Parsed page = parse(html, given_up);
  if (!page.document) return {};
  Walker walker(url, limit, links);
  walker.walk(reinterpret_cast<const xmlNode*>(page.document.get()));
  HtmlText out = walker.result();
  out.cut = out.cut || page.stopped;
  return out;
}

}  // namespace

void init_html() { xmlInitParser(); }

HtmlText html_text(std::string_view html, const std::string& url, std::size_t limit,
                   const std::function<bool()>& given_up) {
  return reduced(html, url, limit, true, given_up);
}

std::string html_line(std::string_view html) {
  std::string text = reduced(html, {}, 4000, false, {}).text;
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace gantry::web
