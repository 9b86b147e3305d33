#!/bin/sh
# Run one tier of the tests; set up by tools/setup.sh test.
#
#   tools/test.sh quick    build dev; unit tests but sweeps, checks of the sources, the CLI tests of the main job
#   tools/test.sh full     all unit and CLI tests on release and on asan; oracle, interop and all other Python tests
#   tools/test.sh soak     the long tests
#
# A step that fails stops only what needs its build; the last line counts the steps.
set -u # $cli, $main_job and $others are several words: shellcheck disable=SC2086
cd "$(dirname "$0")/.." || exit
export PYTHONDONTWRITEBYTECODE=1 TZ=UTC LC_ALL=C.UTF-8
export CMAKE_ARGS=-DASSAY_TESTS=ON
jobs=${JOBS:-$(nproc)}
cli=$(ls -d tests/cli tests/golden 2>/dev/null)
main_job="tests/cli/basics.sh tests/cli/test_usage.py tests/cli/test_readme.py tests/cli/test_commands.py
    tests/cli/test_small_job.py tests/golden"
others="tests/fault tests/interop tests/oracle tests/race" # one after another: they share one Spark, or race by themselves
passed=0
failed=0
failures=

step() {
    name=$1
    shift
    echo "== $name"
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        failures="$failures, $name"
        return 1
    fi
}

build() { tools/build.sh "$1" all; }
unit() { ctest --test-dir "build/$1" --output-on-failure --no-tests=error -j "$jobs" -L "$2"; }
python_tests() {
    preset=$1
    shift
    ASSAY=build/$preset/assay .deps/venv/bin/python -m pytest -q -c tests/pytest.ini "$@"
}
asan_python_tests() {
    # exit code 99 is none of assay's own
    ASAN_OPTIONS=exitcode=99:detect_leaks=1:handle_segv=2 UBSAN_OPTIONS=exitcode=99:print_stacktrace=1 \
        LSAN_OPTIONS="suppressions=$PWD/cmake/lsan.supp:print_suppressions=0" python_tests asan "$@"
}
# The fuzzer's seed is new each day and printed; FUZZ_SEED gives it again.
fuzz() {
    seed=${FUZZ_SEED:-$(date +%Y%m%d)}
    echo "seed $seed"
    root=$PWD
    (cd "build/asan/fuzz/$1" && ../../tests/"$1" "$root/tests/fuzz/corpus/${1#fuzz_}" "${FUZZ_RUNS:-500000}" "$seed")
}

case ${1:-} in
quick)
    if step "build dev" build dev; then
        step "unit tests and checks" unit dev quick
        step "CLI tests of the main job" python_tests dev -n "$jobs" $main_job
    fi
    ;;
full)
    if step "build release" build release; then
        step "unit tests and checks" unit release .
        step "CLI tests" python_tests release -n "$jobs" $cli
        step "fault, interop, oracle and race tests" python_tests release $others
    fi
    if step "build asan" build asan; then
        step "unit tests, asan" unit asan unit
        step "CLI tests, asan" asan_python_tests -n "$jobs" $cli
    fi
    ;;
soak)
    if step "build release" build release; then
        step "soak tests" python_tests release -m soak --timeout=7200 tests
    fi
    if step "build asan" build asan; then
        for target in tests/fuzz/fuzz_*.c; do
            step "$(basename "$target" .c)" fuzz "$(basename "$target" .c)"
        done
    fi
    ;;
*)
    sed -n '2,/^# shellcheck/s/^# \{0,1\}//p' tools/test.sh >&2
    exit 2
    ;;
esac

[ -z "$failures" ] || echo "failed: ${failures#, }"
echo "steps: $passed passed, $failed failed"
[ "$failed" = 0 ]
