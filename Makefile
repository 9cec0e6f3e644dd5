# Missing Debian packages are installed first.

SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c

LUBDUB := .build/debug/lubdub
RELEASE := .build/release/lubdub
# Where make install installs, below DESTDIR if that is set; and where make deb and make dist write packages.
PREFIX ?= /usr/local
PACKAGES ?= .build/packages
# Additional options for swift build; changing them rebuilds everything.
BUILDING ?=
# Traces, event logs and output of each test of test-linux.
EVIDENCE := .build/test-linux
SOURCES := Package.swift Sources Tests Benchmarks
# An app for Apple's platforms, with tests for Linux.
APP := Examples/HeartRateApp
# Packages in Examples use the modules that are built already.
SHARED := --scratch-path .build
# Whole-program optimization saves a sixth of the time of a read, but the linker needs 7 GiB: disable it with `make release LINKING=`.
LINKING := $(shell awk '/^MemTotal/ && $$2 > 12000000 { print "--experimental-lto-mode full" }' /proc/meminfo)
# Modules that read external data or wrap C.
READING := SystemBluetooth ATT Basics Bluetooth BlueZ Cases Characteristics Checks Clients CommandLineTool CommandSupport \
    Conformance Cryptography DBus DeviceRecording Devices Documents Drivers Expectations GATT HCI L2CAP LEHost Linux \
    ScenarioLanguage ScenarioModel Screens SecurityManager Services Sockets VirtualRadio
# Suites of tests that update what is generated.
GENERATING := ActionTableTests CauseKindTests CommandPageTests MistakeTests OutputSchemaTests ProblemFormatTests ReferencePageTests \
    RegistryTests ReportFormatTests ScenarioFileTests VerdictTests
# For make matrix: which clients of Tests/Clients/clients.json run (all if empty).
CLIENTS ?=
# For make fuzz: how long each reader is fuzzed, which (all if empty), and the sanitizer (none, but ten times faster, if empty).
SECONDS ?= 60
READERS ?=
SANITIZER ?= address
FUZZERS := fuzzPackets fuzzHosts fuzzValues fuzzBus fuzzJSON fuzzFiles
FUZZ_BUILD := .build/fuzz$(SANITIZER:%=-%)
FUZZED := -c release -Xswiftc -sanitize=fuzzer$(SANITIZER:%=,%) -Xswiftc -enable-testing --scratch-path $(FUZZ_BUILD)
COVERED := -Xswiftc -sanitize=fuzzer -Xswiftc -profile-generate -Xswiftc -profile-coverage-mapping \
    --scratch-path .build/fuzz-coverage
SANITIZED := --sanitize=address --scratch-path .build/sanitized
# Modules with threads, tasks, actors or locks.
THREADED := Basics BlueZ Cases CommandLineTool CommandSupport Conformance CoreBluetooth DBus Drivers Examples Linux \
    ScenarioLanguage Screens Sockets
THREAD_CHECKED := --sanitize=thread --scratch-path .build/threads

.DEFAULT_GOAL := help
.PHONY: help run test unit interoperability test-release test-linux test-package test-busy long matrix sanitize fuzz \
    fuzz-coverage soak same-bytes docs examples generate release benchmarks bench install deb dist format

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*  ## /make \1\t/p' Makefile

run:  ## build, and run a scenario with the built-in client
	@Tools/setup build
	swift build --product lubdub
	Tools/client-time-library .build/debug
	$(LUBDUB) run scenarios/resting.json

test:  ## lint, build and test, with Bumble and tshark
	@Tools/setup test
	swift format lint --strict --recursive $(SOURCES)
	swift build --build-tests $(BUILDING) --explicit-target-dependency-import-check error
	Tools/client-time-library .build/debug
	@# The app and the sensor of test_corebluetooth.
	swift build --package-path $(APP) $(SHARED) $(BUILDING)
	@# In parallel, because each leaves a processor idle half of the time. Failures are printed once more at the end.
	$(MAKE) --jobs 2 --keep-going --output-sync=line unit interoperability || \
	    { grep -h -A 30 '^FAIL: \|^ERROR: ' .build/interoperability.log; \
	    grep -A 5 '✘\|^Fatal error\|Program crashed' .build/unit.log; exit 1; }

# In virtual time, so the others, which play in real time, go first.
unit:
	nice .build/debug/LubdubPackageTests.xctest --testing-library swift-testing 2>&1 | tee .build/unit.log

interoperability:
	LUBDUB=$(LUBDUB) .venv/bin/python Tests/side_by_side.py Tests/Interoperability 2>&1 | tee .build/interoperability.log

test-release: benchmarks  ## test the optimized program: its speed, allocations and behaviour under load
	@Tools/setup test
	LUBDUB=$(RELEASE) LUBDUB_RELEASE=$(RELEASE) PYTHONPATH=Tests/Interoperability \
	    .venv/bin/python -m unittest test_bench test_bluetoothd_load test_overload

same-bytes: release  ## compare what each scenario writes, in debug and release, with Tests/same-bytes.txt
	@[ -x $(LUBDUB) ] || swift build --product lubdub $(BUILDING)
	Tools/same-bytes $(LUBDUB) $(RELEASE)

docs:  ## build the documentation of all modules in .build/docs; fails on DocC warnings
	@Tools/setup build
	swift build $(BUILDING)
	Tools/docs

examples:  ## build and run Examples, packages that use the libraries as other packages do
	@Tools/setup test
	swift build --package-path Examples $(SHARED) $(BUILDING)
	for example in measurement battery scan; do .build/debug/examples $$example || exit 1; done
	swift run --package-path Examples/SameNames $(BUILDING)
	swift build --build-tests --package-path $(APP) $(SHARED) $(BUILDING)
	LUBDUB_DAY=1 swift test --skip-build --package-path $(APP) $(SHARED)

test-linux: release  ## test with Linux's Bluetooth and bluetoothd, in an emulated machine (QEMU)
	@Tools/setup linux
	@rm -rf $(EVIDENCE) && mkdir $(EVIDENCE)
	Tools/test-linux $(RELEASE) $(EVIDENCE)

test-package: deb dist  ## install, pack twice and compare, lint, and run the package without Swift
	@Tools/setup test
	LUBDUB=$(RELEASE) LUBDUB_PACKAGES=$(PACKAGES) PYTHONPATH=Tests/Interoperability \
	    .venv/bin/python -m unittest test_install test_package

test-busy: release  ## run many cases with correct clients on a busy machine: 15 minutes
	@Tools/setup test
	LUBDUB=$(RELEASE) PYTHONPATH=Tests/Interoperability .venv/bin/python -m unittest busy_clients

long: release  ## serve 50 devices with random faults to clients that come and go: 1 hour, or MINUTES=
	@Tools/setup test
	LUBDUB=$(RELEASE) PYTHONPATH=Tests/Interoperability .venv/bin/python -m unittest long_run

matrix: release  ## run real clients, and write Documentation/clients.md and .html: 1 hour, or CLIENTS='bleak bumble_gatt'
	@# Only bluetoothd itself needs the emulated machine.
	@Tools/setup $(if $(CLIENTS),$(if $(filter-out lubdub bumble% %_played,$(CLIENTS)),linux,test),linux)
	LUBDUB=$(RELEASE) Tools/matrix run $(CLIENTS)
	LUBDUB=$(RELEASE) Tools/matrix write

sanitize:  ## test what reads external data with the address sanitizer, and what uses threads with the thread sanitizer
	@Tools/setup test
	swift build --build-tests $(SANITIZED)
	@# The sanitizer reports Swift's global tables as leaks.
	ASAN_OPTIONS=detect_leaks=0 swift test --skip-build $(SANITIZED) $(READING:%=--filter '^%Tests')
	swift build --build-tests $(THREAD_CHECKED)
	TSAN_OPTIONS=suppressions=Tests/thread-sanitizer.txt \
	    swift test --skip-build $(THREAD_CHECKED) $(THREADED:%=--filter '^%Tests')

fuzz:  ## feed octets that libFuzzer invents to all readers of external data, SECONDS=60 each, or to READERS=; SANITIZER= is fast
	@Tools/setup build
	for program in $(FUZZERS); do LUBDUB_FUZZ=1 swift build --product $$program $(FUZZED) $(BUILDING) || exit 1; done
	PROGRAMS=$(FUZZ_BUILD)/release Tools/fuzz $(SECONDS) $(READERS)

fuzz-coverage:  ## count the branches of each reader that its seeds reach; fails if one is neither reached nor explained
	@Tools/setup build
	for program in $(FUZZERS); do LUBDUB_FUZZ=1 swift build --product $$program $(COVERED) $(BUILDING) || exit 1; done
	Tools/fuzz-coverage $(READERS)

soak:  ## run 100,000 random fault scenarios, hostile controllers and laps of waiting programs in a separate, optimized build
	@Tools/setup build
	swift build -c release --build-tests -Xswiftc -enable-testing --scratch-path .build/soak
	LUBDUB_SOAK=100000 swift test -c release --skip-build -Xswiftc -enable-testing --scratch-path .build/soak \
	    --filter RandomDaysTests --filter HostileControllerTests --filter ClientTimeTests

generate:  ## update the schemas, and the pages and tables of the documentation that are generated from the sources
	@Tools/setup build
	LUBDUB_WRITE=1 swift test $(GENERATING:%=--filter '%')
	LUBDUB=$(LUBDUB) Tools/matrix write

release:  ## build .build/release/lubdub with the Swift runtime linked in
	@Tools/setup build
	swift build -c release --static-swift-stdlib $(LINKING) --product lubdub $(BUILDING)
	Tools/client-time-library .build/release

benchmarks: release
	swift build -c release --static-swift-stdlib $(LINKING) --product benchmarks $(BUILDING)

bench:  ## measure Lubdub on this machine, against Bumble; OPTIONS=--help lists the options and rows
	@# Its output is for programs, too: make -s bench OPTIONS=--json
	@$(MAKE) benchmarks >&2
	LUBDUB=$(RELEASE) .build/release/benchmarks $(OPTIONS)

# Only builds if nothing is built, so that "make release && sudo make install" does not build as root.
install:  ## install the program that make release built, man pages, completions and scenarios in PREFIX=/usr/local
	@[ -x $(RELEASE) ] || $(MAKE) release
	@# Not every shell expands ~ after =.
	Tools/install $(RELEASE) "$(DESTDIR)$(PREFIX:~/%=$(HOME)/%)"

deb: release  ## make a Debian package in .build/packages
	@Tools/setup package
	Tools/package deb $(RELEASE) $(PACKAGES)

dist: release  ## make a tarball and checksums in .build/packages
	@Tools/setup package
	Tools/package dist $(RELEASE) $(PACKAGES)

format:  ## format the sources
	swift format --in-place --recursive $(SOURCES)
