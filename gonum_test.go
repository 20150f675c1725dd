package collabdict_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/collabdict/collabdict/internal/testkit"
)

const gonum = "gonum.org/v1/gonum/"

// fromGonum lists the parts of gonum that packages may use: matrices as storage, operations with
// one rounding per value, and functions of one number. These functions are as well defined as
// those of package math. Methods and fields are listed by name.
var fromGonum = map[string][]string{
	"blas": {"Uplo", "Transpose", "Diag", "Side", "Upper", "Lower", "NoTrans", "Trans", "NonUnit", "Unit", "Left", "Right"},
	"mat": {
		"Matrix", "Symmetric", "Dense", "SymDense", "NewDense", "NewSymDense", "TriDense", "NewTriDense", "Upper", "DenseCopyOf", "Row", "Trace",
		"Dims", "SymmetricDim", "At", "Set", "SetSym", "SetRow", "Copy", "CopySym", "Apply", "ScaleSym", "Slice",
		"RawMatrix", "RawRowView", "RawSymmetric", "RawTriangular",
	},
	"blas/blas64": {"Data", "Stride", "Rows", "Cols", "N"}, // the fields of raw matrices
	"floats":      {"Add", "AddConst", "AddTo", "MaxIdx", "Min", "MulTo", "Scale", "ScaleTo", "Sub", "SubTo"},
	"mathext":     {"NormalQuantile"},
	"stat/distuv": {"ChiSquared", "K", "Quantile"},
}

// ofGonum lists the packages that may use all of gonum, because members do not share their
// results.
var ofGonum = []string{
	"./internal/cli", "./internal/attack/...", "./internal/bench", "./internal/kernels/...",
	"./internal/numeric/latent", "./internal/numeric/metrics", "./internal/plots",
	"./internal/privacy/release",   // one member makes it alone
	"./internal/testkit/audittest", // for tests
	"./consensus/graph",            // its eigenvalues are rounded to fewer digits before use
}

// gonum's matrices compute by a registry, and by kernels that differ between architectures and
// builds. Members that learn from the same totals must hold the same bits, whatever program has
// imported the packages. So packages whose results are shared compute with internal/kernels and
// internal/numeric/portable.
func TestSharedResultsOweNothingToGonum(t *testing.T) {
	for _, p := range listPackages(t) {
		if matchAny(ofGonum, p.name()) {
			continue
		}
		for _, use := range p.uses(t, nil) {
			if of := strings.TrimPrefix(use.pkg, gonum); !slices.Contains(fromGonum[of], use.name) {
				t.Errorf("%s: %s.%s: its bits are not defined: use internal/kernels or internal/numeric/portable", use.at, of, use.name)
			}
		}
	}
}

// The check also finds calls by another name, and calls of a value.
func TestUsesOfGonumAreSeen(t *testing.T) {
	for _, p := range listPackages(t) {
		if p.name() != "./internal/mixtures/glasso" {
			continue
		}
		p.GoFiles = []string{"doc.go"}
		const text = `package x
			import (
				b "gonum.org/v1/gonum/blas/blas64"
				m "gonum.org/v1/gonum/mat"
			)
			type own struct{ *m.Dense }
			func f(x own) { x.Mul(x, x); b.Use(nil) }`
		var got []string
		for _, u := range p.uses(t, text) {
			got = append(got, u.name)
		}
		if want := []string{"Dense", "Mul", "Use"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// listed is a package as the go command lists it.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	fset                    *token.FileSet
	importer                types.Importer // of all packages; it reads each once
}

func (p listed) name() string { return strings.Replace(p.ImportPath, module, ".", 1) }

// listPackages returns the module's packages, compiled.
func listPackages(t *testing.T) []listed {
	t.Helper()
	testkit.SkipRaced(t)
	own, err := packages()
	if err != nil {
		t.Fatal(err)
	}
	return own
}

var packages = sync.OnceValues(func() (own []listed, err error) {
	list := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles", "./...")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, err
	}
	exports, fset := map[string]string{}, token.NewFileSet()
	compiled := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("no export data of %s", path)
		}
		return os.Open(exports[path])
	})
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		p := listed{fset: fset, importer: compiled}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return own, nil
		} else if err != nil {
			return nil, err
		}
		exports[p.ImportPath] = p.Export
		if p.ImportPath == module || strings.HasPrefix(p.ImportPath, module+"/") {
			own = append(own, p)
		}
	}
})

// A use is a place where a package uses a declaration of gonum.
type use struct{ at, pkg, name string }

// uses returns the uses of gonum in the package's code, or in the given text instead.
func (p listed) uses(t *testing.T, text any) (found []use) {
	t.Helper()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(p.fset, filepath.Join(p.Dir, name), text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	config := types.Config{Importer: p.importer}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	if _, err := config.Check(p.ImportPath, p.fset, files, &info); err != nil {
		t.Fatal(err)
	}
	for id, o := range info.Uses {
		if _, isName := o.(*types.PkgName); !isName && o.Pkg() != nil && strings.HasPrefix(o.Pkg().Path(), gonum) {
			found = append(found, use{p.fset.Position(id.Pos()).String(), o.Pkg().Path(), o.Name()})
		}
	}
	slices.SortFunc(found, func(a, b use) int { return strings.Compare(a.at, b.at) })
	return found
}
