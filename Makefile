# Everything is done with Go alone; `make check` is what CI runs.
GO       ?= go
FUZZTIME ?= 30s

GOFUMPT     := mvdan.cc/gofumpt@v0.12.0
GOLANGCI    := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
AXE         := 4.14.1
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.9.0

ASSEMBLY := $(foreach f,internal/kernels/blas/add internal/kernels/mixture/assembly internal/kernels/elementwise/assembly,$(f)_amd64.s $(f)_amd64.go)

# OUTSIDE has the folders data, oracles and peers, which are not in the repository.
OUTSIDE ?=

GOFILES = $(shell find . -name '*.go' ! -name '*.pb.go' ! -path '*/.*')

.PHONY: help build cross test search race noasm vet fmt lint tidy-check generate-check fuzz prose outside image chart monitoring page beam lab e2e vuln check clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

build: ## build bin/collabdict
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/ ./cmd/collabdict

cross: ## check that everything builds for the other systems
	GOOS=windows $(GO) vet ./...
	@set -e; for p in linux/arm64 darwin/arm64 windows/amd64; do \
		echo "build for $$p"; GOOS=$${p%/*} GOARCH=$${p#*/} CGO_ENABLED=0 $(GO) build -o /dev/null ./...; \
	done

test: ## run all tests
	$(GO) test -timeout 20m ./...

search: ## run the tests that take long: whole searches, storms of killed processes, many seeds
	@set -e; files="$$(grep -rlE --include='*_test.go' 'testkit\.Long' .)"; \
	names="$$(cat $$files | awk '/^func Test/ { split($$2, a, "("); name = a[1] } /testkit\.Long/ { print name }' | sort -u | paste -sd '|')"; \
	COLLABDICT_TESTS=long $(GO) test -timeout 40m -run "^($$names)$$" $$(echo "$$files" | xargs -n 1 dirname | sort -u)

race: ## run all tests of packages that start goroutines under the race detector (needs a C compiler)
	@set -e; module="$$($(GO) list -m)"; \
	unraced="$$(grep -rl --include=main_test.go 'testkit\.UnracedMain' . | xargs -n 1 dirname | sed "s,^\.,$$module,")"; \
	$(GO) test -race -timeout 30m ./node $$($(GO) list ./... | grep -vxF "$$unraced") # node takes longest, on one processor

noasm: ## run the tests of packages with assembly, without it
	$(GO) test -tags noasm ./internal/kernels/... ./gmm ./vae

vet: ## run go vet
	$(GO) vet ./...
	GOOS=linux $(GO) vet -tags e2e ./scripts/e2e

fmt: ## check the format of all files (gofmt, gofumpt), and that no merge marks are left
	@! grep -rIlE --exclude-dir=.git '^(<{7}|>{7}) ' .
	@list="$$(gofmt -l $(GOFILES))" && test -z "$$list" || { echo "gofmt -w is needed on:"; echo "$$list"; exit 1; }
	@list="$$($(GO) run $(GOFUMPT) -l $(GOFILES))" && test -z "$$list" || { echo "gofumpt -w is needed on:"; echo "$$list"; exit 1; }

lint: ## run the linters of .golangci.yml, staticcheck among them
	$(GO) run $(GOLANGCI) run ./...
	cd lab && $(GO) run $(GOLANGCI) run ./...

tidy-check: ## check go.mod and go.sum (go mod tidy)
	$(GO) mod tidy -diff

generate-check: ## check generated files; those of protoc only if it is installed
	@set -e; d="$$(mktemp -d)"; for f in $(ASSEMBLY); do mkdir -p "$$d/$$(dirname $$f)"; cp "$$f" "$$d/$$f"; done; \
	$(GO) generate ./internal/kernels/blas ./internal/kernels/mixture ./internal/kernels/elementwise; \
	for f in $(ASSEMBLY); do \
		cmp "$$d/$$f" "$$f" || { echo "go generate ./$$(dirname $$f) has changed it: commit that"; exit 1; }; \
	done
	@command -v protoc >/dev/null || { echo "protoc is not installed: nothing checked"; exit 0; }; \
	set -e; d="$$(mktemp -d)"; trap 'rm -rf "$$d"' EXIT; \
	$(GO) build -o "$$d/" google.golang.org/protobuf/cmd/protoc-gen-go; \
	PATH="$$d:$$PATH" protoc --proto_path=internal/wire/pb --go_out="$$d" --go_opt=paths=source_relative wire.proto; \
	diff -I '^// 	protoc' internal/wire/pb/wire.pb.go "$$d/wire.pb.go" || { echo "go generate ./internal/wire is needed"; exit 1; }

fuzz: ## run every property test with new draws, and every fuzz test for FUZZTIME, one after the other
	COLLABDICT_SEEDS=new $(GO) test -count=1 -timeout 40m $$(grep -rl --include='*_test.go' --exclude-dir=lab '"pgregory.net/rapid"' . | xargs -n 1 dirname | sort -u)
	@set -e; grep -rHo --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' . | sed 's/func //' | while IFS=: read -r file name; do \
		echo "== $$name"; \
		$(GO) test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) "$$(dirname "$$file")" </dev/null; \
	done

prose: ## check documents, help and comments with Vale (needs a C compiler)
	@scripts/prose.sh

outside: ## run tests, benchmarks and comparisons that need data from the folder OUTSIDE
	@test -d "$(OUTSIDE)/data" || { echo "outside: SKIPPED, NOTHING CHECKED: want OUTSIDE=FOLDER with the folders data, oracles and peers, got \"$(OUTSIDE)\""; exit 0; }; \
	set -e; COLLABDICT_OUTSIDE="$$(cd "$(OUTSIDE)" && pwd)"; export COLLABDICT_OUTSIDE; \
	$(GO) test -count=1 -timeout 2h -bench 'Oracles|Stream|LocalUpdate' -benchtime 1x \
		$$(grep -rl --include='*_test.go' --exclude-dir=lab 'testkit\.Outside' . | xargs -n 1 dirname | sort -u); \
	(cd lab && $(GO) test -count=1 -timeout 2h ./...); \
	for peer in em vae glasso; do lab/peers/$$peer.sh; done; lab/peers/score.py

image: ## build the container images IMAGE (image.tar) and image-beam.tar with ko, and run the programs from their layers
	scripts/image.sh "$(or $(IMAGE),image.tar)"
	scripts/image.sh image-beam.tar beam

e2e: ## try consortia in network namespaces (root, Linux, iproute2, nftables, and if they are there tinyproxy and miniupnpd; about 15 minutes)
	$(GO) test -tags e2e -count=1 -timeout 60m ./scripts/e2e

chart: ## render the Helm chart and read it as Kubernetes does (a module of its own)
	cd deploy/helm/test && $(GO) vet ./... && $(GO) test ./...

monitoring: ## check the dashboard of Grafana by its schema (a module of its own), and the rules with promtool (Debian package prometheus)
	cd deploy/grafana/test && $(GO) vet ./... && $(GO) test ./...
	$(GO) test -count=1 -run 'TestRulesOfPrometheus|TestDeployedMetrics' -v ./internal/cli ./internal/serve ./internal/ops/operate

page: ## test the pages in Chromium, with axe-core from npm (a module of its own)
	@command -v npm >/dev/null || { echo "page: SKIPPED, NOTHING CHECKED: npm is not installed"; exit 0; }; \
	set -e; d="$$(mktemp -d)"; trap 'rm -rf "$$d"' EXIT; \
	(cd "$$d" && npm pack --silent axe-core@$(AXE) >/dev/null && tar xzf axe-core-$(AXE).tgz); \
	cd internal/page/browser && $(GO) mod tidy -diff && $(GO) vet ./... && COLLABDICT_AXE="$$d/package/axe.min.js" $(GO) test -count=1 -timeout 10m ./...

beam: ## test the engine on Apache Beam (a module of its own)
	cd beam && $(GO) mod tidy -diff && $(GO) vet ./... && $(GO) test -count=1 -timeout 15m ./...

lab: ## test the papers' experiments (a module of its own)
	cd lab && $(GO) mod tidy -diff && $(GO) vet ./... && $(GO) test -timeout 20m ./...

vuln: ## report known vulnerabilities of what the program calls, if the database can be reached
	@report="$$($(GO) run $(GOVULNCHECK) ./... 2>&1)" && { echo "$$report"; exit 0; }; echo "$$report"; \
	case "$$report" in \
		*"govulncheck: fetching vulnerabilities"*) echo "vuln: SKIPPED, NOTHING CHECKED: the database of vulnerabilities cannot be reached";; \
		*) exit 1;; \
	esac

check: tidy-check fmt vet cross lint prose race noasm search test lab chart monitoring page beam ## everything that CI runs, each once

clean: ## remove what was built
	rm -rf bin
