# The everyday commands. Each installs what it needs (packages.txt) and says what it does.
PREFIX ?= /usr/local
SECONDS = 60
SOURCES = $(shell git ls-files '*.h' '*.cpp')
SCRIPTS = python experiments tools examples/service examples/spark.py \
  $(addprefix bench/,python classes builds exports service suite)
PACKAGE = $(wildcard $(shell git ls-files pyproject.toml constraints.txt CMakeLists.txt cmake dyad python/CMakeLists.txt python/dyad python/src))

.PHONY: help setup build python demo test test-all adapters spark wheels r r-check r-sanitize sanitize fuzz valgrind bench format lint analyze install clean

help:
	@echo "make build     build the program (build/dyad)"
	@echo "make demo      build it, then classify a small table, from screening to an explanation"
	@echo "make python    build the Python package and install it into .venv with what its tests need"
	@echo "make test      build and run the tests, C++ and Python, but those that take long"
	@echo "make test-all  those too (report pages in a browser, large tables, killed programs, every estimator)"
	@echo "make adapters  run models within MLflow, AutoGluon and skl2onnx (.venv-adapters; installs them)"
	@echo "make spark     run the recipe of examples/spark.py on a local Spark (.venv-adapters, Java; installs them)"
	@echo "make wheels    build wheels into dist/ for every Python here, x86-64 and aarch64, and check them"
	@echo "make r         build the R package into build/r/library"
	@echo "make r-check   R CMD check of the R package, with its tests, examples and vignettes"
	@echo "make r-sanitize  its tests, with its own sources under the address and undefined sanitizers"
	@echo "make sanitize  the C++ tests under the address, undefined and thread sanitizers"
	@echo "make fuzz      run the fuzz targets, each for SECONDS=$(SECONDS) (fuzz/README.md)"
	@echo "make valgrind  a part of the tests under Valgrind"
	@echo "make bench     build and run the benchmarks, also against other libraries (.venv-bench)"
	@echo "make format    lay out the sources"
	@echo "make lint      check layout, run clang-tidy on library, program and module (make analyze: with its analyzer)"
	@echo "make install   install program, library and headers under PREFIX=$(PREFIX)"

setup:
	@tools/setup build

setup-%: setup
	@tools/setup $*

# The plotting library of the report page, which becomes part of the program.
.venv/plotly: | setup
	@tools/plotly

build/build.ninja: .venv/plotly
	cmake --preset release

build: setup build/build.ninja
	cmake --build --preset release --target dyad_program

python: setup-test .venv/installed

.venv/installed: $(PACKAGE) build/build.ninja
	@tools/python-environment

demo: build
	@examples/demo

build-tests: setup-test .venv/plotly
	cmake --preset test
	cmake --build --preset release --target dyad_program dyad_tests

test: build-tests python
	ctest --preset quick
	.venv/bin/python -m pytest --quiet --numprocesses=2 --dist=loadgroup -m "not slow"

test-all: setup-browser build-tests python
	ctest --preset release
	.venv/bin/python -m pytest --quiet --numprocesses=2 --dist=loadgroup

adapters: python
	@tools/adapters test_adapters.py

spark: setup-spark python
	@tools/adapters test_spark.py

wheels: setup-test setup-wheels
	@tools/wheels

r: setup-r
	@tools/r-package install

r-check: setup-r
	@tools/r-package check

r-sanitize: setup-r build/build.ninja
	cmake --build --preset release --target dyad dyad_report
	@tools/r-package sanitize

sanitize: setup-test setup-develop .venv/plotly
	cmake --preset asan && cmake --build --preset asan && ctest --preset asan
	cmake --preset tsan && cmake --build --preset tsan && ctest --preset tsan

fuzz: setup-test setup-develop .venv/plotly
	cmake --preset asan && cmake --build --preset asan --target fuzzers
	tools/fuzz $(SECONDS)

# What reads and writes files, fits and predicts, in small; other suites would take hours.
valgrind: setup-develop build-tests
	valgrind --quiet --error-exitcode=1 --leak-check=full --show-leak-kinds=definite --suppressions=tools/valgrind.supp \
	  build/tests/dyad_tests --gtest_brief=1 \
	  --gtest_filter='ReadCsv.*:OutputFile.*:KeptModels.*:ModelFile.Keeps*:ModelFile.With*:Fit.*:Model.*-ReadCsv.GivesUp*'

bench: setup-develop python
	cmake --preset release -DDYAD_BUILD_BENCHMARKS=ON
	cmake --build --preset release
	bench/run all

format: setup-develop python
	@clang-format -i $(SOURCES)
	@.venv/bin/python tools/estimator_stub.py
	@.venv/bin/ruff format --quiet $(SCRIPTS)

# clang-tidy reads joined sources in a sixth of the time. Clang's static analyzer takes long and runs apart, on each source
# alone, which shows includes that are missing: make analyze.
lint: JOINED = -DDYAD_JOIN_SOURCES=ON
lint: TIDY_CHECKS = --checks=-clang-analyzer-*
analyze: JOINED = -DDYAD_JOIN_SOURCES=OFF
lint analyze: setup-develop python
	@clang-format --dry-run -Werror $(SOURCES)
	@.venv/bin/ruff check --quiet $(SCRIPTS)
	@.venv/bin/ruff format --check --quiet $(SCRIPTS)
	@cmake --preset lint $(JOINED) -DDYAD_BUILD_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/.venv/bin/python \
	  -Dnanobind_ROOT=$$(.venv/bin/python -m nanobind --cmake_dir) >/dev/null
	@sed -n 's|^ *"file": "\(.*\)".*|\1|p' build-lint/compile_commands.json | sort -u | \
	  grep -v -e ^$(CURDIR)/tests/ -e /build-lint/tests/ -e ^$(CURDIR)/bench/ -e nanobind -e page_files.cpp -e exports/templates.cpp | \
	  xargs -n 1 -P 2 clang-tidy -p build-lint --quiet $(TIDY_CHECKS)

install: build
	cmake --build --preset release --target dyad dyad_report dyad_program
	cmake --install build --prefix $(PREFIX)

clean:
	rm -rf build build-* dist .venv
