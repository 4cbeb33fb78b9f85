// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "head_parser.hpp"
#include "mounts.hpp"

using namespace gantry::transport;

namespace {

std::shared_ptr<Mount> mount_at(std::string path, std::vector<std::string> methods = {},
                                std::string owner = "one") {
  auto mount = std::make_shared<Mount>();
  mount->owner = std::move(owner);
  mount->listener = "main";
  mount->path = std::move(path);
  mount->methods = std::move(methods);
  return mount;
}

std::shared_ptr<const MountTable> table_of(std::vector<std::shared_ptr<Mount>> mounts) {
  std::shared_ptr<const MountTable> table;
  for (auto& mount : mounts) {
    auto grown = MountTable::with(table, std::move(mount));
    REQUIRE(std::holds_alternative<std::shared_ptr<const MountTable>>(grown));
    table = std::get<std::shared_ptr<const MountTable>>(grown);
  }
  return table;
}

std::variant<Route, NoRoute> find(const MountTable& table, const std::string& target,
                                  const std::string& method = "GET",
                                  const std::string& host = "localhost", bool websocket = false) {
  auto head = parse_head(method + " " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n", {});
  return table.find("main", std::get<RequestHead>(head), websocket);
}

std::string path_found(const std::variant<Route, NoRoute>& found) {
  const auto* route = std::get_if<Route>(&found);
  return route == nullptr ? std::to_string(std::get<NoRoute>(found).status)
                          : route->mount->host + route->mount->path;
}

}  // namespace

TEST_CASE("the most specific mount serves a request") {
  auto hosted = mount_at("/a/{x}");
  hosted->host = "Desk.example";
  const auto table = table_of({mount_at("/*"), mount_at("/a/*"), mount_at("/a/{x}"),
                               mount_at("/a/b"), mount_at("/a/{x}/c"), mount_at("/a/b/{y}"),
                               std::move(hosted), mount_at("/only/post", {"POST"})});
  const std::vector<std::pair<const char*, const char*>> expected = {
      {"/", "/*"},
      {"/z/z", "/*"},
      {"/a", "/*"},
      {"/a/", "/a/*"},
      {"/a/b", "/a/b"},
      {"/a/q", "/a/{x}"},
      {"/a/q/c", "/a/{x}/c"},
      {"/a/b/c", "/a/b/{y}"},
      {"/a/q/r", "/a/*"},
      {"/a/%62", "/a/b"},
      {"/a/b?x", "/a/b"},
      {"/a/../b", "400"},
      {"/a/%2e%2e/b", "400"},
      {"/a/%zz", "400"},
      {"/a/%00", "400"},
  };
  for (const auto& [target, path] : expected) {
    INFO(target);
    CHECK(path_found(find(*table, target)) == path);
  }
  CHECK(path_found(find(*table, "/a/q", "GET", "desk.example:80")) == "Desk.example/a/{x}");
}

TEST_CASE("parameters are decoded, a slash in them is no separator") {
  const auto table = table_of({mount_at("/api/tool/{name}"), mount_at("/x/*")});
  const auto tool = std::get<Route>(find(*table, "/api/tool/a%2Fb%20c"));
  REQUIRE(tool.params.size() == 1);
  CHECK(tool.params[0].first == "name");
  CHECK(tool.params[0].second == "a/b c");
  CHECK(std::get<Route>(find(*table, "/x/y/z")).params[0].second == "y/z");
  CHECK(path_found(find(*table, "/api/tool/")) == "404");
}

TEST_CASE("methods: HEAD falls back to GET, others are named") {
  const auto table = table_of({mount_at("/r", {"GET"}), mount_at("/r", {"POST", "DELETE"})});
  CHECK(path_found(find(*table, "/r", "HEAD")) == "/r");
  const auto none = std::get<NoRoute>(find(*table, "/r", "PUT"));
  CHECK(none.status == 405);
  CHECK(none.allow == "DELETE, GET, HEAD, OPTIONS, POST");
  CHECK(path_found(find(*table, "/q", "PUT")) == "404");
}

TEST_CASE("HEAD is answered by the mount that GET has") {
  const auto table =
      table_of({mount_at("/*", {"GET", "HEAD"}), mount_at("/r", {"GET"}), mount_at("/p", {"POST"}),
                mount_at("/two", {"GET"}), mount_at("/two", {"HEAD"}, "head")});
  CHECK(path_found(find(*table, "/r", "HEAD")) == "/r");  // not by the mount for everything
  CHECK(path_found(find(*table, "/p", "HEAD")) == "/*");
  CHECK(path_found(find(*table, "/p", "GET")) == "/*");
  const auto own = find(*table, "/two", "HEAD");
  CHECK(std::get<Route>(own).mount->owner == "head");
}

TEST_CASE("a WebSocket and a request may share a path") {
  auto socket = mount_at("/ws");
  socket->kind = MountKind::kWebSocket;
  const auto table = table_of({mount_at("/ws", {"GET"}), std::move(socket)});
  CHECK(std::get<Route>(find(*table, "/ws", "GET", "a", true)).mount->kind ==
        MountKind::kWebSocket);
  CHECK(std::get<Route>(find(*table, "/ws")).mount->kind == MountKind::kRequest);
}

TEST_CASE("overlaps are found and both mounts named") {
  struct Case {
    const char* a;
    std::vector<std::string> a_methods;
    const char* b;
    std::vector<std::string> b_methods;
    bool overlap;
  };
  const std::vector<Case> table = {
      {"/ws", {}, "/ws", {}, true},      {"/ws", {"GET"}, "/ws", {"POST"}, false},
      {"/ws", {"GET"}, "/ws", {}, true}, {"/a/{x}", {}, "/a/{y}", {}, true},
      {"/a/{x}", {}, "/a/b", {}, false}, {"/a/*", {}, "/a/*", {}, true},
      {"/a/*", {}, "/a/{x}", {}, false}, {"/a", {}, "/a/", {}, false},
  };
  for (const auto& row : table) {
    INFO(row.a << " and " << row.b);
    const auto a = mount_at(row.a, row.a_methods, "chat");
    const auto b = mount_at(row.b, row.b_methods, "gateway");
    const auto text = find_overlap(*a, *b);
    CHECK(text.has_value() == row.overlap);
    CHECK(find_overlap(*b, *a).has_value() == row.overlap);
    if (!text) continue;
    CHECK(text->find("'chat'") != std::string::npos);
    CHECK(text->find("'gateway'") != std::string::npos);
  }
  auto hosted = mount_at("/ws");
  hosted->host = "a.example";
  CHECK_FALSE(find_overlap(*hosted, *mount_at("/ws")));
}

TEST_CASE("a mount that cannot be is refused with its reason") {
  for (const char* path : {"", "x", "/a/*/b", "/a*", "/{}", "/a b", "/a?b"}) {
    INFO(path);
    CHECK(check_mount(*mount_at(path)));
  }
  CHECK(check_mount(*mount_at("/a", {"BREW"})));
  const auto table = table_of({mount_at("/a")});
  const auto refused = MountTable::with(table, mount_at("/a", {}, "two"));
  CHECK(std::get<MountFailure>(refused).kind == MountFailure::Kind::kOverlap);
  const auto malformed = MountTable::with(table, mount_at("a"));
  CHECK(std::get<MountFailure>(malformed).kind == MountFailure::Kind::kMalformed);
  const auto emptied = MountTable::without(table, table->mounts().front().get());
  CHECK(emptied->mounts().empty());
  CHECK(path_found(find(*emptied, "/a")) == "503");  // nothing is mounted yet
}

TEST_CASE("who is refused is told so in the form of what is mounted there") {
  const auto speaking = [](const char* path, const char* form, const char* method = "GET") {
    auto mount = mount_at(path, {method});
    mount->error_template = form;
    return mount;
  };
  const auto everything = [&](const char* path, const char* form) {
    auto mount = speaking(path, form);
    mount->catch_all = true;
    return mount;
  };
  const auto table = table_of({everything("/*", "all"), everything("/below/*", "below"),
                               speaking("/below/{x}/y", "deep", "POST")});
  const auto form = [&](const std::string& target, const std::string& method = "GET") {
    const auto head =
        parse_head(method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n", {});
    const MountPtr found = table->form_of("main", &std::get<RequestHead>(head));
    return found ? found->error_template : "none";
  };
  CHECK(form("/%zz") == "all");
  CHECK(form("/below/%zz") == "below");
  CHECK(form("/below/%zz/y") == "deep");
  CHECK(form("/below/../y", "DELETE") == "deep");
  auto of_host = std::make_shared<Mount>(*everything("/*", "host"));
  of_host->host = "localhost";
  const auto hosts = table_of({everything("/*", "all"), of_host});
  const auto head = parse_head("OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", {});
  CHECK(hosts->form_of("main", std::get_if<RequestHead>(&head))->error_template == "host");
  CHECK(table->form_of("main", nullptr)->error_template == "all");
  CHECK(table->form_of("other", nullptr) == nullptr);
  CHECK(table_of({speaking("/a", "a")})->form_of("main", nullptr) == nullptr);
}
