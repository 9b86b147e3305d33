#!/bin/sh
# The story of assay in half a minute: a feed of orders with honest bad rows, a late batch, a refused batch and its evidence, a rerun; then
# every flight that left New York in 2013.
#
#   examples/demo.sh [PROGRAM [FOLDER]]
#
# PROGRAM is the assay to use (default: $ASSAY, else build/release/assay). FOLDER is made anew (default: build/demo) and stays, to be looked
# at. The flights are read from .deps/data/flights.csv, which `tools/setup.sh demo` fetches.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
program=${1:-${ASSAY:-$root/build/release/assay}}
folder=${2:-$root/build/demo}
flights=$root/.deps/data/flights.csv
marker=.assay-demo

die() {
    echo "demo: $*" >&2
    exit 2
}

# Words of the story, then a command as one would type it, then what it says. `expect N` wants another exit code than 0.
bold= plain=
[ ! -t 1 ] || bold=$(printf '\033[1m') plain=$(printf '\033[0m')
say() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
run() { expect 0 "$@"; }
expect() {
    code=$1
    shift
    echo "\$ $*"
    got=0
    "$@" || got=$?
    [ "$got" = 0 ] || echo "(exit $got)"
    [ "$got" = "$code" ] || die "exit $got, expected $code, from: $*"
}

prepare() {
    [ -x "$program" ] || die "no program $program; build it with make, or name it: examples/demo.sh PROGRAM"
    [ -f "$flights" ] || die "no $flights; fetch it with: tools/setup.sh demo"
    program=$(cd "$(dirname "$program")" && pwd)/$(basename "$program")
    if [ -e "$folder" ]; then
        [ -e "$folder/$marker" ] || die "$folder is there and was not made by the demo; name another folder"
        rm -rf "$folder"
    fi
    mkdir -p "$folder/bin"
    : >"$folder/$marker"
    folder=$(cd "$folder" && pwd)
    ln -s "$program" "$folder/bin/assay"
    PATH=$folder/bin:$PATH
    cp -r "$here/orders" "$here/flights" "$folder/"
    "$here/orders/make_feed.sh" "$folder/orders/feed"
    ln -s "$flights" "$folder/flights/flights.csv"
}

orders() {
    cd "$folder/orders"
    say "1. A contract says what silver.orders is. Is the contract itself in order?"
    run assay lint

    say "2. The ERP sent its orders of 1 March. Some rows are bad, each in its own way."
    run assay land silver.orders feed/orders-2024-03-01.csv --batch 2024-03-01
    run assay run

    say "3. Nothing was lost: every rejected row is in quarantine, with all its reasons and as it was sent."
    run assay quarantine show silver.orders --limit 3

    say "4. The 3rd arrives before the 2nd. A late batch may add orders; it must not take a newer status back."
    run assay land silver.orders feed/orders-2024-03-03.csv --batch 2024-03-03
    run assay run
    run assay land silver.orders feed/orders-2024-03-02.csv --batch 2024-03-02
    run assay run

    say "5. On the 4th the exporter changed its locale on the way. One row in five is bad: silver is not touched."
    run assay land silver.orders feed/orders-2024-03-04.csv --batch 2024-03-04
    expect 1 assay run
    run assay quarantine show silver.orders --batch 2024-03-04 --limit 3

    say "6. The ERP sends the day again, as a new batch."
    run assay land silver.orders feed/orders-2024-03-04-fixed.csv --batch 2024-03-04-fixed
    run assay run

    say "7. Run the first batch once more: the same files, so bronze and silver stay as they are and no status goes back."
    run assay run silver.orders --batch 2024-03-01
}

flights() {
    cd "$folder/flights"
    say "8. Real data: 336,776 flights, the null mark is NA, the key has seven columns."
    run assay land silver.flights flights.csv --batch 2013
    run assay run
    say "9. Even a famous data set has rows that break a plain rule: an aircraft of the registration D942DN."
    run assay quarantine show silver.flights --limit 1
}

next() {
    say "What to look at next"
    cat <<EOF
  $folder/orders/contracts/silver.orders.odcs.yaml   the contract; change a rule, run again
  $folder/orders/lake/Tables/                        plain Delta tables: bronze, silver, quarantine, assay.runs
  PATH=$folder/bin:\$PATH; cd $folder/orders
    assay plan silver.orders          what the contract compiles to: rules, reasons, grain, merge, gates, constraints
    assay quarantine show silver.orders --batch 2024-03-01 --json
  any Delta reader, for instance in Python: deltalake.DeltaTable("$folder/orders/lake/Tables/silver/orders").to_pandas()
  rm -rf $folder when done; a first table of your own: README.md
EOF
}

prepare
orders
flights
next
