# A thin front for CMake and Ninja. `make help` says what there is.
BUILD ?= build
PREFIX ?= /usr/local
CMAKE_FLAGS ?=
NINJA_FLAGS ?=
CTEST_FLAGS ?= -j$(shell nproc)
CLANG_TIDY ?= clang-tidy
CLANG_FORMAT ?= clang-format

TIDY_SOURCES ?= $(filter src/%.c,$(SOURCES))
SOURCES = $(shell git ls-files 'src/*.c' 'src/*.h' 'examples/*.c' 'include/*.h')

.PHONY: all demo check check-qt check-html check-sarif asan tidy format bench install dist deb check-deb clean help

all: ## build build/snag and its libraries
	@scripts/deps.sh build
	@scripts/build.sh $(BUILD) "$(NINJA_FLAGS)" $(CMAKE_FLAGS)

demo: all ## find a race in examples/bank.c, then show that its fixed twin has none
	@scripts/demo.sh $(BUILD)

check: ## build, then run all tests
	@scripts/deps.sh build test
	@scripts/build.sh $(BUILD) "$(NINJA_FLAGS)" $(CMAKE_FLAGS)
	@cmake $(BUILD) >/dev/null # what tests need may not have been there
	ctest --test-dir $(BUILD) --output-on-failure $(CTEST_FLAGS)

check-qt: ## programs with Qt, which brings a hundred packages
	@scripts/deps.sh build test qt
	@scripts/build.sh $(BUILD) "$(NINJA_FLAGS)" $(CMAKE_FLAGS)
	@cmake $(BUILD) >/dev/null # Qt may not have been there
	ctest --test-dir $(BUILD) --output-on-failure $(CTEST_FLAGS) --no-tests=error -R '^race\.qt\.'

check-html: ## the HTML report in headless Chromium; screenshots stay in build/html
	@scripts/deps.sh build html
	@scripts/build.sh $(BUILD) "$(NINJA_FLAGS)" $(CMAKE_FLAGS)
	rm -rf $(BUILD)/html
	tests/html/run.sh $(BUILD) $(BUILD)/html

check-sarif: ## SARIF reports against the whole schema, which a package of npm carries (44 MB)
	@scripts/deps.sh build test
	@scripts/build.sh $(BUILD) "$(NINJA_FLAGS)" $(CMAKE_FLAGS)
	cd $(BUILD) && npm pack @microsoft/sarif-multitool-linux && \
	    tar -xzf microsoft-sarif-multitool-linux-*.tgz --strip-components=1 package/sarif-2.1.0.json && \
	    rm microsoft-sarif-multitool-linux-*.tgz
	tests/sarif/run.sh $(BUILD)

asan: ## unit and command line tests with AddressSanitizer and UBSan in the command
	@scripts/deps.sh build test
	@scripts/build.sh $(BUILD)-asan "$(NINJA_FLAGS)" -DSNAG_ASAN=ON $(CMAKE_FLAGS)
	ASAN_OPTIONS=verify_asan_link_order=0 LSAN_OPTIONS=suppressions=$(CURDIR)/tests/lsan.supp:print_suppressions=0 ctest --test-dir $(BUILD)-asan --output-on-failure -R '^(unit|cli)\.' $(CTEST_FLAGS)

tidy: all ## clang-tidy over the sources
	@scripts/deps.sh tidy
	@mkdir -p $(BUILD)/tidy
	@sed 's/ -fno-tree-loop-distribute-patterns//' $(BUILD)/compile_commands.json >$(BUILD)/tidy/compile_commands.json
	$(CLANG_TIDY) --quiet -p $(BUILD)/tidy $(TIDY_SOURCES)

format: ## clang-format over the sources
	@scripts/deps.sh tidy
	$(CLANG_FORMAT) -i $(SOURCES)

bench: all ## the benchmarks in bench/; BENCH=--quick for some minutes, BENCH="race tree" for these
	@scripts/deps.sh bench
	BUILD=$(abspath $(BUILD)) bench/run.sh $(BENCH)

install: all ## install below PREFIX (default /usr/local; DESTDIR is respected)
	cmake --install $(BUILD) --prefix $(PREFIX)

dist: ## build/dist/snag-VERSION.tar.gz, reproducible
	@scripts/dist.sh $(BUILD)/dist

deb: ## build/dist/snag_VERSION_ARCH.deb, reproducible
	@scripts/deps.sh build deb
	@scripts/build.sh $(BUILD)-deb "$(NINJA_FLAGS)" -DBUILD_TESTING=OFF -DSNAG_PREFIX_MAP=ON $(CMAKE_FLAGS)
	@scripts/deb.sh $(BUILD)-deb $(BUILD)/dist

check-deb: ## builds the package twice, in two folders, and compares the bytes
	@scripts/deps.sh build deb
	scripts/reproducible.sh

clean: ## remove what was built
	rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-deb

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 12
