// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <iterator>

#include "tree.hpp"

namespace gantry::observation {
namespace {

void append_field(std::string& out, std::string_view field) {
  out.append(field);
  out.push_back('\0');
}

void append_node(std::string& out, const Node& node) {
  append_field(out, node.role);
  if (node.hidden) {
    append_field(out, node.hidden->digest);
    append_field(out, {});
  } else {
    append_field(out, node.name);
    append_field(out, node.value ? std::string_view(*node.value) : std::string_view());
  }
  const Rect& box = node.bounds;
  fmt::format_to(std::back_inserter(out), "{},{},{},{}", box.x, box.y, box.width, box.height);
  out.push_back('\0');
  append_field(out, node.enabled ? "E" : "D");
  fmt::format_to(std::back_inserter(out), "{}", node.children.size());
  out.push_back('\0');
  for (const Node& child : node.children) append_node(out, child);
}

}  // namespace

std::string tree_hash(const Node& root) {
  std::string bytes;
  append_node(bytes, root);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha1(), nullptr);
  std::string text = "sha1:";
  for (unsigned int i = 0; i < length; ++i) {
    fmt::format_to(std::back_inserter(text), "{:02x}", digest[i]);
  }
  return text;
}

}  // namespace gantry::observation
