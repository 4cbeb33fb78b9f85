// SPDX-License-Identifier: Apache-2.0
#include "charset.hpp"

#include <iconv.h>
#include <gantry/tools/text.hpp>
#include <gantry/utf8.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>

#include "text_flow.hpp"

namespace gantry::web {
namespace {

constexpr std::size_t kPrescan = 1024;  // bytes in which a <meta> counts
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct CharsetRow {
  std::string_view label;
  std::string_view name;   // WHATWG's
  std::string_view iconv;  // glibc's
};
/// Labels that pages use. What is not here is read as if nothing had been said.
constexpr CharsetRow kCharsets[] = {
    {"utf-8", "utf-8", ""},
    {"utf8", "utf-8", ""},
    {"unicode-1-1-utf-8", "utf-8", ""},
    {"ascii", "windows-1252", "CP1252"},
    {"us-ascii", "windows-1252", "CP1252"},
    {"iso-8859-1", "windows-1252", "CP1252"},
    {"iso8859-1", "windows-1252", "CP1252"},
    {"latin1", "windows-1252", "CP1252"},
    {"l1", "windows-1252", "CP1252"},
    {"windows-1252", "windows-1252", "CP1252"},
    {"cp1252", "windows-1252", "CP1252"},
    {"x-cp1252", "windows-1252", "CP1252"},
    {"iso-8859-2", "iso-8859-2", "ISO-8859-2"},
    {"latin2", "iso-8859-2", "ISO-8859-2"},
    {"iso-8859-3", "iso-8859-3", "ISO-8859-3"},
    {"iso-8859-4", "iso-8859-4", "ISO-8859-4"},
    {"iso-8859-5", "iso-8859-5", "ISO-8859-5"},
    {"iso-8859-6", "iso-8859-6", "ISO-8859-6"},
    {"iso-8859-7", "iso-8859-7", "ISO-8859-7"},
    {"iso-8859-8", "iso-8859-8", "ISO-8859-8"},
    {"iso-8859-9", "windows-1254", "CP1254"},
    {"latin5", "windows-1254", "CP1254"},
    {"iso-8859-10", "iso-8859-10", "ISO-8859-10"},
    {"iso-8859-13", "iso-8859-13", "ISO-8859-13"},
    {"iso-8859-14", "iso-8859-14", "ISO-8859-14"},
    {"iso-8859-15", "iso-8859-15", "ISO-8859-15"},
    {"latin9", "iso-8859-15", "ISO-8859-15"},
    {"iso-8859-16", "iso-8859-16", "ISO-8859-16"},
    {"windows-874", "windows-874", "CP874"},
    {"tis-620", "windows-874", "CP874"},
    {"windows-1250", "windows-1250", "CP1250"},
    {"windows-1251", "windows-1251", "CP1251"},
    {"cp1251", "windows-1251", "CP1251"},
    {"windows-1253", "windows-1253", "CP1253"},
    {"windows-1254", "windows-1254", "CP1254"},
    {"windows-1255", "windows-1255", "CP1255"},
    {"windows-1256", "windows-1256", "CP1256"},
    {"windows-1257", "windows-1257", "CP1257"},
    {"windows-1258", "windows-1258", "CP1258"},
    {"koi8-r", "koi8-r", "KOI8-R"},
    {"koi8-u", "koi8-u", "KOI8-U"},
    {"macintosh", "macintosh", "MACINTOSH"},
    {"shift_jis", "shift_jis", "CP932"},
    {"shift-jis", "shift_jis", "CP932"},
    {"sjis", "shift_jis", "CP932"},
    {"windows-31j", "shift_jis", "CP932"},
    {"euc-jp", "euc-jp", "EUC-JP"},
    {"iso-2022-jp", "iso-2022-jp", "ISO-2022-JP"},
    {"euc-kr", "euc-kr", "CP949"},
    {"ks_c_5601-1987", "euc-kr", "CP949"},
    {"gb2312", "gbk", "GB18030"},
    {"gbk", "gbk", "GB18030"},
    {"gb18030", "gb18030", "GB18030"},
    {"big5", "big5", "BIG5-HKSCS"},
    {"utf-16", "utf-16le", "UTF-16LE"},
    {"utf-16le", "utf-16le", "UTF-16LE"},
    {"utf-16be", "utf-16be", "UTF-16BE"},
};

const CharsetRow* find_row(std::string_view label) {
  const std::string name = ascii_lower(label);
  const auto* const found = std::find_if(std::begin(kCharsets), std::end(kCharsets),
                                         [&](const CharsetRow& row) { return row.label == name; });
  return found == std::end(kCharsets) ? nullptr : found;
}

bool fits_utf8(std::string_view bytes) {
  const bool long_enough_to_be_cut = bytes.size() > kPrescan;
  while (!bytes.empty()) {
    const std::size_t length = codec::utf8_length(bytes);
    if (length == 0) return long_enough_to_be_cut && bytes.size() < 4;
    bytes.remove_prefix(length);
  }
  return true;
}

Converted from_utf8(std::string_view bytes) {
  Converted out;
  out.charset = "utf-8";
  out.text = tools::repaired_utf8(bytes, &out.wrong);
  return out;
}

Converted from_other(std::string_view bytes, const CharsetRow& row) {
  const std::string name(row.iconv);
  const iconv_t raw = ::iconv_open("UTF-8", name.c_str());
  // NOLINTNEXTLINE(performance-no-int-to-ptr): so POSIX tells a failure
  if (raw == reinterpret_cast<iconv_t>(-1)) return from_utf8(bytes);  // a system without it
  const std::unique_ptr<void, int (*)(iconv_t)> converter(raw, ::iconv_close);
  Converted out;
  out.charset = row.name;
  std::string input(bytes);  // iconv wants to be able to write
  char* from = input.data();
  std::size_t left = input.size();
  std::array<char, 16 * 1024> piece{};
  while (true) {
    char* to = piece.data();
    std::size_t room = piece.size();
    const std::size_t done = ::iconv(raw, left == 0 ? nullptr : &from, &left, &to, &room);
    const int problem = done == static_cast<std::size_t>(-1) ? errno : 0;
    out.text.append(piece.data(), piece.size() - room);
    if (problem == 0 && left == 0) return out;
    if (problem == EILSEQ || problem == EINVAL) {
      out.text += kReplacement;
      ++out.wrong;
      ++from;
      if (--left == 0) return out;
    }
  }
}

/// The value after `name` = in a tag, with or without quotes.
std::string_view attribute_value(std::string_view tag, std::string_view name) {
  const std::size_t found = tag.find(name);
  if (found == std::string_view::npos) return {};
  tag.remove_prefix(found + name.size());
  const auto skip = [&tag](std::string_view what) {
    while (!tag.empty() && what.find(tag.front()) != std::string_view::npos) tag.remove_prefix(1);
  };
  skip(" \t\r\n");
  if (!tag.starts_with('=')) return {};
  tag.remove_prefix(1);
  skip(" \t\r\n\"'");
  return tag.substr(0, tag.find_first_of(" \t\r\n\"'/>;"));
}

/// What a <meta charset> or its older form says in the first bytes.
const CharsetRow* meta_charset(std::string_view bytes) {
  const std::string head = ascii_lower(bytes.substr(0, kPrescan));
  const std::string_view text = head;
  for (std::size_t at = text.find("<meta"); at != std::string_view::npos;
       at = text.find("<meta", at + 1)) {
    const std::string_view tag = text.substr(at, text.find('>', at) - at);
    const CharsetRow* row = find_row(attribute_value(tag, "charset"));
    if (row == nullptr) continue;
    // What could be read so far is no UTF-16.
    return row->name.starts_with("utf-16") ? find_row("utf-8") : row;
  }
  return nullptr;
}

struct Mark {
  std::string_view bytes;
  std::string_view label;
};
constexpr Mark kMarks[] = {
    {"\xEF\xBB\xBF", "utf-8"}, {"\xFE\xFF", "utf-16be"}, {"\xFF\xFE", "utf-16le"}};

}  // namespace

Converted to_utf8(std::string_view bytes, std::string_view declared, bool html) {
  const CharsetRow* row = nullptr;
  for (const Mark& mark : kMarks) {
    if (!bytes.starts_with(mark.bytes)) continue;
    bytes.remove_prefix(mark.bytes.size());
    row = find_row(mark.label);
    break;
  }
  if (row == nullptr) row = find_row(declared);
  if (row == nullptr && html) row = meta_charset(bytes);
  if (row == nullptr) row = find_row(fits_utf8(bytes) ? "utf-8" : "windows-1252");
  return row->iconv.empty() ? from_utf8(bytes) : from_other(bytes, *row);
}

}  // namespace gantry::web
