// SPDX-License-Identifier: Apache-2.0
#include "web_files.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>

namespace gantry::rest_observer {
namespace {

namespace fs = std::filesystem;

/// A folder with a page of two files, and one that is no part of it.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "gantry-web-XXXXXX").string();
    path_ = mkdtemp(name.data());
    write("index.html", "<!doctype html>");
    write("main.js", "1;");
    write("notes.txt", "not served");
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  void write(const std::string& name, std::string_view text) {
    std::ofstream(path_ / name) << text;
    fs::permissions(path_ / name, fs::perms::owner_read | fs::perms::owner_write);
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string header(const HttpResponse& response, std::string_view name) {
  for (const HttpHeader& header : response.headers) {
    if (header.name == name) return header.value;
  }
  return {};
}

TEST_CASE("the page's files are read once, each with its type and the page's policy") {
  const Folder folder;
  const Result<WebFiles> files = WebFiles::read(folder.path());
  REQUIRE(files.ok());
  CHECK(files->has("index.html"));
  CHECK(files->has("main.js"));
  CHECK_FALSE(files->has("notes.txt"));
  CHECK_FALSE(files->has("../index.html"));
  const HttpResponse page = files->answer({}, "index.html");
  CHECK(page.status == 200);
  CHECK(page.content_type == "text/html; charset=utf-8");
  CHECK(page.body.text() == "<!doctype html>");
  CHECK(header(page, "X-Content-Type-Options") == "nosniff");
  const std::string policy = header(page, "Content-Security-Policy");
  for (const char* rule : {"default-src 'none'", "script-src 'self'", "style-src 'self'",
                           "frame-ancestors 'none'", "require-trusted-types-for 'script'"}) {
    INFO(rule);
    CHECK(policy.find(rule) != std::string::npos);
  }
  CHECK(policy.find("unsafe") == std::string::npos);
  CHECK(files->answer({}, "main.js").content_type == "text/javascript; charset=utf-8");
}

TEST_CASE("a browser that has a file is not sent it again, until it is another one") {
  Folder folder;
  const Result<WebFiles> before = WebFiles::read(folder.path());
  HttpRequest again;
  again.headers.push_back({"if-none-match", header(before->answer({}, "main.js"), "ETag")});
  const HttpResponse same = before->answer(again, "main.js");
  CHECK(same.status == 304);
  CHECK(same.body.empty());
  CHECK_FALSE(header(same, "Content-Security-Policy").empty());
  folder.write("main.js", "2;");
  const HttpResponse changed = WebFiles::read(folder.path())->answer(again, "main.js");
  CHECK(changed.status == 200);
  CHECK(changed.body.text() == "2;");
}

TEST_CASE("what is no page, or what others may write, is not served") {
  const Folder folder;
  const Result<WebFiles> nowhere = WebFiles::read(folder.path() / "nowhere");
  REQUIRE_FALSE(nowhere.ok());
  CHECK(nowhere.error().code == Code::NotFound);
  fs::permissions(folder.path() / "main.js", fs::perms::others_write, fs::perm_options::add);
  const Result<WebFiles> open = WebFiles::read(folder.path());
  REQUIRE_FALSE(open.ok());
  CHECK(open.error().code == Code::PermissionDenied);
  CHECK(open.error().message.find("main.js can be written by others") != std::string::npos);
}

}  // namespace
}  // namespace gantry::rest_observer
