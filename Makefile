# Everyday commands. `make help` lists them; ARGS is passed on: make test ARGS=auth::

ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help run install dashboard test bench check openapi fuzz clean

help: ## List the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/\1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 12

run: ## Start the server on SQLite, optimised (ARGS: options of `frontdesk serve`)
	cargo run --release --bin frontdesk -- serve $(ARGS)

install: ## Build the binary, optimised, and install it into ~/.cargo/bin
	cargo install --locked --path crates/server

dashboard: ## Build the dashboard into dashboard/dist (fetches a suitable node when there is none)
	scripts/dashboard build

test: ## Run every test on SQLite, PostgreSQL and Redis (ARGS: a filter, or options of `cargo test`)
	cargo build --bin frontdesk
	scripts/services run -- cargo test --workspace $(ARGS)

bench: ## Measure the server under load (ARGS: options of the load program)
	cargo build --release --bin frontdesk
	scripts/services run --durable -- cargo run --release -p frontdesk-bench -- $(ARGS)

check: ## Check formatting, lints and documentation
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

openapi: ## Write openapi.json anew from the routes
	cargo run --bin frontdesk -- openapi >openapi.json.new
	mv openapi.json.new openapi.json

fuzz: ## Try the API with generated requests (ARGS: options of `schemathesis run`)
	cargo build --bin frontdesk
	scripts/schemathesis target/debug/frontdesk $(ARGS)

clean: ## Remove what the builds made
	cargo clean
