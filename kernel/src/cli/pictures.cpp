// SPDX-License-Identifier: Apache-2.0
// gantry ocr, gantry locate: what is in a picture file.
#include <gantry/contracts/picture.hpp>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "cli/access.hpp"
#include "cli/printable.hpp"

namespace gantry::cli {
namespace {

constexpr std::size_t kMostBytes = 64U << 20U;
constexpr int kPicturePatienceMs = 120'000;  // a large picture, read on a small machine

int fail(const Error& error) {
  complain(error.message);
  return error.code == Code::InvalidArgument ? static_cast<int>(kUsage) : exit_of(error);
}

Result<Buffer> read_picture(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string bytes;
  if (in) {
    bytes.resize(kMostBytes + 1);
    in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(in.gcount()));
  }
  if (bytes.empty()) return invalid_argument("'" + path + "' cannot be read, or is empty");
  if (bytes.size() > kMostBytes) return invalid_argument("'" + path + "' is larger than 64 MiB");
  return Buffer::of(std::move(bytes));
}

template <class T>
int print_json(const T& value) {
  gantry_buf encoded{};
  if (type_of<T>().encode(&value, &encoded) != GANTRY_OK) return kSoftware;
  std::printf("%s\n", std::string(Buffer::adopt(encoded).text()).c_str());
  return kOk;
}

/// Asks what serves a contract, with all that it can use. `access` is to outlive what is printed:
/// a plugin that does not stop ends the process there.
template <CallContract C>
Result<Ref<typename C::Response>> ask(const Invocation& invocation,
                                      const typename C::Request& request,
                                      std::unique_ptr<Access>& access) {
  GANTRY_ASSIGN(access, open_access(invocation, Need::kContract, std::string(C::kName)));
  return call_typed<C>(*access, request, invocation.target,
                       invocation.timeout_given ? invocation.timeout_ms : kPicturePatienceMs);
}

}  // namespace

int ocr(const Invocation& invocation) {
  if (invocation.arguments.size() != 1) {
    complain("usage: gantry ocr FILE");
    return kUsage;
  }
  std::unique_ptr<Access> access;
  PictureTextRequest request;
  auto file = read_picture(invocation.arguments.front());
  if (!file.ok()) return fail(file.error());
  request.file = std::move(*file);
  const auto read = ask<PictureText>(invocation, request, access);
  if (!read.ok()) return fail(read.error());
  if (invocation.json) return print_json(**read);
  for (const PictureRow& row : (*read)->rows) std::printf("%s\n", printable_line(row.text).c_str());
  return kOk;
}

int locate(const Invocation& invocation) {
  if (invocation.arguments.size() < 2) {
    complain("usage: gantry locate FILE WORDS…");
    return kUsage;
  }
  std::unique_ptr<Access> access;
  PictureLocateRequest request;
  auto file = read_picture(invocation.arguments.front());
  if (!file.ok()) return fail(file.error());
  request.file = std::move(*file);
  for (auto word = std::next(invocation.arguments.begin()); word != invocation.arguments.end();
       ++word) {
    request.description += (request.description.empty() ? "" : " ") + *word;
  }
  const auto found = ask<PictureLocate>(invocation, request, access);
  if (!found.ok()) return fail(found.error());
  if (invocation.json) return print_json(**found);
  std::vector<std::vector<std::string>> rows{{"X", "Y", "SURE", "WHAT", "WHY"}};
  for (const VisionMatch& match : (*found)->matches) {
    char sure[16];
    std::snprintf(sure, sizeof sure, "%.2f", match.confidence);
    const std::string what = match.text.empty() ? match.role : match.text;
    rows.push_back({std::to_string(match.x), std::to_string(match.y), sure,
                    what.empty() ? "-" : printable_line(what), printable_line(match.reason)});
  }
  std::fputs(table(rows).c_str(), stdout);
  return kOk;
}

}  // namespace gantry::cli
