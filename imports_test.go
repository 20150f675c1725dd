package collabdict_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/testkit"
)

const module = "github.com/collabdict/collabdict"

// An importRule restricts the imports of some packages. Patterns are import paths: "./chunking"
// for a package of the module, "." for the root package, "std" for the standard library, and
// "..." at the end for everything below.
type importRule struct {
	packages []string
	except   []string // packages to which the rule does not apply
	only     []string // if not nil, the only imports allowed
	never    []string // forbidden, even if only allows it
	unlinked []string // forbidden even as an import of an import
	tests    bool     // holds for test files too
	reason   string
}

var clocksAndTheWorld = []string{"time", "os", "os/...", "net", "net/...", "syscall", "io/fs", "path/filepath", "crypto/rand"}

var importRules = []importRule{
	{
		packages: []string{"."}, only: []string{"std"}, never: clocksAndTheWorld,
		reason: "the root package is what everything else stands on: the standard library, and nothing of the outside world",
	},
	{
		packages: []string{"./chunking"}, only: []string{"std", "."}, never: clocksAndTheWorld,
		reason: "what hides vectors is to be read and checked by itself; randomness comes in as an argument",
	},
	{
		packages: []string{"./consensus/graph"}, only: []string{"std", "gonum.org/v1/gonum/..."}, never: clocksAndTheWorld,
		reason: "a topology follows from its kind, size and degree alone; gonum is for the spectra",
	},
	{
		packages: []string{"./consensus/session"},
		only:     []string{"std", "./chunking", "./consensus/graph"},
		never:    append([]string{"sync", "sync/..."}, clocksAndTheWorld...),
		reason:   "a session combines one vector; who takes part, and what becomes of the result, is not its concern",
	},
	{
		packages: []string{"./consensus"},
		only:     []string{"std", ".", "./chunking", "./consensus/graph", "./consensus/session", "./internal/files/printable", "./option"},
		never:    []string{"os", "os/...", "net", "net/...", "syscall", "io/fs", "path/filepath", "crypto/rand", "sync", "sync/..."},
		reason:   "the protocol is a pure state machine, so that node and netsim run the same one and any run can be replayed",
	},
	{
		packages: []string{"./internal/files/printable"}, only: []string{"std"}, never: clocksAndTheWorld,
		reason: "everything that prints text of others uses it",
	},
	{
		packages: []string{"./internal/attack/..."},
		only:     []string{"std", ".", "./chunking", "./consensus", "./consensus/session", "./internal/privacy/exposure", "gonum.org/v1/gonum/..."}, never: clocksAndTheWorld,
		reason: "what curious members recover is computed from what was seen, and by nobody who takes part; gonum is for least squares",
	},
	{
		packages: []string{"./internal/privacy/exposure"},
		only:     []string{"std", "./chunking", "./consensus/session"}, never: clocksAndTheWorld,
		reason: "what a session shows follows from its plan alone, and is to be read and checked by itself",
	},
	{
		packages: []string{"./..."}, except: slices.Concat(program, []string{"./internal/run/simulate", "./internal/attack/..."}), unlinked: []string{"./internal/attack/..."},
		reason: "attacks are for measuring in simulations",
	},
	{
		packages: []string{"./option"}, only: []string{"std"}, never: clocksAndTheWorld,
		reason: "options bind fields, and know nothing of what these mean",
	},
	{
		packages: []string{"./algorithm"},
		only:     []string{"std", ".", "./option", "gonum.org/v1/gonum/mat", "./internal/data/columnstats"}, never: clocksAndTheWorld,
		reason: "what an algorithm is stands above all algorithms, and knows none",
	},
	{
		packages: []string{"./node/...", "./internal/run/participant", "./internal/run/launch"}, unlinked: []string{"./netsim/...", "./internal/run/simulate", "./internal/attack/..."},
		reason: "a production node links neither the simulator nor attacks",
	},
	{
		packages: []string{"./gmm", "./vae", "./internal/mixtures/...", "./internal/networks/...", "./internal/privacy", "./internal/privacy/guard", "./internal/privacy/release"},
		only:     []string{"std", ".", "./option", "./algorithm", "gonum.org/v1/gonum/...", "./gmm", "./vae", "./internal/mixtures/...", "./internal/networks/...", "./internal/privacy/...", "./internal/data/columnstats", "./internal/numeric/metrics", "./internal/numeric/portable", "./internal/numeric/lanes", "./internal/numeric/parallel", "./internal/numeric/partial", "./internal/data/rows", "./internal/kernels/blas", "./internal/kernels/elementwise", "./internal/kernels/lapack", "./internal/kernels/mixture"},
		never:    clocksAndTheWorld,
		reason:   "a learner computes: no clock, socket, file or global random source, and nothing of how sums are made",
	},
	{
		packages: []string{"./internal/numeric/portable"}, only: []string{"std"},
		reason: "what has the same bits on every machine is made of nothing that might not",
	},
	{
		packages: []string{"./gmm", "./internal/mixtures/...", "./internal/privacy/..."}, unlinked: []string{"./vae", "./internal/networks/..."},
		reason: "the two families of models know nothing of each other",
	},
	{
		packages: []string{"./vae", "./internal/networks/..."}, unlinked: []string{"./gmm", "./internal/mixtures/..."},
		reason: "the two families of models know nothing of each other",
	},
	{
		packages: []string{"./internal/numeric/lanes", "./internal/numeric/parallel", "./internal/kernels/blas", "./internal/kernels/elementwise", "./internal/kernels/lapack", "./internal/kernels/mixture"},
		only:     []string{"std", "gonum.org/v1/gonum/...", "./internal/kernels/cpu", "./internal/kernels/blas", "./internal/numeric/parallel", "./internal/numeric/portable"}, never: clocksAndTheWorld,
		reason: "numerical kernels stand below the models",
	},
	{
		packages: []string{"./..."}, except: []string{"./internal/kernels/cpu"}, never: []string{"golang.org/x/sys/cpu"},
		reason: "one package finds out what the processor can do, so that all kernels of a process are of the same path",
	},
	{
		packages: []string{"./internal/data/columnstats"},
		only:     []string{"std", ".", "gonum.org/v1/gonum/...", "./internal/kernels/blas", "./internal/kernels/lapack", "./internal/numeric/lanes", "./internal/numeric/parallel", "./internal/numeric/portable"}, never: clocksAndTheWorld,
		reason: "what members publish and learn of columns stands below the models that begin with it, and knows nothing of where rows come from",
	},
	{
		packages: []string{"./internal/data/rows"},
		only:     []string{"std", ".", "gonum.org/v1/gonum/...", "./internal/data/columnstats", "./internal/kernels/blas", "./internal/numeric/lanes", "./internal/numeric/parallel", "./internal/numeric/portable"}, never: clocksAndTheWorld,
		reason: "what is done with rows is the same wherever they come from",
	},
	{
		packages: []string{"./internal/numeric/partial"},
		only:     []string{"std", ".", "gonum.org/v1/gonum/mat", "./internal/kernels/blas", "./internal/kernels/lapack", "./internal/numeric/lanes", "./internal/numeric/parallel", "./internal/numeric/portable"}, never: clocksAndTheWorld,
		reason: "what is known of missing cells from the others stands below the models",
	},
	{
		packages: []string{"./internal/data/partition"},
		only:     []string{"std", ".", "gonum.org/v1/gonum/...", "./gmm", "./internal/kernels/blas", "./internal/kernels/lapack", "./internal/numeric/lanes", "./internal/numeric/parallel", "./internal/numeric/portable", "./internal/data/rows"}, never: clocksAndTheWorld,
		reason: "whose each row is follows from rows, their classes and a seed, whatever file they are in",
	},
	{
		packages: []string{"./internal/data/dataset"}, never: []string{"./algorithm", "./gmm", "./internal/mixtures/...", "./internal/networks/...", "./vae", "./model"},
		reason: "what reads files knows nothing of models",
	},
	{
		packages: []string{"./netsim/...", "./internal/scenario/..."},
		never:    []string{"os", "os/...", "net", "net/...", "crypto/rand"},
		unlinked: []string{"./node/...", "./internal/cli", "github.com/libp2p/...", "github.com/multiformats/..."},
		reason:   "a simulation runs the machines of consensus in virtual time; with a real network in it, it could not be replayed",
	},
	{
		packages: []string{"./..."}, except: []string{"./node/..."},
		never:  []string{"github.com/libp2p/...", "github.com/multiformats/..."},
		reason: "node alone touches libp2p, so that the network can be changed in one place",
	},
	{
		packages: []string{"./node/internal/..."}, unlinked: []string{"./node"},
		reason: "the parts of a node know nothing of what puts them together",
	},
	{
		packages: []string{"./node/internal/membership"}, never: []string{"./node/internal/transport", "./node/internal/rendezvous", "time", "os", "net", "sync"},
		reason: "who is a member, and what members have agreed on, is data",
	},
	{
		packages: []string{"./node/internal/transport"}, unlinked: []string{"./internal/journal/store", "./node/internal/membership", "./node/internal/rendezvous"},
		reason: "messages are carried between peers with ranks; who they are, and what is kept of it, is not the transport's concern",
	},
	{
		packages: []string{"./node/..."}, unlinked: []string{"./gmm", "./vae", "./internal/mixtures/...", "./internal/networks/...", "./internal/run/pipeline", "./internal/data/dataset", "./internal/data/partition", "./internal/data/rows"},
		reason: "a node carries collectives; what is learned, and from what, is not its concern",
	},
	{
		packages: []string{"./..."}, except: []string{"./internal/cli"}, never: []string{"github.com/hashicorp/..."}, tests: true,
		reason: "libraries log by log/slog; how lines look is up to the program",
	},
	{
		packages: []string{"./internal/journal"}, only: []string{"std", "./internal/files", "./internal/privacy", "./internal/run/report"}, never: []string{"net", "net/..."},
		reason: "what keeps a record is to be read and checked by itself, and sends nothing",
	},
	{
		packages: []string{"./..."}, except: []string{"./internal/ops/operate", "./internal/ops/web", "./internal/serve"}, never: []string{"github.com/prometheus/...", "net/http"},
		reason: "one package shows a running node over HTTP, one scores rows, and one guards both",
	},
	{
		packages: []string{"./internal/page"}, only: []string{"embed", "io/fs"},
		reason: "a page is files, whoever serves them",
	},
	{
		packages: []string{"./..."}, never: []string{"github.com/evanw/esbuild/..."},
		reason: "files of pages are made by a test, and no program makes any",
	},
	{
		packages: []string{"./internal/ops/web"}, only: []string{"std"},
		reason: "what guards a server is to be read and checked by itself",
	},
	{
		packages: []string{"./internal/ops/operate"}, never: []string{"./internal/data/dataset", "./internal/run/pipeline", "./algorithm", "./model"}, unlinked: []string{"./internal/data/dataset", "./internal/data/rows"},
		reason: "what an operator is shown cannot depend on rows that are out of reach",
	},
	{
		packages: []string{"./node/...", "./model"}, unlinked: []string{"go.yaml.in/..."},
		reason: "what people write is in YAML; nodes and models keep JSON and arrays",
	},
	{
		packages: []string{"./internal/plots"},
		only:     []string{"std", "./internal/run/report", "./internal/files", "gonum.org/v1/plot/..."},
		reason:   "what is drawn is drawn from a report, and knows nothing of how it came about",
	},
	{
		packages: []string{"./..."}, except: []string{"./internal/plots"}, never: []string{"gonum.org/v1/plot/..."},
		reason: "one package draws, so that all figures look alike",
	},
	{
		packages: []string{"./..."}, except: []string{"./internal/data/dataset"}, never: []string{"github.com/parquet-go/..."},
		reason: "one package reads files of rows, and keeps what their formats do from the others",
	},
	{
		packages: []string{"./..."}, except: []string{"./internal/data/postgres", "./internal/testkit/postgrestest"}, never: []string{"github.com/jackc/..."}, tests: true,
		reason: "one package talks to databases, and shows the others rows alone",
	},
	{
		packages: []string{"./internal/data/postgres/..."}, only: []string{"std", "github.com/jackc/pgx/v5/pgconn", "./internal/data/postgres/..."},
		reason: "what asks a database knows nothing of what becomes of the rows",
	},
	{
		packages: []string{"./..."}, except: []string{"./internal/testkit/..."}, unlinked: []string{"./internal/testkit/..."},
		reason: "what helps tests is in no program",
	},
	{
		packages: []string{"./internal/export/onnx/..."},
		only:     []string{"std", "./internal/export/onnx", "google.golang.org/protobuf/encoding/protowire"}, never: clocksAndTheWorld,
		reason: "how a file of ONNX is written has nothing to do with what models there are",
	},
	{
		packages: []string{"./..."}, except: program, unlinked: []string{"./internal/plots"},
		reason: "drawing is for commands",
	},
	{
		packages: []string{"./..."}, except: program, unlinked: []string{"./internal/bench"},
		reason: "measuring is for commands: what is measured knows nothing of it",
	},
	{
		packages: []string{"./examples/..."}, never: []string{"./internal/...", "./node/internal/..."},
		reason: "examples are for other modules, which cannot import these",
	},
	{
		packages: []string{"./..."}, except: program, never: program,
		reason: "commands wire packages together; nothing is built on them",
	},
	{
		packages: []string{"./..."}, never: []string{"math/rand"}, tests: true,
		reason: "math/rand/v2 has sources whose output is specified; the global state of version 1 cannot be replayed",
	},
}

// A codeRule forbids some code in some packages.
type codeRule struct {
	packages []string
	except   []string
	calls    map[string][]string // names by import path; "*" means all functions except those in but
	but      []string
	routines bool // no go statement, and no sync.WaitGroup
	tests    bool // holds for test files too
	reason   string
}

// program is the program, and mains that add to it.
var program = []string{"./cmd/...", "./command", "./internal/cli", "./examples/..."}

var clock = map[string][]string{"time": {"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTicker", "NewTimer"}}

var codeRules = []codeRule{
	{
		packages: []string{".", "./chunking", "./consensus/...", "./gmm", "./vae", "./netsim", "./internal/..."},
		except:   []string{"./internal/cli", "./internal/run/launch", "./internal/bench"},
		calls:    clock,
		reason:   "time comes in as data; only node, commands, what starts processes and what measures have a clock",
	},
	{
		packages: []string{".", "./chunking", "./consensus/...", "./gmm", "./vae", "./internal/mixtures/...", "./internal/networks/...", "./netsim", "./node/..."},
		calls:    map[string][]string{"runtime": {"GC"}, "runtime/debug": {"FreeOSMemory", "SetGCPercent", "SetMemoryLimit"}},
		reason:   "when the heap is collected is up to the program",
	},
	{
		packages: []string{"./internal/numeric/portable"}, calls: map[string][]string{"math": {"*"}},
		but:    []string{"Abs", "Copysign", "Frexp", "IsInf", "Ldexp", "Ln2", "Round", "Sqrt", "Sqrt2"},
		reason: "the other functions of package math differ in their last bits between architectures",
	},
	{
		packages: []string{"./..."}, tests: true,
		calls:  map[string][]string{gonum + "blas/blas32": {"Use"}, gonum + "blas/blas64": {"Use"}, gonum + "lapack/lapack64": {"Use"}},
		reason: "gonum's registry belongs to the program that imports the packages, and their results owe nothing to it",
	},
	{
		packages: []string{"."}, calls: map[string][]string{"math/rand/v2": {"*"}},
		reason: "the round loop draws nothing",
	},
	{
		packages: []string{"./chunking", "./consensus/...", "./gmm", "./vae", "./netsim", "./internal/..."},
		calls:    map[string][]string{"math/rand/v2": {"*"}},
		but:      []string{"New", "NewPCG", "NewChaCha8", "NewZipf", "Rand", "Source", "PCG", "ChaCha8", "Zipf"},
		reason:   "randomness comes in as a source or a seed; the global one cannot be replayed",
	},
	{
		packages: []string{".", "./chunking", "./consensus/...", "./gmm", "./vae", "./internal/mixtures/...", "./internal/networks/...", "./internal/privacy/...", "./internal/numeric/portable"}, routines: true,
		reason: "work is spread by internal/numeric/parallel alone, which joins before it returns",
	},
}

func TestPackagesKeepTheRules(t *testing.T) {
	tree := parseTree(t)
	for _, f := range tree {
		for _, v := range f.violations() {
			t.Error(v)
		}
	}
	for _, v := range importsOf(tree).violations() {
		t.Error(v)
	}
}

// Property tests draw the same values in every run; see package testkit.
func TestPropertyTestsHaveFixedDraws(t *testing.T) {
	draws, fixed := map[string]bool{}, map[string]bool{}
	for _, s := range parseTree(t) {
		for _, spec := range s.file.Imports {
			switch p, _ := strconv.Unquote(spec.Path.Value); relative(p) {
			case "pgregory.net/rapid":
				draws[s.pkg] = draws[s.pkg] || s.isTest()
			case "./internal/testkit":
				fixed[s.pkg] = true
			}
		}
	}
	for p, tests := range draws {
		if tests && !fixed[p] {
			t.Errorf("%s: want a test file that imports internal/testkit, which fixes the draws", p)
		}
	}
}

// imports maps each package of the module, such as "./chunking", to its imports, without those
// of test files.
type imports map[string][]string

func importsOf(tree []source) imports {
	g := imports{}
	for _, s := range tree {
		if s.isTest() {
			continue
		}
		for _, spec := range s.file.Imports {
			p, _ := strconv.Unquote(spec.Path.Value)
			g[s.pkg] = append(g[s.pkg], relative(p))
		}
	}
	return g
}

// violations returns a line per package that links a forbidden package, with the path of
// imports to it.
func (g imports) violations() []string {
	var found []string
	for _, pkg := range slices.Sorted(maps.Keys(g)) {
		linked := g.closure(pkg)
		for _, r := range importRules {
			if !covers(r.packages, r.except, pkg) {
				continue
			}
			for _, p := range slices.Sorted(maps.Keys(linked)) {
				if matchAny(r.unlinked, p) {
					found = append(found, fmt.Sprintf("%s: links %s: %s", pkg, strings.Join(linked[p], " -> "), r.reason))
				}
			}
		}
	}
	return found
}

// closure returns all direct and indirect imports of a package, each with a shortest path to
// it.
func (g imports) closure(pkg string) map[string][]string {
	ways := map[string][]string{}
	for queue := [][]string{{pkg}}; len(queue) > 0; queue = queue[1:] {
		way := queue[0]
		for _, p := range g[way[len(way)-1]] {
			if ways[p] == nil {
				ways[p] = append(slices.Clone(way), p)
				queue = append(queue, ways[p])
			}
		}
	}
	return ways
}

// A source is a file with its package, such as "./consensus/graph".
type source struct {
	name, pkg string
	fset      *token.FileSet
	file      *ast.File
}

func parseSource(name string, text any) (source, error) {
	s := source{name: filepath.ToSlash(name), fset: token.NewFileSet()}
	s.pkg = "."
	if dir := path.Dir(s.name); dir != "." {
		s.pkg = "./" + dir
	}
	var err error
	s.file, err = parser.ParseFile(s.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	return s, err
}

// parseTree parses the files of all packages, for every system.
func parseTree(t *testing.T) []source {
	t.Helper()
	testkit.SkipRaced(t)
	var files []source
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		if d.IsDir() {
			_, err := os.Stat(filepath.Join(name, "go.mod"))
			if name != "." && (strings.HasPrefix(base, ".") || base == "testdata" || err == nil) { // other modules have rules of their own
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(base, ".go") {
			return nil
		}
		s, err := parseSource(name, nil)
		if err == nil && !s.ignored() {
			files = append(files, s)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// ignored reports whether the file is a program of its own, outside all packages.
func (s source) ignored() bool {
	for _, group := range s.file.Comments {
		if group.Pos() > s.file.Package {
			break
		}
		for _, c := range group.List {
			if c.Text == "//go:build ignore" {
				return true
			}
		}
	}
	return false
}

func (s source) isTest() bool { return strings.HasSuffix(s.name, "_test.go") }

// part returns the package of the file, or "tests of" it.
func (s source) part() string {
	if s.isTest() {
		return "tests of " + s.pkg
	}
	return s.pkg
}

// violations returns a line for every rule that the file breaks.
func (s source) violations() []string {
	var found []string
	names := map[string]string{} // import paths by their names in this file
	for _, spec := range s.file.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		names[localName(spec, p)] = p
		for _, r := range importRules {
			if s.isTest() && !r.tests || !covers(r.packages, r.except, s.pkg) {
				continue
			}
			if matchAny(r.never, p) || r.only != nil && !matchAny(r.only, p) {
				found = append(found, s.line(spec.Pos(), "imports "+p, r.reason))
			}
		}
	}
	for _, r := range codeRules {
		if (r.tests || !s.isTest()) && covers(r.packages, r.except, s.pkg) {
			found = append(found, s.code(r, names)...)
		}
	}
	return found
}

func (s source) line(at token.Pos, what, reason string) string {
	return fmt.Sprintf("%s:%d: %s: %s", s.name, s.fset.Position(at).Line, what, reason)
}

// code returns a line for all code in the file that a rule forbids.
func (s source) code(r codeRule, names map[string]string) []string {
	var found []string
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			if r.routines {
				found = append(found, s.line(n.Pos(), "has a go statement", r.reason))
			}
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			if !ok {
				break
			}
			p, name := names[x.Name], n.Sel.Name
			banned := r.calls[p]
			if r.routines && p == "sync" && name == "WaitGroup" || slices.Contains(banned, name) ||
				slices.Contains(banned, "*") && !slices.Contains(r.but, name) {
				found = append(found, s.line(n.Pos(), "uses "+p+"."+name, r.reason))
			}
		}
		return true
	})
	return found
}

// localName returns the name of an import within a file.
func localName(spec *ast.ImportSpec, p string) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	base := path.Base(p)
	if len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" {
		base = path.Base(path.Dir(p)) // math/rand/v2 is rand
	}
	return base
}

func covers(packages, except []string, pkg string) bool {
	return matchAny(packages, pkg) && !matchAny(except, pkg)
}

func matchAny(patterns []string, p string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return match(pattern, p) })
}

// relative returns an import path in the form of patterns.
func relative(p string) string {
	if p == module {
		return "."
	}
	if rest, ok := strings.CutPrefix(p, module+"/"); ok {
		return "./" + rest
	}
	return p
}

// match reports whether a pattern matches an import path, or the relative path of a package.
func match(pattern, p string) bool {
	p = relative(p)
	if pattern == "std" {
		first, _, _ := strings.Cut(p, "/")
		return !strings.Contains(first, ".") && p != "C"
	}
	if below, ok := strings.CutSuffix(pattern, "/..."); ok {
		return p == below || strings.HasPrefix(p, below+"/")
	}
	return p == pattern
}

// A package whose tests do not run under the race detector starts no goroutine, and neither do
// its tests nor what it imports of this module. Loops of package parallel, and groups of members in one
// process, are exceptions: whole trainings of all kinds use them under the detector.
func TestOnlyPackagesWithoutGoroutinesLeaveOutTheRaceDetector(t *testing.T) {
	tree := parseTree(t)
	starts, left, g := map[string]string{}, map[string]bool{}, imports{}
	for _, s := range tree {
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				starts[s.part()] = s.line(n.Pos(), "has a go statement", "the race detector can find something")
			case *ast.SelectorExpr:
				if n.Sel.Name == "Go" || n.Sel.Name == "Parallel" {
					starts[s.part()] = s.line(n.Pos(), "uses "+n.Sel.Name, "the race detector can find something")
				}
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "testkit" && n.Sel.Name == "UnracedMain" {
					left[s.part()] = true
				}
			}
			return true
		})
		for _, spec := range s.file.Imports {
			p, _ := strconv.Unquote(spec.Path.Value)
			g[s.part()] = append(g[s.part()], relative(p))
		}
		if s.isTest() {
			g[s.part()] = append(g[s.part()], s.pkg)
		}
	}
	if len(left) == 0 {
		t.Error("no package leaves out the race detector")
	}
	for part := range left {
		ways := g.closure(part)
		ways[part] = []string{part}
		for p, way := range ways {
			if at, ok := starts[p]; ok && !matchAny([]string{"./internal/numeric/parallel", "./internal/testkit/...", "./netsim"}, p) {
				t.Errorf("%s: %s", strings.Join(way, " -> "), at)
			}
		}
	}
}

// The checks themselves: each source breaks one rule, or none.
func TestRulesAreChecked(t *testing.T) {
	tests := []struct{ file, text, want string }{
		{"chunking/x.go", `import "fmt"`, ""},
		{"chunking/x.go", `import "time"`, "chunking/x.go:2: imports time: "},
		{"chunking/x_test.go", `import "time"`, ""},
		{"chunking/x_test.go", `import "math/rand"`, "chunking/x_test.go:2: imports math/rand: "},
		{"chunking/x.go", `import _ "gonum.org/v1/gonum/mat"`, "imports gonum.org/v1/gonum/mat: "},
		{"chunking/x.go", `import _ "github.com/collabdict/collabdict/consensus"`, "imports " + module + "/consensus: "},
		{"consensus/graph/x.go", `import _ "gonum.org/v1/gonum/mat"`, ""},
		{"consensus/x.go", `import _ "gonum.org/v1/gonum/mat"`, "imports gonum.org/v1/gonum/mat: "},
		{"consensus/x.go", "import \"time\"\nvar d time.Duration", ""},
		{"consensus/x.go", "import \"time\"\nvar d = time.Now()", "consensus/x.go:3: uses time.Now: "},
		{"consensus/x.go", "import t \"time\"\nvar d = t.Now()", "uses time.Now: "},
		{"consensus/x.go", "func f() { go f() }", "has a go statement: "},
		{"consensus/x.go", "import \"math/rand/v2\"\nvar r = rand.New(rand.NewPCG(1, 2))", ""},
		{"consensus/x.go", "import \"math/rand/v2\"\nvar r = rand.IntN(2)", "uses math/rand/v2.IntN: "},
		{"internal/mixtures/glasso/x.go", "import \"sync\"\nvar w sync.WaitGroup", "uses sync.WaitGroup: "},
		{"gmm/x.go", `import _ "github.com/collabdict/collabdict/internal/numeric/parallel"`, ""},
		{"gmm/x.go", `import _ "github.com/collabdict/collabdict/node"`, "imports " + module + "/node: "},
		{"netsim/x.go", `import _ "github.com/libp2p/go-libp2p/core/peer"`, "imports github.com/libp2p/go-libp2p/core/peer: "},
		{"node/x.go", `import _ "github.com/libp2p/go-libp2p/core/peer"`, ""},
		{"node/x.go", "import \"time\"\nvar d = time.Now()", ""},
		{"gmm/x_test.go", "import \"gonum.org/v1/gonum/blas/blas64\"\nfunc init() { blas64.Use(nil) }", "uses gonum.org/v1/gonum/blas/blas64.Use: "},
		{"x.go", `import _ "github.com/collabdict/collabdict/cmd/collabdict"`, "imports " + module + "/cmd/collabdict: "},
	}
	for _, test := range tests {
		s, err := parseSource(test.file, "package x\n"+test.text)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(s.violations(), "\n")
		if test.want == "" && got != "" || !strings.Contains(got, test.want) {
			t.Errorf("%s with %q: got %q, want %q", test.file, test.text, got, test.want)
		}
	}
}

// A package that may not link another may not do so through a third either.
func TestLinkedPackagesAreChecked(t *testing.T) {
	var tree []source
	for name, imported := range map[string]string{
		"node/x.go": "internal/wire", "internal/wire/x.go": "internal/parts", "internal/parts/x.go": "netsim",
		"internal/parts/x_test.go": "internal/attack", "cmd/x.go": "internal/attack",
	} {
		s, err := parseSource(name, fmt.Sprintf("package x\nimport _ %q", module+"/"+imported))
		if err != nil {
			t.Fatal(err)
		}
		tree = append(tree, s)
	}
	got, want := importsOf(tree).violations(), "./node: links ./node -> ./internal/wire -> ./internal/parts -> ./netsim: "
	if len(got) != 1 || !strings.HasPrefix(got[0], want) {
		t.Errorf("got %q, want one line that begins %q", got, want)
	}
}

// Every package has a package comment. The planned packages exist, and have theirs in doc.go.
func TestPackagesAreDocumented(t *testing.T) {
	plan := []string{
		".", "./node", "./node/internal/membership", "./node/internal/rendezvous", "./node/internal/transport", "./internal/journal/store", "./consensus", "./consensus/graph", "./chunking",
		"./gmm", "./internal/mixtures/glasso", "./internal/privacy", "./internal/mixtures/fedgen", "./internal/mixtures/fedgem", "./vae", "./netsim",
		"./internal/data/dataset", "./internal/data/rows", "./internal/data/partition", "./internal/data/columnstats", "./internal/kernels/blas", "./internal/wire", "./internal/run/simulate", "./internal/run/report",
	}
	documented := map[string][]string{}
	for _, f := range parseTree(t) {
		if f.isTest() {
			continue
		}
		files := documented[f.pkg]
		if f.file.Doc != nil {
			files = append(files, path.Base(f.name))
		}
		documented[f.pkg] = files
	}
	for pkg, files := range documented {
		generated := strings.HasSuffix(pkg, "/pb")
		if len(files) != 1 && !generated {
			t.Errorf("%s: want one file with the package's documentation, got %q", pkg, files)
		}
	}
	for _, pkg := range plan {
		if !slices.Contains(documented[pkg], "doc.go") {
			t.Errorf("%s: want the package to be there with a doc.go, got %q", pkg, documented[pkg])
		}
	}
}
