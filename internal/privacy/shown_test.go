package privacy_test

import (
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/mixtures/dem"
	"github.com/collabdict/collabdict/internal/mixtures/fedgem"
	"github.com/collabdict/collabdict/internal/mixtures/fedgen"
	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/internal/testkit/algorithmtest"
	"github.com/collabdict/collabdict/internal/testkit/lockstep"
)

// overheard is a group that records what one member gathers.
type overheard struct {
	collabdict.Group
	blobs *[][]byte
}

func (g overheard) Gather(ctx context.Context, e collabdict.Entry, blob []byte) ([][]byte, error) {
	*g.blobs = append(*g.blobs, slices.Clone(blob))
	return g.Group.Gather(ctx, e, blob)
}

// published trains in lock step, and returns what each member has gathered, by rank, and the
// outcomes.
func published(ctx context.Context, a algorithm.Algorithm, data []algorithm.Data) ([][][]byte, []algorithm.Outcome, error) {
	blobs, out := make([][][]byte, len(data)), make([]algorithm.Outcome, len(data))
	err := lockstep.Run(ctx, len(data), func(ctx context.Context, g collabdict.Group, s int) (err error) {
		out[s], err = a.Learn(ctx, overheard{g, &blobs[s]}, data[s], func(algorithm.Progress) {})
		return err
	})
	return blobs, out, err
}

// normal returns rows about a middle. The first few are moved along the first column.
func normal(seed uint64, n, moved int, middle ...float64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := mat.NewDense(n, len(middle), nil)
	for i := range n {
		for j, m := range middle {
			if x.Set(i, j, m+rng.NormFloat64()); j == 0 && i < moved {
				x.Set(i, j, x.At(i, j)+7)
			}
		}
	}
	return x
}

// three returns the rows of three participants; the first has a row far from all others.
func three(seed uint64, far ...float64) []algorithm.Data {
	x := normal(seed, 61, 30, -3, 1)
	if far != nil {
		x.SetRow(60, far)
	}
	return algorithmtest.Data(seed, x, normal(100, 60, 30, -3, 1), normal(101, 60, 45, -3, 1))
}

// showing lists the algorithms that show components of a participant, with their number.
var showing = []struct {
	kind     algorithm.Kind
	settings []string
}{
	{fedgen.Kind, []string{"components=3"}},
	{fedgem.Kind, []string{"components=3"}},
	{dem.Kind, []string{"components=4", "start=k-fed", "rounds=3"}}, // each member has three of them
}

// reads reports whether a blob has the values of a row in a sequence, in any format, each to
// within tol.
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

// A row that is far from all others is in no component that is shown, whichever algorithm shows
// components.
func TestAFarRowIsNotShown(t *testing.T) {
	far := []float64{60, -45}
	for _, s := range showing {
		for _, form := range []string{"full", "spherical"} {
			a := algorithmtest.New(t, s.kind, append(s.settings, "covariance="+form)...)
			for seed := range uint64(5) {
				blobs, _, err := published(t.Context(), a, three(seed, far...))
				if err != nil {
					t.Fatal(err)
				}
				for n, blob := range blobs[0] {
					if reads(blob, far, 0.01) {
						t.Errorf("%s, %s, seed %d: gather %d of %d shows the far row", s.kind.Name, form, seed, n+1, len(blobs[0]))
					}
				}
			}
		}
	}
}

// The difference between two messages of a member does not show a single row. A row counted in only
// one of them would be the difference of the sums divided by the difference of the counts.
func TestDifferencesBetweenGathersShowNoRow(t *testing.T) {
	const seeds, members, each = 20, 5, 30
	read := 0
	for seed := range uint64(seeds) {
		var parts []*mat.Dense
		for s := range members {
			x := normal(100*seed+uint64(s), each, 0, 0, 0, 0)
			for i := range each {
				x.Set(i, i%3, x.At(i, i%3)+4)
			}
			parts = append(parts, x)
		}
		blobs, _, err := published(t.Context(), algorithmtest.New(t, fedgem.Kind, "components=3"), algorithmtest.Data(seed, parts...))
		if err != nil {
			t.Fatal(err)
		}
		for s, x := range parts {
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

// differences returns, for each cluster, the single row that would explain the difference
// between two gathers of fedgem: Δ(N·M)/ΔN.
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

// A participant with fewer rows than the smallest component shows nothing. Otherwise the components
// of the others, together with the sums over all, would reveal its sums.
func TestTooFewRowsToShowAnything(t *testing.T) {
	for _, s := range showing {
		data := three(1)
		data[1].Rows = algorithmtest.Matrix(normal(1, 4, 0, -3, 1))
		blobs, _, err := published(t.Context(), algorithmtest.New(t, s.kind, s.settings...), data)
		if err == nil || !strings.Contains(err.Error(), "min-rows: want at least 5 training rows of each participant, got 4 of b") {
			t.Errorf("%s: got %v", s.kind.Name, err)
		}
		if len(blobs[1]) > 0 {
			t.Errorf("%s: %d gathers by a member of 4 rows", s.kind.Name, len(blobs[1]))
		}
	}
}

// A participant gets a warning about its merged components.
func TestMergedComponentsCauseAWarning(t *testing.T) {
	for _, s := range showing {
		_, out, err := published(t.Context(), algorithmtest.New(t, s.kind, s.settings...), three(1, 60, -45))
		if err != nil {
			t.Fatal(err)
		}
		if w := strings.Join(out[0].Warnings, "; "); !strings.Contains(w, "privacy: own components of fewer than 5 rows (1) were merged") {
			t.Errorf("%s: %q", s.kind.Name, w)
		}
		if w := strings.Join(out[2].Warnings, "; "); strings.Contains(w, "were merged") {
			t.Errorf("%s: %q", s.kind.Name, w)
		}
	}
}

// A participant alone shows nothing, so it may have few rows, and components of few rows.
func TestFewRowsAlone(t *testing.T) {
	d := algorithmtest.Data(3, normal(1, 4, 0, -3, 1))[0]
	for _, s := range showing[:2] {
		out, err := algorithmtest.New(t, s.kind, s.settings...).Learn(t.Context(), collabdict.Solo{}, d, func(algorithm.Progress) {})
		if err != nil || out.Model.(algorithm.Assigner).Components() != 3 || len(out.Warnings) > 0 {
			t.Errorf("%s: %+v, %v", s.kind.Name, out, err)
		}
	}
}

// noisy returns the algorithms in which noise can hide rows.
func noisy(t *testing.T) []algorithm.Algorithm {
	return []algorithm.Algorithm{
		algorithmtest.New(t, fedgen.Kind, "components=2", "epsilon=5", "clip=25"),
		algorithmtest.New(t, fedgem.Kind, "components=2", "epsilon=5", "clip=25", "rounds=3"),
	}
}

// The same noise gives the same result, and other noise gives another result.
func TestShownValuesHaveNoise(t *testing.T) {
	for i, a := range noisy(t) {
		train := func(noise uint64) []algorithm.Array {
			data := algorithmtest.Data(3, normal(1, 400, 200, -3, 1), normal(2, 400, 100, -3, 1))
			for s := range data {
				data[s].Source = rand.NewPCG(noise, uint64(s))
			}
			return algorithmtest.Train(t, lockstep.Run, a, data)[0].Model.Arrays()
		}
		once := train(1)
		if !reflect.DeepEqual(once, train(1)) {
			t.Errorf("algorithm %d: the same noise gives another model", i)
		}
		if reflect.DeepEqual(once, train(2)) {
			t.Errorf("algorithm %d: there is no noise", i)
		}
	}
}

// A member with a source of noise adds noise, however small the group seems to be.
func TestNoiseDoesNotDependOnTheSizeOfTheGroup(t *testing.T) {
	for i, a := range noisy(t) {
		train := func(noise uint64) []algorithm.Array {
			d := algorithmtest.Data(3, normal(1, 400, 200, -3, 1))[0]
			d.Source = rand.NewPCG(noise, 1)
			out, err := a.Learn(t.Context(), collabdict.Solo{}, d, func(algorithm.Progress) {})
			if err != nil {
				t.Fatal(err)
			}
			return out.Model.Arrays()
		}
		if reflect.DeepEqual(train(1), train(2)) {
			t.Errorf("algorithm %d: no noise in a group of one", i)
		}
	}
}

// A member gets a warning about a delta large enough to allow showing one whole row.
func TestDeltaBesideTheNumberOfRows(t *testing.T) {
	for delta, want := range map[string]bool{"1e-5": false, "0.02": false, "0.03": true} {
		for _, kind := range []algorithm.Kind{fedgen.Kind, fedgem.Kind} {
			a := algorithmtest.New(t, kind, "components=2", "epsilon=5", "clip=25", "delta="+delta)
			out, err := a.Learn(t.Context(), collabdict.Solo{}, algorithmtest.Data(3, normal(1, 40, 20, -3, 1))[0], func(algorithm.Progress) {})
			if err != nil || strings.Contains(strings.Join(out.Warnings, ""), "with delta 0.03 and 40 own rows") != want {
				t.Errorf("%s, %s: %q, %v", kind.Name, delta, out.Warnings, err)
			}
		}
	}
}

// Noise hides rows, but not how they scale the columns, so that is refused. Every value has a bound that is known
// without looking at the rows.
func TestBudgetByCoordinates(t *testing.T) {
	for _, c := range []struct {
		of     algorithm.Coordinates
		given  float64
		clip   float64
		middle float64
		err    string
	}{
		{of: algorithm.Coordinates{ScaledBy: algorithm.Own}, err: "epsilon: the rows would decide how columns are scaled"},
		{of: algorithm.Coordinates{ScaledBy: algorithm.Global}, err: "epsilon: the rows would decide how columns are scaled"},
		{of: algorithm.Coordinates{ScaledBy: algorithm.Own, UnitRange: true}, given: 9, err: "epsilon: the rows would decide how columns are scaled"},
		{of: algorithm.Coordinates{ScaledBy: algorithm.Agreed, UnitRange: true, Axes: 2}, err: "epsilon: the rows would decide how columns are scaled"},
		{of: algorithm.Coordinates{ScaledBy: algorithm.None}, err: "clip: want a bound"},
		{of: algorithm.Coordinates{ScaledBy: algorithm.None}, given: 9, clip: 9},
		{of: algorithm.Coordinates{ScaledBy: algorithm.Agreed, UnitRange: true}, clip: 0.5, middle: 0.5},
		{of: algorithm.Coordinates{ScaledBy: algorithm.Agreed, UnitRange: true}, given: 9, clip: 9, middle: 0.5},
	} {
		b := privacy.Budget{Epsilon: 5, Delta: 1e-5, Clip: c.given}
		err := b.Prepare(c.of)
		if c.err != "" {
			if err == nil || !strings.HasPrefix(err.Error(), c.err) {
				t.Errorf("%+v: got %v, want %s", c.of, err, c.err)
			}
			continue
		}
		shown := b.Published("test", "rows")
		if err != nil || b.Clip != c.clip || b.Middle() != c.middle || shown.Epsilon != algorithm.Covered || !strings.Contains(shown.Hidden, "(5, 1e-05)") {
			t.Errorf("%+v: %+v, %+v; %v", c.of, b, shown, err)
		}
	}
	none := privacy.Budget{}
	if err := none.Prepare(algorithm.Coordinates{ScaledBy: algorithm.Own}); err != nil || none.Noise() != nil || none.Published("test", "rows").Epsilon != algorithm.Uncovered {
		t.Errorf("without noise: %+v, %v", none, err)
	}
}
