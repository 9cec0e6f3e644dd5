# lubdub: what to type.  Everything that is missing on a Debian machine is installed first.

LUBDUB := .build/debug/lubdub
RELEASE := .build/release/lubdub
# More options for swift build; other ones than last time build all anew.
BUILDING ?=
# What happened in each test of test-linux: traces, event logs, and what was said.
EVIDENCE := .build/test-linux
SOURCES := Package.swift Sources Tests
# With all modules optimised as one a read costs a sixth less, but the linker takes 7 GiB; `make release LINKING=` does without.
LINKING := $(shell awk '/^MemTotal/ && $$2 > 12000000 { print "--experimental-lto-mode full" }' /proc/meminfo)
# The tests of what reads octets, text and messages from outside, and of what wraps C.
READING := ATT Arguments BlueZ Bluetooth Characteristics Checks Collector CommandLineTool Conformance Cryptography \
    DBus Documents EventLog Expectations GATT HCI L2CAP LEHost LinkLayer Octets Peripheral Reporting Scenarios \
    Screen Simulation Sockets Spelling VirtualController
SANITIZED := --sanitize=address --scratch-path .build/sanitized

.DEFAULT_GOAL := help
.PHONY: help run test unit test-linux test-busy sanitize soak docs examples release format

help:  ## list what can be made
	@sed -n 's/^\([a-z-]*\):.*  ## /make \1\t/p' Makefile

run:  ## build, and play a resting heart to the built-in client
	@Tools/setup build
	swift build --product lubdub
	$(LUBDUB) run scenarios/resting.json

test:  ## lint, build, test, and meet Bumble and tshark
	@Tools/setup test
	swift format lint --strict --recursive $(SOURCES)
	swift build --build-tests $(BUILDING) --explicit-target-dependency-import-check error
	@# Each alone leaves a processor idle for half of its time.  Neither writes what the other reads: no lock is waited for.
	$(MAKE) --jobs 2 --output-sync=target unit release BUILDING="$(BUILDING) --ignore-lock"
	LUBDUB=$(RELEASE) LUBDUB_RELEASE=$(RELEASE) LUBDUB_DEBUG=$(LUBDUB) .venv/bin/python Tests/side_by_side.py \
	    Tests/Interoperability

unit:
	swift test --skip-build --ignore-lock

docs:  ## build the documentation of every module into .build/docs; a warning of DocC is an error
	@Tools/setup build
	swift build $(BUILDING)
	Tools/docs

examples:  ## build and run Examples, a package that uses the libraries as other packages do
	@Tools/setup build
	swift build --package-path Examples $(BUILDING)
	for example in measurement battery scan; do Examples/.build/debug/examples $$example || exit 1; done

test-linux: release  ## meet Linux's own Bluetooth and bluetoothd, in a machine that QEMU emulates
	@Tools/setup linux
	@rm -rf $(EVIDENCE) && mkdir $(EVIDENCE)
	Tools/test-linux $(RELEASE) $(EVIDENCE)

test-busy: release  ## play much to clients that are right, on a busy machine too: a quarter of an hour
	@Tools/setup test
	LUBDUB=$(RELEASE) PYTHONPATH=Tests/Interoperability .venv/bin/python -m unittest busy_clients

sanitize:  ## run the tests of all that reads what comes from outside with the address sanitizer, in an own build
	@Tools/setup test
	swift build --build-tests $(SANITIZED)
	@# The sanitizer takes Swift's global tables for leaks.
	ASAN_OPTIONS=detect_leaks=0 swift test --skip-build $(SANITIZED) $(READING:%=--filter '^%Tests')

soak:  ## play 100,000 random days of faults, in an own build, optimised
	@Tools/setup build
	swift build -c release --build-tests -Xswiftc -enable-testing --scratch-path .build/soak
	LUBDUB_SOAK=100000 swift test -c release --skip-build -Xswiftc -enable-testing --scratch-path .build/soak \
	    --filter RandomDaysTests

release:  ## build .build/release/lubdub, with the Swift runtime inside
	@Tools/setup build
	swift build -c release --static-swift-stdlib $(LINKING) --product lubdub $(BUILDING)

format:  ## put the sources into the house's form
	swift format --in-place --recursive $(SOURCES)
