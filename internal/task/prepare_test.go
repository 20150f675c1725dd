package task

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
	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/extremes"
	"github.com/collabdict/collabdict/internal/model"
	"github.com/collabdict/collabdict/internal/pca"
	"github.com/collabdict/collabdict/netsim"
)

// wide are rows of three columns in far units, of which the first two go together, and
// a fourth that is constant.
func wide(seed uint64, n int) *mat.Dense {
	x := rows(seed, n, []float64{100, -5, 0, 7}, []float64{20, 0.1, 1e-3, 0})
	for i := range n {
		x.Set(i, 1, x.At(i, 1)+0.02*x.At(i, 0))
	}
	return x
}

// All members scale by and project to what the rows of all in one place have, and then
// normalise along the axes.
func TestPreparedTogether(t *testing.T) {
	const members, each = 4, 50
	all := mat.NewDense(members*each, 4, nil)
	for s := range members {
		all.Slice(s*each, (s+1)*each, 0, 4).(*mat.Dense).Copy(wide(uint64(s), each))
	}
	columns := []string{"a", "b", "c", "d"}
	for _, by := range []Normalise{Standard, MinMax} {
		scaling, _, err := OwnScaling(by, dataset.InMemory(all))
		if err != nil {
			t.Fatal(err)
		}
		want, err := pca.Fit(t.Context(), collabdict.Solo{}, scaling.Rows(dataset.InMemory(all)), 2)
		if err != nil {
			t.Fatal(err)
		}
		z := want.Apply(scaling.Apply(all))
		along, _, err := OwnScaling(by, dataset.InMemory(z))
		if err != nil {
			t.Fatal(err)
		}
		along.ApplyTo(z, z)
		k := example()
		k.Standardise, k.Normalise, k.PCA = Global, by, 2
		net, err := netsim.New(netsim.Config{Names: netsim.Names(members), Settings: k.Settings, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		_, err = net.Run(t.Context(), func(ctx context.Context, s int, g collabdict.Group) error {
			own := all.Slice(s*each, (s+1)*each, 0, 4).(*mat.Dense)
			got, err := k.prepare(ctx, g, dataset.Participant{Columns: columns, Train: dataset.InMemory(own)})
			if err != nil {
				return err
			}
			x, err := dataset.Dense(got.rows)
			if err != nil {
				return err
			}
			if !mat.EqualApprox(x, z.Slice(s*each, (s+1)*each, 0, 2), 1e-3) {
				t.Errorf("%q: member %d has other rows", by, s)
			}
			if warned := strings.Join(got.warnings, ""); !strings.HasSuffix(warned, "left unscaled: d") {
				t.Errorf("%q: warnings %q", by, warned)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Rows on disk stay there, projected as they are read, and give the model of those in
// memory, which scores rows in the units of the data.
func TestProjectedRowsOnDiskGiveTheSameModel(t *testing.T) {
	x := wide(3, 600)
	path := filepath.Join(t.TempDir(), "site.csv")
	spec, err := dataset.Write(path, dataset.Participant{Name: "site", Columns: []string{"a", "b", "c", "d"}, Train: dataset.InMemory(x), Test: dataset.InMemory(x)})
	if err != nil {
		t.Fatal(err)
	}
	for _, standardise := range []Standardise{Own, Global} {
		for _, by := range []Normalise{Standard, MinMax} {
			k := example()
			k.Standardise, k.Normalise, k.PCA = standardise, by, 2
			var models []*model.Model
			for _, memory := range []int64{0, 1} {
				spec.Memory = memory
				d, err := dataset.LoadOne(spec)
				if err != nil {
					t.Fatal(err)
				}
				of, err := k.prepare(t.Context(), collabdict.Solo{}, d.Participants[0])
				if err != nil {
					t.Fatal(err)
				}
				if _, held := of.rows.(dataset.Matrix); held != (memory == 0) {
					t.Errorf("memory %d: rows are %T", memory, of.rows)
				}
				r, err := k.Train(t.Context(), collabdict.Solo{}, d.Participants[0], nil)
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
			for _, s := range score(m, x) {
				if s > m.Manifest.Threshold {
					above++
				}
			}
			if above != 6 || m.Mixture().Dim() != 2 || m.Manifest.PCA.Axes != 2 {
				t.Errorf("%s, %q: %d of 600 rows above the threshold for one in a hundred; %d dimensions", standardise, by, above, m.Mixture().Dim())
			}
		}
	}
}

func TestPreparationIsChecked(t *testing.T) {
	for want, change := range map[string]func(*Task){
		"normalise: want standard or minmax, got \"x\"":                                func(t *Task) { t.Normalise = "x" },
		"normalise: minmax of columns wants the ranges of all rows or of the own ones": func(t *Task) { t.Normalise, t.Standardise = MinMax, None },
		"pca: want at least 1 axis, or 0 for none, got -1":                             func(t *Task) { t.PCA = -1 },
		"pca: want at most 2 axes, as many as columns, got 3":                          func(t *Task) { t.PCA = 3 },
	} {
		k := example()
		change(&k)
		err := k.Validate()
		if err == nil {
			err = k.CheckColumns(2)
		}
		var e *Error
		if !errors.As(err, &e) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	for i, change := range []func(*Task){func(t *Task) { t.Normalise = MinMax }, func(t *Task) { t.PCA = 2 }} {
		k := example()
		change(&k)
		if fmt.Sprint(k.Fields(nil)) == fmt.Sprint(example().Fields(nil)) {
			t.Errorf("change %d is not in the fields", i)
		}
	}
}

// What preparing rows tells of them is in the ledger, and told.
func TestWhatPreparingTells(t *testing.T) {
	k := example()
	if len(k.learned()) > 0 || len(k.ShownWarnings()) > 0 {
		t.Errorf("nothing was learned, got %q", k.ShownWarnings())
	}
	k.PCA, k.Normalise, k.Standardise = 2, MinMax, Global
	list := strings.Join(k.published(collabdict.Solo{}), "\n")
	for _, want := range []string{"in sums over all members: the mean and the covariance matrix", "the smallest and the largest value", "in the units of the data, as scaled, as scaled about the common mean, along the principal axes, as trained on"} {
		if !strings.Contains(list, want) {
			t.Errorf("%q is not in %s", want, list)
		}
	}
	if w := k.ShownWarnings(); len(w) != 1 || !strings.Contains(w[0], "covariance matrix") {
		t.Errorf("warnings %q", w)
	}
	if k.Standardise = Own; strings.Contains(strings.Join(k.learned(), ""), "of each column the smallest") {
		t.Error("own ranges are nobody else's")
	}
}

// So is what a start by the ranges of all tells, but not twice.
func TestWhatAStartTells(t *testing.T) {
	for _, c := range []struct {
		change func(*Task)
		want   string
		times  int
	}{
		{func(*Task) {}, "of each column, as trained on, the smallest and the largest", 1},
		{func(t *Task) { t.Normalise, t.Standardise = MinMax, Own }, "of each column, as trained on, the smallest and the largest", 1},
		{func(t *Task) { t.PCA = 2 }, "of each principal axis, as trained on, the smallest and the largest", 1},
		{func(t *Task) { t.Normalise, t.Standardise = MinMax, Global }, "the smallest and the largest", 1},
		{func(t *Task) { t.Normalise, t.Standardise, t.PCA = MinMax, None, 2 }, "the smallest and the largest", 1},
		{func(t *Task) { t.Start = KFed }, "the smallest and the largest", 0},
	} {
		k := mixtureTask(model.DEM)
		k.Start = Spread
		c.change(&k)
		list := strings.Join(k.published(collabdict.Solo{}), "\n")
		if got := strings.Count(list, c.want); got != c.times || strings.Count(list, "smallest") != c.times {
			t.Errorf("%q is there %d times, want %d: %s", c.want, got, c.times, list)
		}
	}
}

// Standardising by the moments of all tells their products, which rounds may not.
func TestMomentsAreListedWhereRoundsDoNotTellThem(t *testing.T) {
	for _, c := range []struct {
		kind       model.Kind
		covariance string
		rounds     int
		listed     bool
	}{
		{model.GGM, "", 5, false},
		{model.DEM, "full", 5, false},
		{model.DEM, "diag", 5, true},
		{model.FedGen, "full", 5, false},
		{model.FedGen, "full", 1, true},
		{model.FedGEM, "full", 5, true},
	} {
		k := Task{Model: c.kind, Covariance: c.covariance, Rounds: c.rounds, Standardise: Global}
		if list := strings.Join(k.learned(), ""); strings.Contains(list, "covariance matrix of all") != c.listed {
			t.Errorf("%+v: %q", c, list)
		}
	}
}

// Axes beyond the rank of the rows are told.
func TestFlatAxes(t *testing.T) {
	k := example()
	k.PCA, k.Standardise = 4, None
	of, err := k.prepare(t.Context(), collabdict.Solo{}, dataset.Participant{Columns: []string{"a", "b", "c", "d"}, Train: dataset.InMemory(rows(1, 40, []float64{1, 2, 3, 4}, []float64{1, 1, 0, 0}))})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(of.warnings, ""); got != "pca: 2 of the 4 axes have no variance: take at most 2" {
		t.Errorf("warnings %q", got)
	}
}

// The scaling of the own rows is that of the kind asked for.
func TestOwnScaling(t *testing.T) {
	x := dataset.InMemory(wide(1, 30))
	got, _, err := OwnScaling(MinMax, x)
	want, _, errWant := extremes.Own(x)
	if err != nil || errWant != nil || fmt.Sprint(got) != fmt.Sprint(want) || math.IsNaN(got.Scale[0]) {
		t.Errorf("got %v, want %v", got, want)
	}
}
