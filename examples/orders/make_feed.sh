#!/bin/sh
# Write the order feed of the demo into FOLDER, the same bytes every time: what an ERP might send over four days.
#
#   make_feed.sh FOLDER
#
#   orders-2024-03-01.csv        1,002 rows: 990 orders, three of them twice, nine rows that break a rule each in their own way
#   orders-2024-03-03.csv        new orders, and 200 old ones with a newer status
#   orders-2024-03-02.csv        comes after 03-03: new orders, and 150 old ones, some of which 03-03 knows better
#   orders-2024-03-04.csv        the exporter switched to another locale on the way: a fifth of its rows cannot be read
#   orders-2024-03-04-fixed.csv  the same orders, sent again as they should be
set -eu
folder=${1:?usage: make_feed.sh FOLDER}
mkdir -p "$folder"

# usage: batch DAY FIRST LAST UPDATES STEP EXTRA; new orders FIRST..LAST, then UPDATES old ones, every STEP-th
batch() {
    LC_ALL=C awk -v day="$1" -v first="$2" -v last="$3" -v updates="$4" -v step="$5" -v extra="$6" '
    # The same number for the same order and question, so that an order is the same whenever it is sent.
    function fact(order, question, below,    x, i) {
        x = order * 7919 + question * 104729 + 1
        for (i = 0; i < 3; i++) x = ((x % 30011) * (int(x / 30011) % 30011 + 7) + x * 16807) % 2147483647
        return x % below
    }
    function id(order) { return sprintf("A%05d", order) }
    function placed(order) {
        if (order <= 990) return sprintf("2024-02-%02d", 20 + fact(order, 1, 10))
        return sprintf("2024-03-%02d", order <= 1100 ? 2 : order <= 1400 ? 3 : 4)
    }
    function total(order) {
        return sprintf("%.2f", (fact(order, 2, 250) == 0 ? 950 : 5) + fact(order, 3, 30000) / 100)
    }
    function currency(order,    name) {
        name = substr("AUDNZDUSD", 1 + 3 * fact(order, 4, 3), 3)
        return fact(order, 5, 40) ? name : " " tolower(name)
    }
    function note(order,    kind) {
        kind = fact(order, 6, 60)
        if (kind == 0) return "\"leave it at the door, please\""
        if (kind == 1) return "\"ask for \"\"Zoë\"\" on level 3\""
        return kind == 2 ? "gift" : ""
    }
    function status(order, age) { return substr("placed   paid     shipped  ", 1 + 9 * age, 9) }
    function line(order, age, hour,    text) {
        text = status(order, age)
        sub(/ +$/, "", text)
        printf "%s,C%04d,%s,%s,%s,%s,%s,%sT%02d:%02d:%02dZ\n", id(order), 1 + fact(order, 7, 300), placed(order), text,
            total(order), currency(order), note(order), day, hour, fact(order, 8, 60), fact(order, 9, 60)
    }
    # The same order in the words of another locale.
    function foreign(order,    amount) {
        amount = total(order)
        sub(/\./, ",", amount)
        printf "%s,C%04d,%s,placed,\"%s\",%s,,%sT10:%02d:00Z\n", id(order), 1 + fact(order, 7, 300),
            "04/03/2024", amount, currency(order), day, fact(order, 8, 60)
    }
    BEGIN {
        print "order_id,customer_id,order_date,status,total,currency,note,updated_at"
        for (order = first; order <= last; order++) {
            if (extra == "locale" && order % 5 == 0) foreign(order)
            else line(order, 0, 8)
            if (extra == "bad") bad(order)
        }
        for (i = 1; i <= updates; i++) line(i * step, day == "2024-03-03" ? 2 : 1, 9)
    }
    function bad(order) {
        if (order == 90) print ",C0007,2024-02-21,placed,18.00,AUD,,2024-03-01T08:10:00Z"
        if (order == 170) print "A00991,C0012,2024-02-30,placed,75.20,NZD,,2024-03-01T08:10:00Z"
        if (order == 260) print "A00992,C0199,2024-02-22,paid,-20.00,USD,,2024-03-01T08:10:00Z"
        if (order == 333) print "A00993,C0003,2024-02-25,paid,\"12,50\",AUD,,2024-03-01T08:10:00Z"
        if (order == 480) print "A00994,C0043,2024-02-25,placed,31.00,EUR,,2024-03-01T08:10:00Z"
        if (order == 555) print "A00995,   ,2024-02-26,open,64.00,AUD,,2024-03-01T08:10:00Z"
        if (order == 610) print "996,C0150,2024-02-26,placed,9.90,USD,,2024-03-01T08:10:00Z"
        if (order == 777) print "A00997,C0080,2024-02-28,paid,45.00,NZD,,2023-02-28T23:00:00Z"
        if (order == 900) print "A00998,C0081,2024-02-2"
        if (order % 400 == 100) line(order, 1, 11)
    }'
}

batch 2024-03-01 1 990 0 1 bad >"$folder/orders-2024-03-01.csv"
batch 2024-03-03 1101 1400 200 4 none >"$folder/orders-2024-03-03.csv"
batch 2024-03-02 1001 1100 150 6 none >"$folder/orders-2024-03-02.csv"
batch 2024-03-04 1401 1800 0 1 locale >"$folder/orders-2024-03-04.csv"
batch 2024-03-04 1401 1800 0 1 none >"$folder/orders-2024-03-04-fixed.csv"
