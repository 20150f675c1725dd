package glasso

import (
	"compress/gzip"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// known is a problem and its solution, computed by an independent program.
type known struct {
	S         [][]float64
	Rho       float64
	Penalised bool `json:"penalize_diagonal"`
	Precision [][]float64
	LogDet    float64
}

func readKnown(t testing.TB, name string) known {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var k known
	if err := json.NewDecoder(z).Decode(&k); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return k
}

func sym(rows [][]float64) *mat.SymDense {
	s := mat.NewSymDense(len(rows), nil)
	for i, r := range rows {
		for j, v := range r {
			s.SetSym(i, j, v)
		}
	}
	return s
}

func (k known) problem() Problem {
	return Problem{S: sym(k.S), Penalty: k.Rho, FreeDiagonal: !k.Penalised}
}

func maxDiff(a, b mat.Matrix) (d float64) {
	m, _ := a.Dims()
	for i := range m {
		for j := range m {
			d = math.Max(d, math.Abs(a.At(i, j)-b.At(i, j)))
		}
	}
	return d
}

func TestKnownAnswers(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json.gz")
	if err != nil || len(files) != 12 {
		t.Fatalf("%d files of known answers, want 12 (%v)", len(files), err)
	}
	for _, name := range files {
		k := readKnown(t, name)
		r, err := k.problem().Solve(nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := sym(k.Precision)
		if d := maxDiff(r.Precision, want); d > 1e-6 {
			t.Errorf("%s: precision differs by %g, want at most 1e-6", name, d)
		}
		if d := math.Abs(r.LogDet - k.LogDet); d > 1e-6 {
			t.Errorf("%s: ln|Λ| = %g differs by %g, want at most 1e-6", name, r.LogDet, d)
		}
		for i := range len(k.S) {
			for j := range len(k.S) {
				if (r.Precision.At(i, j) == 0) != (math.Abs(want.At(i, j)) < 1e-9) {
					t.Errorf("%s: Λ[%d,%d] = %g, want %g: zeros must be exact", name, i, j, r.Precision.At(i, j), want.At(i, j))
				}
			}
		}
	}
}

func BenchmarkGlasso(b *testing.B) {
	k := readKnown(b, "testdata/p60-rho0.05-diag.json.gz")
	full := k.problem()
	sub := full.S.(*mat.SymDense).SliceSym(0, 38)
	for _, c := range []struct {
		name string
		p    Problem
	}{{"p38", Problem{S: sub, Penalty: 0.05}}, {"p60", full}} {
		cold, err := c.p.Solve(nil)
		if err != nil {
			b.Fatal(err)
		}
		for name, start := range map[string]*mat.SymDense{"cold": nil, "warm": cold.Precision} {
			b.Run(c.name+"/"+name, func(b *testing.B) {
				for b.Loop() {
					if _, err := c.p.Solve(start); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
