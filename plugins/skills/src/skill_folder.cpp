// SPDX-License-Identifier: Apache-2.0
#include "skill_folder.hpp"

#include <gantry/tools/text.hpp>
#include <gantry/unique_fd.hpp>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "front_matter.hpp"

namespace gantry::skills {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDocument = "SKILL.md";
constexpr int kMaxFolders = 8;  // below each other, of one skill
constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr std::size_t kMaxEntries = 20'000;  // of one skill that are looked at
constexpr std::size_t kBlock = 65'536;
constexpr std::int64_t kMsInSecond = 1000;
constexpr std::int64_t kNsInMs = 1'000'000;

std::string system_words() { return std::generic_category().message(errno); }

Error cannot(const std::string& what, const std::string& path) {
  return unavailable(what + " " + path + ": " + system_words(), "see who owns the folder");
}

UniqueFd open_folder(int parent, const std::string& name) {
  return UniqueFd(::openat(parent, name.c_str(), kFolderFlags));
}

struct Entry {
  std::string name;
  bool folder = false;
  bool link = false;
};

/// What a folder holds, sorted, without what begins with a dot.
std::vector<Entry> entries_of(const UniqueFd& folder, std::size_t most) {
  std::vector<Entry> out;
  const int copy = ::fcntl(folder.get(), F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return out;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::fdopendir(copy), &::closedir);
  if (!open) {
    ::close(copy);
    return out;
  }
  ::rewinddir(open.get());  // the copy shares its place with the original
  while (const dirent* entry = ::readdir(open.get())) {
    const std::string name = entry->d_name;
    if (name.starts_with('.')) continue;
    if (out.size() == most) break;
    struct stat facts {};
    if (::fstatat(folder.get(), name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) continue;
    out.push_back({name, S_ISDIR(facts.st_mode), S_ISLNK(facts.st_mode)});
  }
  std::sort(out.begin(), out.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return out;
}

struct FileText {
  std::string bytes;
  std::int64_t size = 0;
  std::int64_t changed_ms = 0;
};

/// The first `most` bytes of a regular file.
std::optional<FileText> read_file(int folder, const std::string& name, std::int64_t most) {
  // Without O_NONBLOCK a pipe of this name would hold up the thread.
  const UniqueFd file(
      ::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat facts {};
  if (!file || ::fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
  FileText out;
  out.size = facts.st_size;
  out.changed_ms = facts.st_mtim.tv_sec * kMsInSecond + facts.st_mtim.tv_nsec / kNsInMs;
  std::array<char, kBlock> block{};
  while (std::ssize(out.bytes) < most) {
    const auto wanted = std::min<std::int64_t>(most - std::ssize(out.bytes), std::ssize(block));
    const ssize_t got = ::read(file.get(), block.data(), static_cast<std::size_t>(wanted));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    out.bytes.append(block.data(), static_cast<std::size_t>(got));
  }
  return out;
}

Result<SkillDocument> read_document_in(const UniqueFd& folder, const std::string& name,
                                       const Limits& limits, std::string* content = nullptr) {
  std::optional<FileText> file = read_file(folder.get(), kDocument, limits.file + 1);
  if (!file) return not_found("there is no SKILL.md that is a file");
  if (std::ssize(file->bytes) > limits.file) {
    return invalid_argument("SKILL.md is larger than " + std::to_string(limits.file) + " bytes");
  }
  GANTRY_ASSIGN(SkillDocument document, read_document(name, tools::repaired_utf8(file->bytes)));
  document.skill.changed_ms = file->changed_ms;
  if (content != nullptr) *content = tools::repaired_utf8(file->bytes);
  return document;
}

/// The files of a skill, relative to its folder. `left` is how many entries may still be looked at.
void list_files(const UniqueFd& folder, const std::string& prefix, int depth, const Limits& limits,
                std::size_t& left, SkillText& out) {
  const auto most = static_cast<std::size_t>(limits.files);
  const std::vector<Entry> entries = entries_of(folder, left);
  left -= entries.size();
  if (left == 0) out.more_files = true;
  for (const Entry& entry : entries) {
    if (entry.link) continue;
    const std::string path = prefix + entry.name;
    if (entry.folder) {
      if (depth == kMaxFolders) {
        out.more_files = true;
        continue;
      }
      const UniqueFd inner = open_folder(folder.get(), entry.name);
      if (inner) list_files(inner, path + "/", depth + 1, limits, left, out);
    } else if (path != kDocument) {
      if (out.files.size() == most) {
        out.more_files = true;
        return;
      }
      out.files.push_back(path);
    }
  }
}

std::vector<std::string> components(const std::string& path) {
  std::vector<std::string> out;
  std::string part;
  for (const char c : path + "/") {
    if (c != '/') {
      part += c;
    } else {
      out.push_back(std::exchange(part, {}));
    }
  }
  return out;
}

Error no_file(const std::string& file) {
  return not_found("the skill has no file '" + file + "'; its files are listed with it");
}

/// With mode 0700: other users' skills are nobody's business.
Result<void> make_folders(const fs::path& path) {
  std::error_code ignored;
  if (path.empty() || fs::is_directory(path, ignored)) return {};
  GANTRY_TRY(make_folders(path.parent_path()));
  if (::mkdir(path.c_str(), S_IRWXU) == 0 || errno == EEXIST) return {};
  return cannot("cannot make", path.string());
}

Result<void> write_all(const UniqueFd& file, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(file.get(), bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return cannot("cannot write", path);
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  if (::fsync(file.get()) != 0) return cannot("cannot write", path);
  return {};
}

}  // namespace

Shelf read_shelf(const std::string& path, SkillSource source, const Limits& limits,
                 const std::function<bool(const std::string&)>& visit) {
  Shelf out;
  std::error_code error;
  const fs::path real = fs::canonical(path, error);  // the folder itself may be a link
  out.path = error ? path : real.string();
  out.watched = !error && visit(out.path);
  const UniqueFd shelf(::open(out.path.c_str(), kFolderFlags));
  if (error || !shelf) return out;
  out.exists = true;
  const auto most = static_cast<std::size_t>(limits.skills);
  for (const Entry& entry : entries_of(shelf, most * 2 + 1)) {
    const std::string folder = out.path + "/" + entry.name;
    const auto wrong = [&](const std::string& what) {
      out.problems.push_back({folder, source, what});
    };
    if (entry.link) {
      wrong("this is a link; put the folder itself here");
      continue;
    }
    if (!entry.folder) continue;
    if (out.skills.size() == most) {
      wrong("there are more than " + std::to_string(most) + " skills; these are left out");
      break;
    }
    if (!visit(folder)) out.watched = false;
    const UniqueFd inner = open_folder(shelf.get(), entry.name);
    if (!inner) {
      wrong("it cannot be opened: " + system_words());
      continue;
    }
    Result<SkillDocument> document = read_document_in(inner, entry.name, limits);
    if (!document.ok()) {
      wrong(document.error().message);
      continue;
    }
    document->skill.folder = folder;
    document->skill.source = source;
    document->skill.editable = source == SkillSource::User;
    out.skills.push_back(std::move(document->skill));
  }
  return out;
}

Result<SkillText> read_skill(const Skill& skill, const Limits& limits) {
  const UniqueFd folder(::open(skill.folder.c_str(), kFolderFlags));
  if (!folder) return not_found("the skill's folder is gone");
  SkillText out;
  GANTRY_ASSIGN(SkillDocument document, read_document_in(folder, skill.name, limits, &out.content));
  out.skill = skill;
  out.instructions = std::move(document.instructions);
  std::size_t left = kMaxEntries;
  list_files(folder, "", 1, limits, left, out);
  std::sort(out.files.begin(), out.files.end());
  return out;
}

Result<SkillFileText> read_skill_file(const Skill& skill, const std::string& file,
                                      const Limits& limits) {
  UniqueFd folder(::open(skill.folder.c_str(), kFolderFlags));
  const std::vector<std::string> path = components(file);
  const bool plain = !file.empty() && file.find('\0') == std::string::npos &&
                     std::none_of(path.begin(), path.end(), [](const std::string& part) {
                       return part.empty() || part == "." || part == "..";
                     });
  if (!plain) return no_file(file);
  for (std::size_t at = 0; folder && at + 1 < path.size(); ++at) {
    folder = open_folder(folder.get(), path[at]);
  }
  if (!folder) return no_file(file);
  std::optional<FileText> text = read_file(folder.get(), path.back(), limits.file);
  if (!text) return no_file(file);
  SkillFileText out;
  out.file = file;
  out.truncated = text->size > std::ssize(text->bytes);
  if (out.truncated) {
    text->bytes.resize(text->bytes.size() - tools::unfinished_utf8(text->bytes));
  }
  std::size_t replaced = 0;
  out.content = tools::repaired_utf8(text->bytes, &replaced);
  if (replaced != 0 || out.content.find('\0') != std::string::npos) {
    return failed_precondition("'" + file + "' is no text; use it where it lies: " + skill.folder +
                               "/" + file);
  }
  return out;
}

Result<void> write_skill(const std::string& shelf, const std::string& name,
                         std::string_view content, bool create_only, const Limits& limits) {
  GANTRY_TRY(make_folders(fs::path(shelf).lexically_normal()));
  const UniqueFd folder(::open(shelf.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return cannot("cannot open", shelf);
  const std::string path = shelf + "/" + name;
  if (::mkdirat(folder.get(), name.c_str(), S_IRWXU) == 0) {
    const auto most = static_cast<std::size_t>(limits.skills);
    if (entries_of(folder, most + 1).size() > most) {
      ::unlinkat(folder.get(), name.c_str(), AT_REMOVEDIR);
      return Error{Code::ResourceExhausted, "there are as many skills as may be; delete one", {}};
    }
  } else if (errno != EEXIST) {
    return cannot("cannot make", path);
  } else if (create_only) {
    return Error{Code::AlreadyExists, "there is a skill '" + name + "' already", {}};
  }
  const UniqueFd inner = open_folder(folder.get(), name);
  if (!inner) return cannot("cannot open", path);
  constexpr const char* kDraft = ".SKILL.md.new";
  ::unlinkat(inner.get(), kDraft, 0);
  {
    const UniqueFd draft(::openat(inner.get(), kDraft,
                                  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                  S_IRUSR | S_IWUSR));
    if (!draft) return cannot("cannot write", path);
    GANTRY_TRY(write_all(draft, content, path));
  }
  if (::renameat(inner.get(), kDraft, inner.get(), kDocument) != 0) {
    return cannot("cannot write", path);
  }
  return {};
}

Result<void> remove_skill(const std::string& shelf, const std::string& name) {
  const fs::path path = fs::path(shelf) / name;
  std::error_code error;
  if (!fs::is_directory(fs::symlink_status(path, error))) {
    return not_found("there is no skill '" + name + "' of the user's");
  }
  fs::remove_all(path, error);  // removes links, not what they lead to
  if (error) {
    return unavailable("cannot remove " + path.string() + ": " + error.message(),
                       "see who owns the folder");
  }
  return {};
}

}  // namespace gantry::skills
