#!/bin/sh
# Configure and build one preset: tools/build.sh PRESET [TARGET...]. Only products (program and libraries) without a target.
# CMAKE_ARGS gives further arguments for the configuration.
set -eu
cd "$(dirname "$0")/.."
preset=$1
shift
mkdir -p build
exec 9>"build/.$preset.lock" # one build of a preset at a time
flock 9
if [ ! -e "build/$preset/build.ninja" ] || [ -n "${CMAKE_ARGS:-}" ]; then
    # shellcheck disable=SC2086 # several words
    cmake --preset "$preset" ${CMAKE_ARGS:-} 9>&- >/dev/null
fi
cmake --build --preset "$preset" --target "${@:-products}" -- ${JOBS:+-j"$JOBS"} 9>&-
