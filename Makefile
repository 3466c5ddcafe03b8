# whipsnake: every command sets up what it needs first (see tools/setup.sh).
#   PYTHON=python3.13   the Python of .venv       CC=clang-19             the C compiler
#   TESTS=tests/run     what `make test` runs     PYTEST_ARGS="-k name -x"  and how
#   WORKERS=2           processes that test
#   CHECKS=1            assertions and verifiers on, warnings are errors
PYTHON ?= python3
TESTS ?= tests
PYTEST_ARGS ?=
WORKERS ?= 2
CHECKS ?= 0
STRICT = $(if $(filter-out 0,$(CHECKS)),true,false)
MESON_ARGS = -Dchecks=$(STRICT) -Dwerror=$(STRICT)
ifneq ($(origin CC),default)
export CC
endif
export PYTHON
VPY = .venv/bin/python

.PHONY: help setup build test test-all demo bench wheel lint format sanitize clean
.DEFAULT_GOAL := help

help:
	@echo "make build      set up, build, import with .venv/bin/python -c 'import whipsnake'"
	@echo "make test       set up, build, run the tests"
	@echo "make test-all   the slow tests too, with assertions on"
	@echo "make demo       set up, build, a short tour with times and a picture"
	@echo "make bench      the benchmark table, against Numba and C (a while)"
	@echo "make wheel      a self-contained wheel in dist/"
	@echo "make lint       format, warnings of two compilers, static checks, include arrows"
	@echo "make format     format the C files"
	@echo "make sanitize   address and undefined-behaviour build in build-san, and the tests with it"
	@echo "make clean      remove what was built (.venv stays)"

setup:
	@tools/setup.sh

build: setup
	@tools/build.sh build $(MESON_ARGS)

test: build
	.venv/bin/pytest -n $(WORKERS) --dist loadfile -m "not slow" $(PYTEST_ARGS) $(TESTS)

test-all: setup
	@tools/build.sh build -Dchecks=true
	.venv/bin/pytest -n $(WORKERS) --dist loadfile --all $(PYTEST_ARGS) $(TESTS)

demo: build
	$(VPY) examples/tour.py

bench: build
	$(VPY) benchmarks/run.py

wheel: setup
	@tools/make_wheel.sh

lint:
	@tools/setup.sh lint
	@tools/lint.sh

format:
	@tools/setup.sh lint
	find src -name "*.[ch]" | xargs clang-format-19 -i

sanitize: setup
	@tools/sanitize.sh $(PYTEST_ARGS) $(TESTS)

clean:
	rm -rf build build-* dist whipsnake/*.so
