# The targets of talweg. CMake builds everything (see CMakePresets.json); this file only names the jobs.
#   make          build build/talweg and the libraries
#   make demo     set up, build, run the main job on built-in data
#   make test     set up, build, run every test: at most three minutes on two cores after the build
#   make test-asan  the tests under AddressSanitizer and UBSan
#   make test-kernels  the numerical tests with BLAS kernels for another processor
#   make test-anywhere  the tests in a copy of this folder, as an ordinary user, in "a b/ü", under a decimal comma, shuffled
#   make check    everything that must pass before a merge: this and the two before it, and lint
#   make test-long  the tests that take minutes: exact posteriors for every sampler
#   make bench    run the benchmarks
#   make figure1  draw HMC and RMHMC on a mixture of Gaussians, as build/figure1/figure1.svg and .png
#   make reproduce-quick  figure 2 of the report with few particles, about ten minutes
#   make reproduce  figure 2 in full (hours; resumes where it stopped); data from TALWEG_SHARED, results in docs/figure2.jsonl and build/reproduce/
#   make records    published benchmarks (hours; resumes where it stopped): docs/records.md
#   make api      the reference of the C interface as HTML, in build/api/index.html
#   make lint     formatter, static analysers, warnings as errors with gcc and clang
#   make fuzz     fuzz every file reader for a minute (needs clang's libFuzzer)
#   make soak     random commands for an hour: interrupts, ranks, failing allocations (SOAK_SECONDS=3600)
#   make coverage test coverage by line (needs gcovr), in build/coverage/coverage.txt
#   make mutate   ROOM=hyper N=20 SEED=1: which faults of single lines do the tests find? (first call: many minutes)
#   make install  PREFIX=/usr/local; built in build/install, without tests
#   make uninstall  PREFIX=/usr/local; what make install put there
PREFIX ?= /usr/local
JOBS   ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
MAKEFLAGS += --no-print-directory
export CMAKE_BUILD_PARALLEL_LEVEL = $(JOBS)
CONFIGURE = cmake --preset
BUILD     = cmake --build

.PHONY: all demo test test-asan test-kernels test-anywhere test-long check bench figure1 reproduce reproduce-quick records api lint fuzz soak coverage mutate install uninstall setup setup-test clean
all: setup
	@$(CONFIGURE) release >/dev/null
	@$(BUILD) build

setup:
	@scripts/setup build

setup-test:
	@scripts/setup test

test: setup-test all
	ctest --preset release -j $(JOBS)

test-asan: setup-test
	@$(CONFIGURE) asan >/dev/null
	@$(BUILD) build/asan
	ctest --preset asan -j $(JOBS)

# Results must not depend on the last digits of one processor: OpenBLAS is told to use the kernels of another one
# (see CMakePresets.json), and the tests link talweg's own kernels for the plain machine alone.
test-kernels: setup-test
	@$(CONFIGURE) plain >/dev/null
	@$(BUILD) build/plain
	ctest --preset plain -j $(JOBS)

test-anywhere: setup-test
	@scripts/test_anywhere $(SEED)

check:
	@$(MAKE) test-anywhere
	@$(MAKE) test-asan
	@$(MAKE) lint
	@$(MAKE) test-kernels

test-long: all
	ctest --preset long -j $(JOBS)

demo: # the program alone: no newcomer waits for tests to be built
	@scripts/setup plots
	@$(CONFIGURE) release >/dev/null
	@$(BUILD) build --target talweg_program
	@scripts/demo

bench: all
	@scripts/bench

figure1: all
	@scripts/setup plots
	@scripts/figure1

reproduce reproduce-quick: all
	@scripts/setup plots
	@scripts/reproduce $(if $(findstring quick,$@),--quick)

records: all
	@scripts/setup plots
	@OPENBLAS_NUM_THREADS=1 scripts/records
	@OPENBLAS_NUM_THREADS=1 scripts/usps_posterior

api:
	@scripts/setup api
	@scripts/api build/api

lint:
	@scripts/setup lint
	@scripts/lint

fuzz: setup
	@scripts/fuzz $(FUZZ_SECONDS)

SOAK_SECONDS ?= 3600
soak: all
	@$(BUILD) build --target soak_serve >/dev/null
	@scripts/soak $(SOAK_SECONDS)

coverage: setup
	@command -v gcovr >/dev/null || { echo "make coverage: please install gcovr" >&2; exit 1; }
	@$(CONFIGURE) coverage >/dev/null
	@$(BUILD) build/coverage
	@find build/coverage -name '*.gcda' -delete
	ctest --test-dir build/coverage -j $(JOBS) --output-on-failure -LE '^long$$'
	gcovr --root . --filter src/ build/coverage --output build/coverage/coverage.txt
	@tail -n 4 build/coverage/coverage.txt

N    ?= 20
SEED ?= 1
mutate: setup-test
	@[ -n "$(ROOM)" ] || { echo "make mutate: name a room, a folder of src: make mutate ROOM=hyper N=20 SEED=1" >&2; exit 1; }
	@scripts/mutate $(ROOM) $(N) $(SEED) --jobs $(JOBS)

install: setup
	@$(CONFIGURE) install >/dev/null
	@$(BUILD) build/install
	cmake --install build/install --prefix "$(PREFIX)"

uninstall:
	@cmake -D PREFIX="$(PREFIX)" -P cmake/uninstall.cmake

clean:
	rm -rf build
