# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the scripts in this folder share. Sourced from the repository's root.

# Debug information names the folder that a file was compiled in, so ccache counts that folder unless it
# is told otherwise. Nothing here depends on it: -g1 is for stack traces, and those show source files,
# which the commands name in full. So build folders share their objects.
export CCACHE_NOHASHDIR=1

say() { printf '%s: %s\n' "${0##*/}" "$*"; }
warn() { printf '%s: warning: %s\n' "${0##*/}" "$*" >&2; }
die() { printf '%s: error: %s\n' "${0##*/}" "$*" >&2; exit 1; }

cache_dir() { echo "${GANTRY_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/gantry}"; }

# Folder of the npm test clients; named by their lock file, so that a new lock installs afresh.
clients_dir() {
  echo "$(cache_dir)/clients-$(sha256sum tests/clients/package-lock.json | cut -c1-12)"
}

# Folder of the model files; a daemon looks there too (sdk/include/gantry/models_dir.hpp).
models_dir() { echo "${GANTRY_MODELS_DIR:-$(cache_dir)/models}"; }

jobs() { echo "${GANTRY_JOBS:-$(nproc)}"; }

log_file() { mkdir -p build/logs; echo "build/logs/$1.log"; }

# build PRESET [TARGET…]: configures when needed, and builds. Continuous integration has no second build
# that could profit from small steps, so it compiles several files at once, in half the time.
build() {
  local preset="$1" log options=()
  shift
  log=$(log_file "configure-$preset")
  [ "${CI:-}" != true ] || options+=(-DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=8)
  if [ ! -e "build/$preset/build.ninja" ] && ! cmake --preset "$preset" "${options[@]}" >"$log" 2>&1; then
    cat "$log" >&2
    return 1
  fi
  cmake --build "build/$preset" --parallel "$(jobs)" ${1:+--target "$@"}
}
