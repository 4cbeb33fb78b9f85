// SPDX-License-Identifier: Apache-2.0
// Answers of web servers. The first line is the content type, the second the content coding, the
// rest the body; the same bytes are an address and where a redirect leads.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "html_text.hpp"
#include "page.hpp"
#include "web_address.hpp"

using namespace gantry;

namespace {

std::string take_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  std::string line(rest.substr(0, end));
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

void check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  web::init_html();
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const auto address = web::read_web_address(rest, web::UrlRules{});
  if (address.ok()) {
    // What is asked for is printable, and reads as the same.
    for (const char c : address->url) check(c > 0x20 && c < 0x7F);
    const auto again = web::read_web_address(address->url, web::UrlRules{});
    check(again.ok() && again->url == address->url && again->host == address->host);
    (void)web::resolved(*address, rest);
  }
  web::PageAnswer answer;
  answer.url = "https://example.org/";
  answer.head.status = 200;
  answer.head.headers["content-type"] = take_line(rest);
  answer.head.headers["content-encoding"] = take_line(rest);
  answer.body = rest;
  web::PageRequest request;
  request.limits = {65'536, 65'536, 2'000};
  const auto result = web::read_page(std::move(answer), request);
  if (result.ok()) check(result->content.at(0).text.size() < 8'000);
  return 0;
}
