# Everyday commands. `make help` lists them; ARGS is passed on: make test ARGS=auth::

ARGS ?=

# Most tests wait more than they compute: for a process to start, or for something that must not happen.
export RUST_TEST_THREADS ?= $(shell echo $$((2 * $$(nproc))))

.DEFAULT_GOAL := help
.PHONY: help run install deb dashboard test chaos upgrade bench check pictures openapi sdk n8n fuzz simulate clean imports mcp moves

help: ## List the targets
	@sed -n 's/^\([a-z0-9]*\):.*## \(.*\)/\1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 12

run: ## Start the server on SQLite, with the dashboard (ARGS: options of `frontdesk serve`)
	scripts/dashboard build || echo "Starting without the dashboard: it could not be built." >&2
	cargo run --profile quick --bin frontdesk -- serve $(ARGS)

install: dashboard ## Build the binary, optimised, and install it into ~/.cargo/bin
	cargo install --locked --path crates/server

deb: dashboard ## Build a Debian package into target/debian
	command -v cargo-deb >/dev/null || cargo install --locked cargo-deb@3.8.0
	cargo build --locked --release --bin frontdesk
	deploy/package-files target/release/frontdesk target/package
	cargo deb --package frontdesk --no-build --output target/debian/

dashboard: ## Build the dashboard into dashboard/dist (installs a suitable node when there is none)
	scripts/dashboard build

test: ## Run every test on SQLite, PostgreSQL and Redis, and in a browser (ARGS: a filter for `cargo test`, alone)
ifeq ($(ARGS),)
	@echo "Building the server and its tests. The dashboard is built and its unit tests run at the same time."
	@# A debug build of the server reads this folder from disk, if it was there.
	@mkdir -p target dashboard/dist
	@(scripts/dashboard build && scripts/dashboard test) >target/dashboard-test.log 2>&1 & dashboard=$$!; \
	cargo build --workspace --bin frontdesk --tests || { kill $$dashboard; exit 1; }; \
	wait $$dashboard || { cat target/dashboard-test.log; exit 1; }; \
	tail -n 8 target/dashboard-test.log; \
	grep '^pictures:' target/dashboard-test.log || true
else
	scripts/dashboard build
	cargo build --workspace --bin frontdesk --tests
endif
	scripts/services run -- cargo test --workspace $(ARGS)
ifeq ($(ARGS),)
	scripts/upgrade test
	scripts/dashboard test:browser
endif

chaos: ## Break servers and stores under load for ten minutes and check everything (ARGS: --minutes=60 --seed=7)
	cargo build --workspace --bin frontdesk --test chaos
	scripts/services run --durable -- cargo test --workspace --test chaos -- --minutes=10 --seed=any $(ARGS)

upgrade: ## Upgrade from the binary of the previous commit while it serves, and go back (ARGS: another commit)
	cargo build --workspace --bin frontdesk --tests
	scripts/upgrade test --build $(ARGS)

imports: ## Import 10,000 contacts with 500,000 messages from Chatwoot, killed three times (ARGS: a filter for `cargo test`)
	cargo build --workspace --bin frontdesk --tests
	FRONTDESK_TEST_IMPORT_CONTACTS=10000 scripts/services run -- \
		cargo test --workspace --test e2e an_import_that_is_killed $(ARGS) -- --nocapture

moves: ## Copy 100,000 contacts with messages, files and runs to the other engine and back, and back them up under load
	cargo build --workspace --release --bin frontdesk
	cargo build --workspace --tests
	FRONTDESK_TEST_MOVE_CONTACTS=100000 FRONTDESK_TEST_BINARY=$(CURDIR)/target/release/frontdesk scripts/services run -- \
		cargo test --workspace --test e2e moving_many $(ARGS) -- --nocapture --test-threads=1

bench: dashboard ## Measure the server under load, and the dashboard (ARGS: options of the load program, alone)
	cargo build --release --bin frontdesk --bin frontdesk-bench
	scripts/services run --durable -- cargo run --release --bin frontdesk-bench -- $(ARGS)
ifeq ($(ARGS),)
	scripts/services run --durable -- scripts/dashboard bench
endif

check: ## Check formatting, lints and documentation; those of the dashboard at the same time
	cargo fmt --all --check
	@mkdir -p target
	@scripts/dashboard check >target/dashboard-check.log 2>&1 & dashboard=$$!; \
	cargo clippy --workspace --all-targets -- -D warnings && \
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps || { kill $$dashboard; exit 1; }; \
	wait $$dashboard || { cat target/dashboard-check.log; exit 1; }

pictures: ## Take the pictures of README.md and docs/dashboard.md anew
	scripts/dashboard build
	cargo build --bin frontdesk
	scripts/dashboard pictures:docs

openapi: ## Write openapi.json and dashboard/openapi.json anew from the routes
	cargo run --bin frontdesk -- openapi >openapi.json.new
	mv openapi.json.new openapi.json
	cargo run --bin frontdesk -- openapi --dashboard >dashboard/openapi.json.new
	mv dashboard/openapi.json.new dashboard/openapi.json

sdk: ## Write the generated parts of the SDKs in sdk/ anew from the routes
	cargo run --bin frontdesk -- sdk sdk

n8n: ## Load the nodes for n8n with n8n's own packages (330 MB)
	scripts/n8n

mcp: ## Use the MCP server with the official Python client, over both transports
	cargo build --bin frontdesk
	scripts/mcp-client target/debug/frontdesk

fuzz: ## Try parsers and the API with inputs that nobody wrote, for long (SECONDS=60 of each parser, SEED=any; ARGS: options of `schemathesis run`)
	cargo build --workspace --bin frontdesk --tests
	FRONTDESK_FUZZ_SECONDS=$(or $(SECONDS),60) FRONTDESK_FUZZ_SEED=$(or $(SEED),any) \
		scripts/services run -- cargo test --workspace fuzzed -- --test-threads=$$(nproc)
	scripts/schemathesis target/debug/frontdesk $(ARGS)

simulate: ## Simulate servers, clocks and lost messages in a million histories (HISTORIES=10000 FIRST=1000000)
	FRONTDESK_SIMULATE_HISTORIES=$(or $(HISTORIES),1000000) FRONTDESK_SIMULATE_FIRST=$(or $(FIRST),0) \
		cargo test --release --package frontdesk-jobs --lib histories -- --nocapture

clean: ## Remove what the builds made
	cargo clean
