// SPDX-License-Identifier: Apache-2.0
#pragma once
// One call of web_fetch: from address to address, until there is a page. Strand only.

#include <gantry/host.hpp>
#include <gantry/http/fetch.hpp>
#include <gantry/tools/tool_server.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lookup.hpp"
#include "page.hpp"
#include "settings.hpp"
#include "web_address.hpp"

namespace gantry::web {

struct FetchArguments {
  std::string url;
  std::int64_t offset = 0;
  std::int64_t max_bytes = 0;  // of the text told; 0: as configured
  bool raw = false;
};
BOOST_DESCRIBE_STRUCT(FetchArguments, (), (url, offset, max_bytes, raw))

[[nodiscard]] Result<FetchArguments> read_fetch_arguments(const Json& arguments);

class FetchRun : public std::enable_shared_from_this<FetchRun> {
 public:
  FetchRun(Host& host, const FetchSettings& settings, Lookup lookup, tools::CallPtr call,
           FetchArguments arguments)
      : host_(host),
        settings_(settings),
        lookup_(std::move(lookup)),
        call_(std::move(call)),
        arguments_(std::move(arguments)) {}

  /// Answers the call; `over` runs once then, or when the caller gives up.
  void begin(std::function<void()> over);

 private:
  void hop(const std::string& url);
  void ask();
  void settle(Result<http::HttpAnswer> answer);
  void read(http::HttpAnswer answer);
  void finish(Result<ToolResult> result);
  void end();
  [[nodiscard]] http::HttpRequest request() const;
  [[nodiscard]] http::HttpOptions options() const;

  Host& host_;
  FetchSettings settings_;
  Lookup lookup_;
  tools::CallPtr call_;
  FetchArguments arguments_;
  std::function<void()> over_;
  WebAddress address_;
  std::vector<std::string> redirects_;
  std::shared_ptr<http::Fetching> fetching_;
  Timer limit_;
};

}  // namespace gantry::web
