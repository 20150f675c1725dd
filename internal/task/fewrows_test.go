package task

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/lockstep"
	"github.com/collabdict/collabdict/internal/model"
)

// overheard is a group that notes what one member gathers.
type overheard struct {
	collabdict.Group
	mu    *sync.Mutex
	blobs *[][]byte
}

func (g overheard) Gather(ctx context.Context, blob []byte) ([][]byte, error) {
	g.mu.Lock()
	*g.blobs = append(*g.blobs, slices.Clone(blob))
	g.mu.Unlock()
	return g.Group.Gather(ctx, blob)
}

// published trains in lock step and returns what each member has gathered, by rank, and
// the results.
func published(t *testing.T, k Task, parts []dataset.Participant) ([][][]byte, []*Result) {
	t.Helper()
	blobs, results := make([][][]byte, len(parts)), make([]*Result, len(parts))
	err := lockstep.Run(t.Context(), len(parts), func(ctx context.Context, g collabdict.Group, s int) (err error) {
		results[s], err = k.Train(ctx, overheard{g, &sync.Mutex{}, &blobs[s]}, parts[s], nil)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return blobs, results
}

// reads says whether a blob has somewhere, in whatever format, the values of a row one
// behind the other, each to within tol.
func reads(blob []byte, row []float64, tol float64) bool {
	for at := 0; at+8*len(row) <= len(blob); at++ {
		found := true
		for i, v := range row {
			got := math.Float64frombits(binary.BigEndian.Uint64(blob[at+8*i:]))
			found = found && math.Abs(got-v) <= tol
		}
		if found {
			return true
		}
	}
	return false
}

// A row that is far from all others is in no component that is shown, whatever kind shows
// components.
func TestAFarRowIsNotShown(t *testing.T) {
	far := []float64{60, -45}
	fedgen, fedgem, dem := mixtureTask(model.FedGen), mixtureTask(model.FedGEM), mixtureTask(model.DEM)
	fedgen.Components, fedgen.Rounds = 3, 1
	fedgem.Components = 3
	dem.Components, dem.Start = 4, KFed // of which each member has three
	for _, k := range []Task{fedgen, fedgem, dem} {
		for _, form := range []string{"full", "spherical"} {
			k.Covariance = form
			if err := k.Validate(); err != nil {
				t.Fatal(err)
			}
			for seed := range uint64(5) {
				k.Seed = seed
				parts, _ := clusters(3)
				x := rows(seed, 61, []float64{-3, 1}, []float64{1, 0.5})
				for i := range 30 {
					x.Set(i, 0, x.At(i, 0)+7)
				}
				x.SetRow(60, far)
				parts[0].Train = dataset.InMemory(x)
				blobs, _ := published(t, k, parts)
				for n, blob := range blobs[0] {
					if reads(blob, far, 0.01) {
						t.Errorf("%s, %s, seed %d: gather %d of %d shows the far row", k.Model, form, seed, n+1, len(blobs[0]))
					}
				}
			}
		}
	}
}

// What a member shows in one gather less what it shows in another is of no single row: a
// row that is counted here and not there would be the difference of the sums over that of
// the counts.
func TestDifferencesBetweenGathersShowNoRow(t *testing.T) {
	const seeds, members, each = 20, 5, 30
	read := 0
	for seed := range uint64(seeds) {
		k := mixtureTask(model.FedGEM)
		k.Components, k.Seed = 3, seed
		var parts []dataset.Participant
		for s := range members {
			x := rows(100*seed+uint64(s), each, []float64{0, 0, 0}, []float64{1, 1, 1})
			for i := range each {
				x.Set(i, i%3, x.At(i, i%3)+4)
			}
			parts = append(parts, dataset.Participant{Name: fmt.Sprint("p", s), Columns: []string{"x", "y", "z"}, Train: dataset.InMemory(x)})
		}
		blobs, _ := published(t, k, parts)
		for s, p := range parts {
			x, err := dataset.Dense(p.Train)
			if err != nil {
				t.Fatal(err)
			}
			var guesses [][]float64
			for n := range blobs[s] {
				for before := range n {
					guesses = append(guesses, differences(blobs[s][before], blobs[s][n])...)
				}
			}
			for i := range each {
				hit := func(guess []float64) bool { return floats.Distance(guess, x.RawRowView(i), math.Inf(1)) <= 0.01 }
				if slices.ContainsFunc(guesses, hit) {
					read++
				}
			}
		}
	}
	if read > 0 {
		t.Errorf("over %d seeds %d of %d rows are read to within 0.01 standard deviations in every column", seeds, read, seeds*members*each)
	}
}

// Who has fewer rows than a component may be of shows nothing: what the others show, and
// the sums over all, would leave its own.
func TestTooFewRowsToShowAnything(t *testing.T) {
	for _, kind := range []model.Kind{model.FedGen, model.FedGEM, model.DEM} {
		k := mixtureTask(kind)
		if k.Components = 2; kind == model.DEM {
			k.Start = KFed
		}
		parts, _ := clusters(3)
		parts[1].Train = dataset.InMemory(rows(1, 4, []float64{-3, 1}, []float64{1, 0.5}))
		err := lockstep.Run(t.Context(), 3, func(ctx context.Context, g collabdict.Group, s int) error {
			var blobs [][]byte
			_, err := k.Train(ctx, overheard{g, &sync.Mutex{}, &blobs}, parts[s], nil)
			if s == 1 && len(blobs) > 0 {
				t.Errorf("%s: %d gathers by a member of 4 rows", kind, len(blobs))
			}
			return err
		})
		if err == nil || !strings.Contains(err.Error(), "min-rows: want at least 5 training rows of each participant, got 4 of p1") {
			t.Errorf("%s: got %v", kind, err)
		}
	}
}

// What is merged is told to whose it is, and the rule is in the list of what is shown.
func TestMergedComponentsAreTold(t *testing.T) {
	for _, kind := range []model.Kind{model.FedGen, model.FedGEM, model.DEM} {
		k := mixtureTask(kind)
		if k.Components = 3; kind == model.DEM {
			k.Components, k.Start = 4, KFed
		}
		parts, _ := clusters(3)
		x, err := dataset.Dense(parts[0].Train)
		if err != nil {
			t.Fatal(err)
		}
		x.SetRow(0, []float64{60, -45})
		parts[0].Train = dataset.InMemory(x)
		_, results := published(t, k, parts)
		if w := strings.Join(results[0].Warnings, "; "); !strings.Contains(w, "privacy: own components of fewer than 5 rows (1) were merged") {
			t.Errorf("%s: %q", kind, w)
		}
		if w := strings.Join(results[2].Warnings, "; "); strings.Contains(w, "were merged") {
			t.Errorf("%s: %q", kind, w)
		}
		if list := strings.Join(results[0].Model.Manifest.Privacy.Published, "; "); !strings.Contains(list, "at least 5 rows") {
			t.Errorf("%s: %q", kind, list)
		}
	}
}

func TestOptionsOfFewRows(t *testing.T) {
	for want, change := range map[string]func(*Task){
		"min-rows: want at least 1, got -1":                     func(t *Task) { t.MinRows = -1 },
		"min-rows: the model ggm has none":                      func(t *Task) { *t = example(); t.MinRows = 5 },
		"min-rows: the start spread shows no clusters":          func(t *Task) { *t = mixtureTask(model.DEM); t.MinRows = 5 },
		"min-rows: want none with epsilon, since noise hides":   func(t *Task) { t.MinRows, t.Privacy = 5, Privacy{1, 1e-5, 3} },
		"final: want one factor, or chi-square, with min-rows ": func(t *Task) { t.Final = "factor=1,2" },
	} {
		k := mixtureTask(model.FedGEM)
		change(&k)
		if err := k.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	// Whoever leaves the bound out has the default, and agrees with who says it.
	for _, kind := range []model.Kind{model.FedGen, model.FedGEM, model.DEM} {
		fields := map[int]string{}
		for _, least := range []int{0, 1, 5} {
			k := mixtureTask(kind)
			if k.MinRows = least; kind == model.DEM {
				k.Start = KFed
			}
			if err := k.Validate(); err != nil {
				t.Fatal(err)
			}
			fields[least] = fmt.Sprint(k.Fields(nil))
		}
		if fields[0] != fields[5] || fields[0] == fields[1] || !strings.Contains(fields[0], "{min rows 5}") {
			t.Errorf("%s: %v", kind, fields)
		}
	}
	for _, k := range []Task{example(), mixtureTask(model.DEM)} {
		if fields := fmt.Sprint(k.Fields(nil)); strings.Contains(fields, "min rows") {
			t.Errorf("%s: %s", k.Model, fields)
		}
	}
}

// Alone nothing is shown, so rows may be few, and components of few.
func TestFewRowsAlone(t *testing.T) {
	p := dataset.Participant{Name: "a", Columns: []string{"x", "y"}, Train: dataset.InMemory(rows(1, 4, []float64{-3, 1}, []float64{1, 0.5}))}
	for _, kind := range []model.Kind{model.FedGen, model.FedGEM} {
		k := mixtureTask(kind)
		k.Components, k.FalseAlarm = 3, 0.5
		r, err := k.Train(t.Context(), collabdict.Solo{}, p, nil)
		if err != nil || r.Model.Components() != 3 || len(r.Warnings) > 0 {
			t.Errorf("%s: %+v, %v", kind, r, err)
		}
	}
}

// differences returns for each cluster what a single row would be that it has in one
// gather of fedgem and not in the other: Δ(N·M)/ΔN.
func differences(before, after []byte) (out [][]float64) {
	k, dim := int(binary.BigEndian.Uint16(before[4:])), int(binary.BigEndian.Uint16(before[6:]))
	value := func(blob []byte, i int) float64 {
		return math.Float64frombits(binary.BigEndian.Uint64(blob[8+8*i:]))
	}
	for c := range k {
		at := c * (3 + dim)
		n0, n1 := value(before, at), value(after, at)
		if math.Abs(n1-n0) < 1e-9 {
			continue
		}
		guess := make([]float64, dim)
		for j := range guess {
			guess[j] = (n1*value(after, at+3+j) - n0*value(before, at+3+j)) / (n1 - n0)
		}
		out = append(out, guess)
	}
	return out
}
