# The program names its version, explains itself, and refuses what it does not know with exit code 2.
assay --version | grep -q '^assay [0-9]*\.[0-9]*\.[0-9]*'
assay --help | grep -q 'run'
code=0
assay no-such-command >out 2>err || code=$?
[ "$code" = 2 ]
[ ! -s out ]
grep -q 'no-such-command' err
