# Shortcuts; `npm start` and `npm test` work without make.
DOOR := node scripts/front-door.mjs
IMAGE ?= ad-server:latest
OVERLAY ?= development

.DEFAULT_GOAL := help
.PHONY: help run dev test lint build docs bench size engines prove simulate clients migrate image manifests deploy

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## start the service; with its own Postgres and Redis unless DATABASE_URL and REDIS_URL are set
	@$(DOOR) start

dev: ## the same, restarted at every save
	@$(DOOR) dev

test: ## run all tests, or some: ARGS="tests/config -t duration"
	@$(DOOR) test $(ARGS)

lint: ## check types, lint rules and formatting
	@$(DOOR) lint

build: ## build dist/ and the browser's files
	@$(DOOR) build

docs: ## build the documents to public/docs, served at /static/docs/
	@$(DOOR) docs

bench: ## run the benchmarks
	@$(DOOR) bench $(ARGS)

size: ## measure the memory and CPU time of Redis per line item, user, token, event and ad
	@$(DOOR) run bench/redis-sizing.ts

engines: ## measure Redis masters and Postgres per ad and per event row, for docs/operations.md
	@$(DOOR) run bench/size-engines.ts

prove: ## check the statements of docs/reliability.md
	@$(DOOR) run proofs/prove.ts $(ARGS)

simulate: ## simulate a day of pacing
	@$(DOOR) run proofs/simulate.ts $(ARGS)

clients: ## build the API's clients for TypeScript and Python in sdk/clients
	@$(DOOR) run scripts/build-clients.ts

migrate: ## migrate the database at DATABASE_URL
	@$(DOOR) migrate

image: ## build the container image, IMAGE=name:tag
	docker build --build-arg COMMIT="$$(git rev-parse HEAD)" -t $(IMAGE) .

manifests: ## render the kustomizations to k8s/rendered/
	@node scripts/render-manifests.mjs

deploy: ## apply the manifests, OVERLAY=development
	kubectl apply -k k8s/overlays/$(OVERLAY)
