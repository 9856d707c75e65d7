# The everyday commands. Each installs what it needs (packages.txt) and says what it does.
PREFIX ?= /usr/local
SOURCES = $(shell git ls-files '*.h' '*.cpp')

.PHONY: help setup develop build demo test sanitize bench format lint install clean

help:
	@echo "make build     build the program (build/dyad) and the library"
	@echo "make demo      build, then classify a small table, from screening to an explanation"
	@echo "make test      build and run every test"
	@echo "make sanitize  the same tests under the address, undefined and thread sanitizers"
	@echo "make bench     build and run the benchmarks, also against other libraries (.venv-bench)"
	@echo "make format    lay out the sources;  make lint  check layout, run clang-tidy on library and program"
	@echo "make install   install program, library and headers under PREFIX=$(PREFIX)"

setup:
	@tools/setup

develop:
	@tools/setup develop

build/build.ninja: | setup
	cmake --preset release

build: setup build/build.ninja
	cmake --build --preset release

demo: build
	@examples/demo

test: build
	ctest --preset release

sanitize: develop
	cmake --preset asan && cmake --build --preset asan && ctest --preset asan
	cmake --preset tsan && cmake --build --preset tsan && ctest --preset tsan

bench: develop
	cmake --preset release -DDYAD_BUILD_BENCHMARKS=ON
	cmake --build --preset release
	bench/run all

format: develop
	@clang-format -i $(SOURCES)

lint: develop
	@clang-format --dry-run -Werror $(SOURCES)
	@cmake --preset lint >/dev/null
	@echo $(filter dyad/%.cpp cli/%.cpp,$(SOURCES)) | xargs -n 4 -P 2 clang-tidy -p build-lint --quiet

install: build
	cmake --install build --prefix $(PREFIX)

clean:
	rm -rf build build-*
