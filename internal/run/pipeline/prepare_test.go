package pipeline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/columnstats"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/testkit/algorithmtest"
	"github.com/collabdict/collabdict/model"
	"github.com/collabdict/collabdict/option"
)

// Standardising by private sums puts the rows of all members near 0, with a spread of about 1, even
// if means lie far from zero and scales differ widely. So it is in small groups and in large ones.
func TestGlobalScalingIsAboutThatOfAllRows(t *testing.T) {
	mean, deviation := []float64{300, -2e6, 0.01, 5}, []float64{0.1, 30, 1e-5, 0}
	for _, size := range []int{3, 70} {
		const each = 20
		all := algorithmtest.Draw(1, each*size, mean, deviation)
		want, _, err := rows.Own(rows.InMemory(all))
		if err != nil {
			t.Fatal(err)
		}
		for _, by := range []string{Standard, Robust} {
			k := example(t, "standardise=global", "normalise="+by, "consensus.scheme=exact")
			err = network(t, k)(t.Context(), size, func(ctx context.Context, g collabdict.Group, rank int) error {
				own := all.Slice(each*rank, each*(rank+1), 0, 4).(*mat.Dense)
				got, constant, _, _, err := k.scaling(ctx, g, make([]string, 4), rows.InMemory(own), secret(rank))
				if err != nil {
					return err
				}
				if len(constant) != 1 || constant[0] != 3 {
					t.Errorf("constant columns %v, want the last", constant)
				}
				for j := range mean {
					if ratio := got.Scale[j] / want.Scale[j]; math.Abs(got.Shift[j]-want.Shift[j]) > want.Scale[j] || ratio < 0.5 || ratio > 2 {
						t.Errorf("%s: column %d: shift %g scale %g, of all rows %g and %g", by, j, got.Shift[j], got.Scale[j], want.Shift[j], want.Scale[j])
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// wide returns rows of three columns with very different means and scales, and a constant fourth
// one. The first two are correlated.
func wide(seed uint64, n int) *mat.Dense {
	x := algorithmtest.Draw(seed, n, []float64{100, -5, 0, 7}, []float64{20, 0.1, 1e-3, 0})
	for i := range n {
		x.Set(i, 1, x.At(i, 1)+0.02*x.At(i, 0))
	}
	return x
}

// All members use one scaling and the axes of all rows so scaled, and the normalisation along these
// axes.
func TestPreparedTogether(t *testing.T) {
	const members, each = 4, 50
	all := mat.NewDense(members*each, 4, nil)
	for s := range members {
		all.Slice(s*each, (s+1)*each, 0, 4).(*mat.Dense).Copy(wide(uint64(s), each))
	}
	columns := []string{"a", "b", "c", "d"}
	for _, by := range []string{Standard, MinMax} {
		k := example(t, "standardise=global", "normalise="+by, "pca=2", "blur=0")
		out := make([]*prepared, members)
		err := network(t, k)(t.Context(), members, func(ctx context.Context, g collabdict.Group, s int) (err error) {
			own := all.Slice(s*each, (s+1)*each, 0, 4).(*mat.Dense)
			out[s], err = k.prepare(ctx, g, dataset.Participant{Columns: columns, Train: rows.InMemory(own)}, secret(s))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		scaling := out[0].scaling
		axes, err := columnstats.PrincipalAxes(t.Context(), collabdict.Solo{}, scaling.Rows(rows.InMemory(all)), 2)
		if err != nil {
			t.Fatal(err)
		}
		z := rows.Onto(axes).Apply(scaling.Apply(all))
		along, _, err := OwnScaling(by, rows.InMemory(z))
		if err != nil {
			t.Fatal(err)
		}
		along.ApplyTo(z, z)
		for s, got := range out {
			if !slices.Equal(got.scaling.Scale, scaling.Scale) {
				t.Errorf("%q: member %d has another scaling", by, s)
			}
			x, err := rows.Dense(got.rows)
			if err != nil {
				t.Fatal(err)
			}
			if !mat.EqualApprox(x, z.Slice(s*each, (s+1)*each, 0, 2), 1e-3) {
				t.Errorf("%q: member %d has other rows", by, s)
			}
			if warned := strings.Join(got.warnings, ""); !strings.HasSuffix(warned, "not scaled: d") {
				t.Errorf("%q: warnings %q", by, warned)
			}
		}
	}
}

// Members end before any statistics of rows if no column varies: in the rows of all if these scale
// columns, otherwise in their own.
func TestConstantRowsAreRefused(t *testing.T) {
	for _, c := range []struct {
		standardise string
		varying     int // number of members whose rows vary
		want        int // number of members that end
	}{{"global", 0, 3}, {"global", 2, 0}, {"own", 0, 3}, {"own", 2, 1}} {
		k := example(t, "standardise="+c.standardise)
		errs := make([]error, 3)
		err := network(t, k)(t.Context(), len(errs), func(ctx context.Context, g collabdict.Group, s int) error {
			x := mat.NewDense(20, 2, nil)
			x.Apply(func(i, _ int, _ float64) float64 {
				if s < c.varying {
					return float64(i)
				}
				return 1
			}, x)
			_, errs[s] = k.prepare(ctx, g, dataset.Participant{Columns: []string{"a", "b"}, Train: rows.InMemory(x)}, secret(s))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for _, err := range errs {
			if errors.Is(err, errConstant) {
				got++
			} else if err != nil {
				t.Fatal(err)
			}
		}
		if got != c.want {
			t.Errorf("%+v: %d members end, want %d: %v", c, got, c.want, errs)
		}
	}
}

// Rows on disk stay there and are projected as they are read. They give the same model as rows in
// memory, and the model scores rows in the units of the data.
func TestProjectedRowsOnDiskGiveTheSameModel(t *testing.T) {
	x := wide(3, 600)
	path := filepath.Join(t.TempDir(), "site.csv")
	spec, err := dataset.Write(path, dataset.Participant{Name: "site", Columns: []string{"a", "b", "c", "d"}, Train: rows.InMemory(x), Test: rows.InMemory(x)})
	if err != nil {
		t.Fatal(err)
	}
	for _, standardise := range []string{"own", "global"} {
		for _, by := range []string{Standard, MinMax} {
			k := example(t, "standardise="+standardise, "normalise="+by, "pca=2", "blur=0")
			var models []*model.Model
			for _, memory := range []int64{0, 1} {
				spec.Memory = memory
				d, err := dataset.LoadOne(spec)
				if err != nil {
					t.Fatal(err)
				}
				of, err := k.prepare(t.Context(), collabdict.Solo{}, d.Participants[0], nil)
				if err != nil {
					t.Fatal(err)
				}
				if _, held := of.rows.(rows.Matrix); held != (memory == 0) {
					t.Errorf("memory %d: rows are %T", memory, of.rows)
				}
				r, err := k.Fit(t.Context(), collabdict.Solo{}, d.Participants[0], nil, nil)
				if err != nil {
					t.Fatal(err)
				}
				models = append(models, r.Model)
			}
			if !slices.Equal(values(models[0]), values(models[1])) {
				t.Errorf("%s, %q: two models", standardise, by)
			}
			m := models[0]
			above := 0
			for _, s := range score(t, m, x) {
				if s > m.Manifest.Threshold {
					above++
				}
			}
			if above != 6 || m.Dim() != 2 || m.Manifest.PCA.Axes != 2 {
				t.Errorf("%s, %q: %d of 600 rows above the threshold for one in a hundred; %d dimensions", standardise, by, above, m.Dim())
			}
		}
	}
}

func TestPreparationIsChecked(t *testing.T) {
	for want, change := range map[string][]string{
		"normalise: want standard, minmax or robust, got \"x\"":                     {"normalise=x"},
		"normalise: minmax of columns needs the ranges of all rows or of own rows:": {"normalise=minmax", "standardise=none"},
		"normalise: want standard or robust for the model ggm, whose noise":         {"normalise=minmax"},
		"pca: want at least 1, got -1":                                              {"pca=-1"},
		"pca: want at most 2 axes, one per column, got 3":                           {"pca=3"},
	} {
		k, err := attempt("ggm", append(quick["ggm"], change...)...)
		if err == nil {
			err = k.CheckColumns(2)
		}
		var e *option.Error
		if !errors.As(err, &e) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	for _, change := range []string{"normalise=robust", "pca=2"} {
		if fmt.Sprint(example(t, change).Fields(nil)) == fmt.Sprint(example(t).Fields(nil)) {
			t.Errorf("%s is not in the fields", change)
		}
	}
}

// A warning counts the axes beyond the rank of the rows. Such axes keep length 1: they are not
// scaled by variances that are only rounding errors.
func TestFlatAxes(t *testing.T) {
	x := algorithmtest.Draw(1, 40, []float64{1, 2, 3, 4}, []float64{1, 1, 0, 0})
	p := dataset.Participant{Columns: []string{"a", "b", "c", "d"}, Train: rows.InMemory(x)}
	of, err := example(t, "pca=4", "standardise=none").prepare(t.Context(), collabdict.Solo{}, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(of.warnings, ""); got != "pca: 2 of the 4 axes have no variance: use at most 2" {
		t.Errorf("warnings %q", got)
	}
	for seed := range uint64(5) {
		x.Copy(algorithmtest.Draw(seed, 40, []float64{1, 2, 0, 0}, []float64{1, 1, 0, 0}))
		for i := range 40 {
			x.Set(i, 2, 0.3*x.At(i, 0)+0.7*x.At(i, 1))
			x.Set(i, 3, x.At(i, 0)/3-x.At(i, 1)/7)
		}
		if of, err = example(t, "pca=4", "standardise=none").prepare(t.Context(), collabdict.Solo{}, p, nil); err != nil {
			t.Fatal(err)
		}
		for i := 2; i < 4; i++ {
			if axis := mat.Norm(of.projection.Axes.RowView(i), 2); math.Abs(axis-1) > 1e-6 {
				t.Errorf("seed %d: flat axis %d is of length %g", seed, i, axis)
			}
		}
	}
}

// OwnScaling returns the scaling of the requested kind.
func TestOwnScaling(t *testing.T) {
	x := rows.InMemory(wide(1, 30))
	got, constant, err := OwnScaling(MinMax, x)
	low, size, none, errWant := columnstats.OwnExtremes(x)
	if err != nil || errWant != nil || !slices.Equal(got.Shift, low) || !slices.Equal(got.Scale, size) || !slices.Equal(constant, none) || math.IsNaN(got.Scale[0]) {
		t.Errorf("got %v, want %v and %v", got, low, size)
	}
	got, _, err = OwnScaling(Standard, x)
	want, _, errWant := rows.Own(x)
	if err != nil || errWant != nil || fmt.Sprint(got) != fmt.Sprint(want) || slices.Equal(got.Scale, size) {
		t.Errorf("got %v, want %v", got, want)
	}
}
