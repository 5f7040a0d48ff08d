# The verbs of the project. Nothing here is needed: `npm start` and `npm test` do the same on a machine without make.
DOOR := node scripts/front-door.mjs
IMAGE ?= ad-server:latest
OVERLAY ?= development

.DEFAULT_GOAL := help
.PHONY: help run test lint build bench size prove simulate migrate image manifests deploy

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## the service, with its own Postgres and Redis unless DATABASE_URL and REDIS_URL are set
	@$(DOOR) start

test: ## every test; ARGS="tests/config -t duration" for some
	@$(DOOR) test $(ARGS)

lint: ## types, lint rules, layout
	@$(DOOR) lint

build: ## dist/ and the browser's files
	@$(DOOR) build

bench: ## the benchmarks, with their ratios
	@$(DOOR) bench $(ARGS)

size: ## what Redis spends on line items, users, tokens, events and ads
	@$(DOOR) run bench/redis-sizing.ts

prove: ## the promises of docs/reliability.md, expected against observed
	@$(DOOR) run proofs/prove.ts $(ARGS)

simulate: ## pacing over a simulated day
	@$(DOOR) run proofs/simulate.ts $(ARGS)

migrate: ## bring the database at DATABASE_URL to the newest schema
	@$(DOOR) migrate

image: ## the container image, IMAGE=name:tag
	docker build -t $(IMAGE) .

manifests: ## k8s/rendered/ from the kustomizations, after a change there
	@node scripts/render-manifests.mjs

deploy: ## apply the manifests, OVERLAY=development
	kubectl apply -k k8s/overlays/$(OVERLAY)
