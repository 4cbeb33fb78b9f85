// SPDX-License-Identifier: Apache-2.0
#include "beast_reader.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>

namespace gantry::transport {
namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;
using boost::beast::string_view;

std::string_view std_view(string_view view) { return {view.data(), view.size()}; }

class HeadReader final : public http::basic_parser<true> {
 public:
  explicit HeadReader(RequestHead& head) : head_(head) {
    eager(false);
    skip(true);  // bodies are decoded by our own readers
    header_limit(1u << 20);
    body_limit(boost::none);
  }

 private:
  void on_request_impl(http::verb, string_view method, string_view target, int version,
                       error_code&) override {
    head_.method = std_view(method);
    head_.target = std_view(target);
    head_.minor_version = version % 10;
  }
  void on_field_impl(http::field, string_view name, string_view value, error_code&) override {
    head_.fields.push_back({std_view(name), std_view(value)});
  }
  void on_response_impl(int, string_view, int, error_code&) override {}
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(string_view body, error_code&) override { return body.size(); }
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, string_view body, error_code&) override {
    return body.size();
  }
  void on_finish_impl(error_code&) override {}

  RequestHead& head_;
};

bool inside(std::string_view part, std::string_view whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

}  // namespace

std::optional<std::string> read_with_beast(std::string_view text, RequestHead& head) {
  head.fields.reserve(16);
  HeadReader reader(head);
  error_code error;
  reader.put(boost::asio::const_buffer(text.data(), text.size()), error);
  if (error) return error.message();
  if (!reader.is_header_done()) return "incomplete";
  // The parser copies only folded values, which never come this far; a view into its own buffer
  // would dangle, so the assumption is checked.
  for (const auto& field : head.fields) {
    if (!inside(field.name, text) || !inside(field.value, text)) return "folded field";
  }
  return std::nullopt;
}

}  // namespace gantry::transport
