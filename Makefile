# The everyday commands. Each installs what it needs (packages.txt) and says what it does.
PREFIX ?= /usr/local
SECONDS = 60
SOURCES = $(shell git ls-files '*.h' '*.cpp')
PACKAGE = $(wildcard $(shell git ls-files pyproject.toml constraints.txt CMakeLists.txt cmake dyad python/CMakeLists.txt python/dyad python/src))

.PHONY: help setup develop build python demo test sanitize fuzz valgrind bench format lint analyze install clean

help:
	@echo "make build     build the program (build/dyad) and the library"
	@echo "make python    build the Python package and install it into .venv with what its tests need"
	@echo "make demo      build, then classify a small table, from screening to an explanation"
	@echo "make test      build and run every test"
	@echo "make sanitize  the same tests under the address, undefined and thread sanitizers"
	@echo "make fuzz      run the fuzz targets, each for SECONDS=$(SECONDS) (fuzz/README.md)"
	@echo "make valgrind  a part of the tests under Valgrind"
	@echo "make bench     build and run the benchmarks, also against other libraries (.venv-bench)"
	@echo "make format    lay out the sources"
	@echo "make lint      check layout, run clang-tidy on library, program and module (make analyze: with its analyzer)"
	@echo "make install   install program, library and headers under PREFIX=$(PREFIX)"

setup:
	@tools/setup

develop:
	@tools/setup develop

# The plotting library of the report page, which becomes part of the program.
.venv/plotly: | setup
	@tools/plotly

build/build.ninja: .venv/plotly | setup
	cmake --preset release

build: setup build/build.ninja
	cmake --build --preset release

python: setup .venv/installed

.venv/installed: $(PACKAGE) | setup
	@tools/python-environment

demo: build
	@examples/demo

test: build
	ctest --preset release
	@$(MAKE) --no-print-directory python
	.venv/bin/python -m pytest --quiet

sanitize: develop .venv/plotly
	cmake --preset asan && cmake --build --preset asan && ctest --preset asan
	cmake --preset tsan && cmake --build --preset tsan && ctest --preset tsan

fuzz: develop .venv/plotly
	cmake --preset asan && cmake --build --preset asan --target fuzzers
	tools/fuzz $(SECONDS)

# What reads and writes files, fits and predicts, in small; other suites would take hours.
valgrind: develop build
	valgrind --quiet --error-exitcode=1 --leak-check=full --show-leak-kinds=definite --suppressions=tools/valgrind.supp \
	  build/tests/dyad_tests --gtest_brief=1 \
	  --gtest_filter='ReadCsv.*:OutputFile.*:KeptModels.*:ModelFile.Keeps*:ModelFile.With*:Fit.*:Model.*-ReadCsv.GivesUp*'

bench: develop python
	cmake --preset release -DDYAD_BUILD_BENCHMARKS=ON
	cmake --build --preset release
	bench/run all

format: develop python
	@clang-format -i $(SOURCES)
	@.venv/bin/python tools/estimator_stub.py
	@.venv/bin/ruff format --quiet python tools bench/python bench/classes bench/builds

# Clang's static analyzer doubles the time of the lint, so that it runs apart: make analyze.
lint: TIDY_CHECKS = --checks=-clang-analyzer-*
lint analyze: develop python
	@clang-format --dry-run -Werror $(SOURCES)
	@.venv/bin/ruff check --quiet python tools bench/python bench/classes bench/builds
	@.venv/bin/ruff format --check --quiet python tools bench/python bench/classes bench/builds
	@cmake --preset lint >/dev/null
	@echo $(filter dyad/%.cpp cli/%.cpp fuzz/%.cpp,$(SOURCES)) | xargs -n 4 -P 2 clang-tidy -p build-lint --quiet $(TIDY_CHECKS)
	@echo $(filter python/%.cpp,$(SOURCES)) | xargs -n 2 -P 2 clang-tidy -p $(firstword $(wildcard build-python/*)) --quiet $(TIDY_CHECKS)

install: build
	cmake --install build --prefix $(PREFIX)

clean:
	rm -rf build build-* .venv
