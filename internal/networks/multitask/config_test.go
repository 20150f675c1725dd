package multitask

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/testkit/lockstep"
	"github.com/collabdict/collabdict/vae"
)

// Impossible rows are errors that name them.
func TestErrors(t *testing.T) {
	rows := patterns(3, 2, 0)
	bad := mat.DenseCopyOf(rows)
	bad.Set(1, 1, math.NaN())
	far := mat.DenseCopyOf(rows)
	far.Set(2, 0, 1e20)
	for want, rows := range map[string]Rows{
		"row 2, column 2: want a finite value": matrix{bad},
		"row 3, column 1: want a finite value": matrix{far},
		"got 0 by 0":                           matrix{new(mat.Dense)},
	} {
		if _, err := NewLearner(rows, Config{Latent: 1}, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want %q", err, want)
		}
	}
	l, err := NewLearner(rows, Config{Latent: 1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.LocalUpdate(); err == nil {
		t.Error("a local update before the start")
	}
	if _, err := l.Optimize(nil, true); err == nil {
		t.Error("a step before the start")
	}
	if _, err := l.Health(); err == nil {
		t.Error("health before the start")
	}
	err = lockstep.Run(t.Context(), 2, func(ctx context.Context, g collabdict.Group, s int) error {
		l, err := NewLearner(patterns(5, 2+s, 0), Config{Latent: 1}, 0)
		if err != nil {
			return err
		}
		_, err = collabdict.Train(ctx, g, l, collabdict.Options{Rounds: 1})
		return err
	})
	if err == nil {
		t.Error("members with other columns train together")
	}
}

// A batch has each row at most once, and all sets are equally likely.
func TestBatchesAreDrawnEvenly(t *testing.T) {
	var s sample
	src, seen := seed(3), make([]int, 10)
	for range 10000 {
		s.fill(10, 3, src)
		if len(s.rows) != 3 || s.rows[0] == s.rows[1] || s.rows[0] == s.rows[2] || s.rows[1] == s.rows[2] {
			t.Fatalf("drew %v", s.rows)
		}
		for _, r := range s.rows {
			seen[r]++
		}
	}
	for r, n := range seen { // 3000 ± 46
		if n < 2800 || n > 3200 {
			t.Errorf("row %d was drawn %d times of 10000, want about 3000", r, n)
		}
	}
}

// Weights can be copied by name to another model of the same sizes.
func TestMatricesHoldAllOfAModel(t *testing.T) {
	config := Config{Latent: 2, Hidden: []int{5, 3}, Seed: 9}
	from := NewModel(4, config)
	config.Seed = 10
	to, held := NewModel(4, config), map[string][]float32{}
	from.Matrices(func(s vae.Shape, values []float32) { held[s.Name] = slices.Clone(values) })
	to.Matrices(func(s vae.Shape, values []float32) { copy(values, held[s.Name]) })
	if !bits(to.Encoder.Shared.Values, from.Encoder.Shared.Values) || !bits(to.Decoder.Shared.Values, from.Decoder.Shared.Values) || len(held) != 12 {
		t.Errorf("the model is not in its %d matrices", len(held))
	}
	other := NewModel(4, config)
	other.SetFrom(from)
	if !bits(other.Decoder.Shared.Values, from.Decoder.Shared.Values) {
		t.Error("weights were not taken over")
	}
}
