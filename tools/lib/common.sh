# Shared by the scripts of tools/: the repository root, messages, the build environment. Sourced, not executed.
# shellcheck shell=bash

NOVA_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
NOVA_VENV=$NOVA_ROOT/.venv

# ccache sees through precompiled headers only with these.
export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros,include_file_mtime,include_file_ctime}
export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$NOVA_ROOT}
export CMAKE_COLOR_DIAGNOSTICS=${CMAKE_COLOR_DIAGNOSTICS:-OFF}
[ -t 1 ] && CMAKE_COLOR_DIAGNOSTICS=ON

# say TEXT...: a progress line.
say() { printf '[nova] %s\n' "$*"; }

# fail CODE TEXT...: an error line, then exit. 2 is bad usage, 3 a machine that lacks something.
fail() {
  local code=$1
  shift
  printf '[nova] error: %s\n' "$*" >&2
  exit "$code"
}

# build_dir PRESET: the preset's build folder (CMakePresets.json says the same).
build_dir() {
  if [ "$1" = release ]; then printf '%s/build' "$NOVA_ROOT"; else printf '%s/build-%s' "$NOVA_ROOT" "$1"; fi
}

# known_preset PRESET: is it one of CMakePresets.json?
known_preset() {
  case $1 in release | dev | asan | tsan) return 0 ;; *) return 1 ;; esac
}

# build_jobs: NOVA_JOBS, else as many jobs as cores and memory allow (a file with MLIR's headers needs up to 3 GiB).
build_jobs() {
  if [ -n "${NOVA_JOBS:-}" ]; then
    printf '%s' "$NOVA_JOBS"
    return
  fi
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemTotal:/ { print int($2 / 1048576 / 3) }' /proc/meminfo)
  [ "$memory" -ge 1 ] || memory=1
  if [ "$cores" -lt "$memory" ]; then printf '%s' "$cores"; else printf '%s' "$memory"; fi
}
