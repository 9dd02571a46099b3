# SCuBA: set-up, build, demonstration, tests. `make help` lists the targets.
#
# Every target may be run again and does only what is missing. System packages are installed only as root (Debian 12, apt);
# the CUDA toolkit and Z3 come as wheels into .deps/ of this checkout. tools/setup.sh says what to do by hand otherwise.

SHELL := /bin/bash
.DEFAULT_GOAL := demo
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

PREFIX ?= /usr/local
VERSION := $(shell sed -n 's/^version *= *"\(.*\)"/\1/p' Cargo.toml | head -n1)
BINARIES := scuba scuba-nvcc scuba-extract scuba-cache-remote

# Plain `make` on a machine whose cargo was installed by rustup in this shell's past: not on PATH yet.
export PATH := $(PATH):$(HOME)/.cargo/bin

.PHONY: demo
demo: build ## install what is missing, build, and show a build that fails on a proved bug
	@tools/demo.sh

.PHONY: setup
setup: ## install what is missing
	@tools/setup.sh demo

.PHONY: build
build: setup ## target/release/{scuba,scuba-nvcc,scuba-extract,scuba-cache-remote}
	@cargo build --release --locked --bins

.PHONY: test
test: ## the whole test suite, with the pinned nvcc
	@tools/setup.sh test
	@cargo test --locked --no-fail-fast

.PHONY: torch-answers
torch-answers: ## ask PyTorch what its operations give, for the models of them: tests/models/tensors/answers.jsonl
	@tools/setup.sh torch
	@.deps/torch-venv/bin/python -B tools/tensor-models.py --seed 7 --cases 8 > tests/models/tensors/answers.jsonl

.PHONY: library-answers
library-answers: ## ask nanobind, TVM-FFI and PyTorch's stable ABI about tensors, for the models of them: tests/models/libraries/*.txt
	@python3 -B tools/real-libraries.py answers --cases 15 --work "$(or $(WORK),$${TMPDIR:-/tmp}/scuba-real-libraries)"

.PHONY: test-quick
test-quick: ## under a minute from a built tree: unit tests, a program or two of each kind, models of library functions
	@tools/setup.sh test
	@cargo test --locked --quiet --lib
	@cargo test --locked --quiet --test ui -- '[quick]'
	@cargo test --locked --quiet --test models
	@$(if $(wildcard tests/architecture/main.rs),cargo test --locked --quiet --test architecture)

.PHONY: test-full
test-full: test ## the whole test suite, then what takes hours: SEEDS (0..2000) of the oracle, of the models, extensions with the real libraries, SARIF by its validator, 200 killed builds, 40 programs repeated
	@SCUBA_ORACLE_SEEDS=$(or $(SEEDS),0..2000) cargo test --release --locked --test oracle -- --ignored many --nocapture
	@tools/setup.sh torch
	@SCUBA_MODELS_SEEDS=$(or $(SEEDS),0..2000) cargo test --release --locked --test models -- --ignored --nocapture
	@$(MAKE) real-libraries
	@$(MAKE) sarif-validate
	@$(MAKE) ci-templates
	@$(MAKE) remote-cache
	@$(MAKE) page editors
	@$(MAKE) kills N=200
	@$(MAKE) repeat N=40

.PHONY: sarif-validate
sarif-validate: ## a program of each folder of tests/ui as SARIF, by the official schema and by Microsoft's validator with GitHub's rules (pinned, by npm)
	@tools/setup.sh test
	@tool=$$(tools/sarif-validate.sh) && SARIF_MULTITOOL=$$tool cargo test --locked --test cli -- --ignored --exact formats::microsofts_validator_finds_no_error

.PHONY: ci-templates
ci-templates: ## the templates for services that run builds, and the hooks by pre-commit itself (pinned, by pip)
	@tools/setup.sh test
	@tool=$$(tools/pre-commit.sh) && PRE_COMMIT=$$tool cargo test --locked --test cli -- --include-ignored ci_templates

.PHONY: remote-cache
remote-cache: ## share a cache through real stores: Redis, S3 by moto, WebDAV by WsgiDAV, Azure by Azurite, Google's by an emulator (pinned, by pip and npm)
	@tools/setup.sh stores
	@SCUBA_TEST_MOTO="$(CURDIR)/.deps/stores-venv/bin/moto_server" SCUBA_TEST_WSGIDAV="$(CURDIR)/.deps/stores-venv/bin/wsgidav" \
	  SCUBA_TEST_GCS="$(CURDIR)/.deps/stores-venv/bin/gcp-storage-emulator" SCUBA_TEST_AZURITE="$(CURDIR)/.deps/azurite/node_modules/.bin/azurite-blob" \
	  cargo test --locked --test cli -- --include-ignored remote_stores

.PHONY: slurm
slurm: ## a check as an array of jobs of a real Slurm on this machine (Debian's packages; as root)
	@tools/setup.sh slurm
	@cargo test --locked --test cli -- --include-ignored slurm

.PHONY: bazel-farm
bazel-farm: build ## Bazel's aspect in two checkouts: remote cache, remote execution by BuildGrid, sandbox, tests in shards; writes docs/evaluation/bazel.md
	@tools/setup.sh farm
	@python3 -B tools/bazel-farm.py

.PHONY: lint
lint: setup ## rustfmt and clippy on everything; a difference or a warning is a failure
	@cargo fmt --version >/dev/null && cargo clippy --version >/dev/null || { echo "rustfmt or clippy is missing: rustup component add rustfmt clippy" >&2; exit 1; }
	@cargo fmt --check
	@rustfmt --edition 2024 --check src/base/rules/*.rs # named in a macro, where cargo does not see them
	@cargo clippy --locked --all-targets -- -D warnings

.PHONY: bench
bench: build ## build time and memory through scuba-nvcc over plain nvcc; with DIR, a folder of checkouts, of public programs too (BENCH_ARGS: bench/bench.py --help)
	@tools/setup.sh test
	@python3 -B bench/bench.py $(if $(DIR),--dir "$(abspath $(DIR))") $(BENCH_ARGS)

.PHONY: phases
phases: build ## CPU seconds of each kind of process in first builds of public programs, by perf: DIR, a folder of checkouts, NAMES of projects ("HeCBench lud")
	@tools/setup.sh test
	@python3 -B bench/phases.py --dir "$(abspath $(DIR))" $(NAMES)

.PHONY: bench-solver
bench-solver: setup ## the slowest 200 of many recorded queries to the solver: answers and work beside those recorded, CPU seconds; BASE, another build of bench/solver.rs, runs in turns with it (docs/evaluation/solver.md)
	@cargo bench --locked --quiet --bench solver -- $(if $(BASE),--base "$(abspath $(BASE))")

.PHONY: oracle-digits
oracle-digits: setup ## generated indices of mixed radix against brute force: SEEDS (0..500)
	@SCUBA_ORACLE_SEEDS=$(or $(SEEDS),0..500) cargo test --release --locked --test oracle -- --ignored --exact digits::digits --nocapture

.PHONY: scale
scale: build ## how a check's time and memory grow with the program, from 10 to 10,000 of each kind: a table and a plot; goes on where it ended (SCALE_ARGS: bench/scale.py --help)
	@tools/setup.sh test
	@python3 -B bench/scale.py $(SCALE_ARGS)

.PHONY: scale-joins
scale-joins: build ## how joins grow with the project, to 100,000 units and 1,000 programs; goes on where it ended (SCALE_ARGS: bench/scale_joins.py --help)
	@tools/setup.sh test
	@cargo build --release --locked --example many-facts
	@python3 -B bench/scale_joins.py $(SCALE_ARGS)

.PHONY: build-systems
build-systems: build ## one small project in every build system that is installed: same outputs, units read, bug found (MATRIX_ARGS: tools/build-matrix.py --help)
	@tools/setup.sh test
	@python3 -B tools/build-matrix.py $(MATRIX_ARGS)

.PHONY: seen
seen: build ## whether a bug ever passes without a word: a project in every way to build it, from every state, in six shapes; takes hours, goes on in WORK (/tmp/scuba-seen) where it ended (SEEN_ARGS: tools/seen.py --help)
	@tools/setup.sh test
	@python3 -B tools/seen.py --work "$(or $(WORK),$${TMPDIR:-/tmp}/scuba-seen)" $(SEEN_ARGS)

.PHONY: house
house: ## figures of the sources beside those of an earlier revision: docs/evaluation/house.md (HOUSE_ARGS: tools/house.py --help)
	@python3 -B tools/house.py --write $(HOUSE_ARGS)

.PHONY: toolkits
toolkits: build ## which toolkits, host compilers and CMakes work: a table beside the pinned ones; takes an hour and 8 GB, goes on in WORK (/tmp/scuba-toolkits) where it ended (TOOLKITS_ARGS: tools/toolkits.py --help)
	@tools/setup.sh test
	@python3 -B tools/toolkits.py --work "$(or $(WORK),$${TMPDIR:-/tmp}/scuba-toolkits)" $(TOOLKITS_ARGS)

.PHONY: hostile
hostile: ## builds in hostile surroundings: full disks, limits, odd names, foreign caches, clocks (SCUBA_TEST_FAULTS=all: each call that writes fails once)
	@cargo test --test build -- hostile

.PHONY: command-lines
command-lines: build ## nvcc and scuba-nvcc on LINES (10000) generated command lines, drawn by SEED (1): status, streams, files, units; takes hours, goes on in WORK (/tmp/scuba-command-lines) where it ended (COMMAND_LINES_ARGS: tools/command-lines.py --help)
	@tools/setup.sh test
	@python3 -B tools/command-lines.py --lines $(or $(LINES),10000) --seed $(or $(SEED),1) --work "$(or $(WORK),$${TMPDIR:-/tmp}/scuba-command-lines)" $(COMMAND_LINES_ARGS)

.PHONY: real-libraries
real-libraries: build ## extensions of nanobind, TVM-FFI and PyTorch with the libraries' own headers, each with one mistake and without; keeps 1 GB of wheels in WORK (/tmp/scuba-real-libraries; REAL_ARGS: tools/real-libraries.py --help)
	@tools/setup.sh test
	@SCUBA_NVCC="$${SCUBA_NVCC:-$(CURDIR)/.deps/cuda/nvidia/cu13/bin/nvcc}" python3 -B tools/real-libraries.py pairs --work "$(or $(WORK),$${TMPDIR:-/tmp}/scuba-real-libraries)" $(REAL_ARGS)

.PHONY: page
page: build ## look at pages of `scuba report --html` with Chromium: no request, no message, filters, contrast, a phone's width (PAGE_ARGS: tools/look-at-page.py --help)
	@tools/setup.sh page
	@SCUBA_NVCC="$${SCUBA_NVCC:-$(CURDIR)/.deps/cuda/nvidia/cu13/bin/nvcc}" python3 -B tools/look-at-page.py --scuba target/release/scuba $(PAGE_ARGS) \
	  examples/neighbours.cu $(addprefix tests/ui/,report/accepted.cu report/library.cu intra-allocation/chained.cu undecided/last_bits.cu undecided/another_compiler.cu)

.PHONY: editors
editors: build ## try the templates for editors: Neovim without a window, and the extension for VS Code with stand-ins for its modules
	@tools/setup.sh page
	@SCUBA_NVCC="$${SCUBA_NVCC:-$(CURDIR)/.deps/cuda/nvidia/cu13/bin/nvcc}" python3 -B tools/try-editors.py --scuba target/release/scuba

.PHONY: mutation-tests
mutation-tests: ## plant small mistakes in SCuBA's own code, one at a time, and record which tests notice: CRATE (check, engine, contracts), SHARD=k/n of its mutants; goes on in WORK (/tmp/scuba-mutation-tests) where it ended (MUTATION_ARGS: tools/mutation-tests.py --help)
	@command -v cargo-mutants >/dev/null || { echo "cargo-mutants is missing: cargo install --locked cargo-mutants" >&2; exit 1; }
	@tools/setup.sh test
	@python3 -B tools/mutation-tests.py run --work "$(or $(WORK),$${TMPDIR:-/tmp}/scuba-mutation-tests)" $(if $(CRATE),--crate $(CRATE)) $(if $(SHARD),--shard $(SHARD)) $(MUTATION_ARGS)

.PHONY: kills
kills: build ## kill a build with its shims N times (200) at random moments, and compare what the next builds say
	@tools/setup.sh test
	@SCUBA_TEST_KILLS=$(or $(N),200) cargo test --locked --test projects -- --exact trouble::killed_shims_leave_nothing_wrong --nocapture

.PHONY: fuzz
fuzz: build ## fuzz TARGET (all: each in turn) for SECONDS (60): a reader of data from outside, or checks of changed facts; goes on with the inputs in WORK (/tmp/scuba-fuzz), whose journal FUZZ_PAGE=1 writes to docs/evaluation/fuzzing.md
	@tools/setup.sh fuzz
	@SCUBA_NVCC="$${SCUBA_NVCC:-$(CURDIR)/.deps/cuda/nvidia/cu13/bin/nvcc}" python3 -B tools/fuzz.py --work "$(or $(WORK),$${TMPDIR:-/tmp}/scuba-fuzz)" \
	  run "$(or $(TARGET),all)" --seconds $(or $(SECONDS),60)
	@$(if $(FUZZ_PAGE),python3 -B tools/fuzz.py --work "$(or $(WORK),$${TMPDIR:-/tmp}/scuba-fuzz)" page)

.PHONY: repeat
repeat: ## N programs (40) of ours, or those in DIR: the same document whatever the threads, load, clock, folder, order and caches
	@tools/setup.sh test
	@SCUBA_REPEAT=$(or $(N),40) $(if $(DIR),SCUBA_REPEAT_DIR="$(abspath $(DIR))") cargo test --release --locked --test repeat

.PHONY: worked-example
worked-example: build ## write the worked example of docs/how-it-works.md anew (WORKED_ARGS=--check fails if it is out of date)
	@tools/setup.sh test
	@python3 -B tools/worked-example.py $(WORKED_ARGS)

.PHONY: doubts
doubts: build ## what the safe verdicts of FILE (sources of one program) or DIR (the folder of a build) rest on, axiom by axiom (FLAGS: nvcc's for FILE; DOUBTS_ARGS: tools/doubts.py --help)
	@[ -n "$(FILE)$(DIR)" ] || { echo "make doubts FILE=program.cu [FLAGS=…], or make doubts DIR=BUILD-FOLDER" >&2; exit 2; }
	@tools/setup.sh test
	@SCUBA_NVCC="$${SCUBA_NVCC:-$(CURDIR)/.deps/cuda/nvidia/cu13/bin/nvcc}" python3 -B tools/doubts.py $(if $(FILE),$(FILE),"$(abspath $(DIR))") $(DOUBTS_ARGS) $(if $(FLAGS),-- $(FLAGS))

.PHONY: audit
audit: build ## whether every access is counted: nvcc -G -ptx of our programs, or of those in DIR, by line and kind (AUDIT_ARGS: tools/audit.py --help)
	@tools/setup.sh test
	@python3 -B tools/audit.py $(if $(DIR),"$(abspath $(DIR))",--record tests/ui/accesses.txt) $(AUDIT_ARGS)

.PHONY: audit-record
audit-record: ## write down what nvcc's code accesses in the programs of tests/ui, which their tests compare with
	@tools/setup.sh test
	@python3 -B tools/audit.py --record tests/ui/accesses.txt --only-record $(AUDIT_ARGS)

.PHONY: sweep
sweep: build ## every program of the checkout DIR of HeCBench (by its own makefile's flags) or of cuda-samples; goes on where it ended (SWEEP_ARGS: tools/sweep.py --help)
	@[ -n "$(DIR)" ] || { echo "make sweep DIR=FOLDER: a checkout of HeCBench or of cuda-samples" >&2; exit 2; }
	@tools/setup.sh corpus
	@python3 -B tools/sweep.py "$(DIR)" $(SWEEP_ARGS)

.PHONY: corpus
corpus: build ## what is found in the programs of the evaluation, whose checkouts lie in DIR, against what is expected
	@[ -n "$(DIR)" ] || { echo "make corpus DIR=FOLDER: the folder that holds the checkouts (tools/corpus.py says which)" >&2; exit 2; }
	@tools/setup.sh corpus
	@python3 -B tools/corpus.py "$(DIR)" $(ROWS)

.PHONY: corpus-libraries
corpus-libraries: build ## what is decided of libraries without main, whose checkouts lie in DIR, and of PyTorch extensions where TORCH is torch's include folder; goes on where it ended (LIBRARIES_ARGS, EXTENSIONS_ARGS: tools/libraries.py and tools/extensions.py --help)
	@[ -n "$(DIR)" ] || { echo "make corpus-libraries DIR=FOLDER: the folder that holds the checkouts (tools/libraries.py says which)" >&2; exit 2; }
	@tools/setup.sh test
	@python3 -B tools/libraries.py "$(abspath $(DIR))" $(LIBRARIES_ARGS)
	@[ -z "$(TORCH)" ] || python3 -B tools/extensions.py "$(abspath $(DIR))" --torch "$(abspath $(TORCH))" $(EXTENSIONS_ARGS)

.PHONY: campaign-bundles
campaign-bundles: build ## bundles in OUT of all proved findings: of our programs, or of those in the checkouts DIR (CAMPAIGN_ARGS: tools/confirm-campaign.py --help)
	@[ -n "$(OUT)" ] || { echo "make campaign-bundles OUT=FOLDER [DIR=CHECKOUTS]" >&2; exit 2; }
	@tools/setup.sh test
	@SCUBA_NVCC="$${SCUBA_NVCC:-$(CURDIR)/.deps/cuda/nvidia/cu13/bin/nvcc}" python3 -B tools/confirm-campaign.py bundles "$(OUT)" $(if $(DIR),--checkouts "$(abspath $(DIR))") $(CAMPAIGN_ARGS)

.PHONY: book
book: build ## the pages of docs/ as a book, with all links checked: target/book/book/index.html
	@tools/setup.sh book
	@tools/book.py --scuba target/release/scuba --out target/book --mdbook "$$(tools/find-mdbook.sh)"

.PHONY: dist
dist: build ## dist/scuba-VERSION: binaries with the clang and the libraries they need, to be copied anywhere
	@tools/setup.sh dist
	@tools/dist.sh dist/scuba-$(VERSION)

.PHONY: install
install: dist ## the same under PREFIX (default /usr/local), with the CMake package and scuba.mk
	@tools/install.sh dist/scuba-$(VERSION) "$(DESTDIR)$(PREFIX)"

.PHONY: wheel
wheel: dist ## the same as a wheel for pip, pipx and uv in dist/, and its sizes
	@python3 -B tools/packaging/wheel.py dist/scuba-$(VERSION) dist

.PHONY: test-wheel
test-wheel: wheel ## install the wheel into an empty virtual environment, and find a bug there where no clang, LLVM or Z3 of the machine can be opened
	@tools/setup.sh test
	@tools/packaging/test-wheel.sh dist/scuba_cuda-$(VERSION)-*.whl

.PHONY: walks
walks: wheel ## from `pip install` of the wheel to the first verdict, where no LLVM and Z3 are: WALKS="--torch PYTHON --extension DIR" for torch's
	@python3 -B tools/walks.py dist/scuba_cuda-$(VERSION)-*.whl --out docs/evaluation/walks.md $(WALKS)

.PHONY: clean
clean: ## remove what was built, keep what was installed
	@rm -rf target dist

.PHONY: distclean
distclean: clean ## remove the wheels in .deps as well
	@rm -rf .deps

.PHONY: help
help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20
