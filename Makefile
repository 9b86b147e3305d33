# The commands of every day. Each sets up what is missing first; see HACKING.md.
#
#   make              build the program and the library: build/release
#   make demo         the story in half a minute
#   make check        the quick tier: unit tests but sweeps, CLI tests of the main job
#   make test         everything a change must pass
#   make soak         the long tier: random runs, races, fuzzing
#   make bench        time the small job and a batch of ROWS orders (1000000)
#   make install PREFIX=DIR
#   make format       clang-format over our own files
#   make clean        forget the builds (not .deps)

PREFIX ?= /usr/local

.PHONY: all setup-build setup-test setup-demo demo check test soak bench install format clean
.DELETE_ON_ERROR:

all: setup-build
	@tools/build.sh release

setup-build setup-test setup-demo: setup-%:
	@tools/setup.sh $*

demo: setup-build setup-demo all
	@examples/demo.sh build/release/assay

check: setup-test
	@tools/test.sh quick

test: setup-test
	@tools/test.sh full

soak: setup-test
	@tools/test.sh soak

bench: all
	@python3 bench/bench.py build/release/assay $(if $(ROWS),--rows $(ROWS))

install: all
	@cmake --install build/release --prefix $(abspath $(DESTDIR)$(PREFIX))

format:
	clang-format -i $$(git ls-files 'src/*.[ch]' 'include/*.h' 'tests/*.[ch]')

clean:
	rm -rf build
