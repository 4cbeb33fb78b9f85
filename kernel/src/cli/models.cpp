// SPDX-License-Identifier: Apache-2.0
// gantry models: model files that the installation pins, what is there of them, and getting them.
#include "cli/models.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace gantry::cli {
namespace {

namespace fs = std::filesystem;

int list(const Invocation& invocation, const std::vector<ModelPack>& packs, const fs::path& dir,
         Look look) {
  bool ok = true;
  std::vector<std::vector<std::string>> rows{{"NAME", "STATE", "LICENCE", "PACKAGE", "PURPOSE"}};
  for (const ModelPack& pack : packs) {
    const ModelState state = state_of(pack, dir, look);
    ok = ok && state == ModelState::kThere;
    rows.push_back({pack.name, std::string(state_name(state)), pack.licence,
                    pack.package + "@" + pack.version, pack.purpose});
  }
  if (invocation.json) {
    std::fputs(models_json(packs, dir, look).c_str(), stdout);
  } else {
    std::printf("folder: %s\n\n%s", dir.c_str(), table(rows).c_str());
    if (!ok) std::printf("\ncure: gantry models fetch\n");
  }
  return ok || look == Look::kPresence ? kOk : kFailed;
}

/// Runs config/models/fetch; what it says goes to standard error, which --json leaves free.
int fetch(const std::vector<std::string>& names, const fs::path& dir) {
  std::vector<std::string> words{
      "bash", (fs::path(prefix_dir()) / "share/gantry/config/models/fetch").string(), dir.string()};
  words.insert(words.end(), names.begin(), names.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files{};
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  pid_t child = 0;
  const int refused = posix_spawnp(&child, "bash", &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (refused != 0) {
    complain("bash could not be started, which fetches models: " +
             std::error_code(refused, std::generic_category()).message());
    return kUnavailable;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : kFailed;
}

fs::path models_folder(const Invocation& invocation) {
  const auto options = plan_options(invocation);
  config::Diagnostics ignored;
  config::StandardDirs dirs;
  dirs.prefix = prefix_dir();
  const auto plan = plugin::make_plan(options, ignored);
  const auto* configured = plan ? plan->settings.kernel.find("models_dir") : nullptr;
  if (configured != nullptr) dirs.models = configured->as_text();
  return config::with_standard_dirs(options.layers.environment, dirs)
      .get("GANTRY_MODELS_DIR")
      .value_or("");
}

}  // namespace

int models(const Invocation& invocation) {
  const auto& words = invocation.arguments;
  const std::string verb = words.empty() ? "list" : words.front();
  if ((verb != "list" && verb != "verify" && verb != "fetch") ||
      (verb != "fetch" && words.size() > 1)) {
    complain("usage: gantry models [list | verify | fetch [NAME…]]");
    return kUsage;
  }
  const auto packs = installed_model_list(prefix_dir());
  if (!packs.ok()) {
    complain(packs.error().message);
    return kConfig;
  }
  const fs::path dir = models_folder(invocation);
  if (verb == "list") return list(invocation, *packs, dir, Look::kPresence);
  if (verb == "verify") return list(invocation, *packs, dir, Look::kContent);
  const int failed = fetch({words.begin() + 1, words.end()}, dir);
  if (failed != kOk) return failed;
  (void)list(invocation, *packs, dir, Look::kContent);
  return kOk;
}

void check_models(const Invocation& invocation, Report& report) {
  const auto packs = installed_model_list(prefix_dir());
  if (packs.ok()) {
    check_models(*packs, models_folder(invocation), report);
  } else {
    report.push_back({"model files", Grade::kNote, packs.error().message, ""});
  }
}

}  // namespace gantry::cli
