package beta

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/collabdict/collabdict/internal/networks/discrepancy"
)

// conditioned returns the settings of a small model with conditions.
func conditioned(w Weighting) Config {
	c := small(w)
	c.Conditioned = true
	return c
}

// The results of earlier versions are reproduced to the last bit.
func TestUnconditionedBits(t *testing.T) {
	all, rounds := inLockstep(t, small(Weighting{}), owns(1), 5)
	digest := sha256.New()
	if err := binary.Write(digest, binary.LittleEndian, parameters(all[0])); err != nil {
		t.Fatal(err)
	}
	if err := binary.Write(digest, binary.LittleEndian, rounds[4].Loss); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprintf("%x", digest.Sum(nil)[:8]), "22551b785c4ce501"; got != want {
		t.Errorf("the digest is %s, want %s", got, want)
	}
}

// offset returns members with the same patterns, each with another constant added to all
// values.
func offset(seed uint64, shifts ...float32) (out []Own) {
	rng := rand.New(rand.NewPCG(seed, 9))
	for rank, shift := range shifts {
		o := Own{Seed: uint64(rank)}
		for i := range 60 {
			for j := range 6 {
				v := shift + 0.02*rng.Float32()
				if j/2 == i%3 {
					v += 0.35
				}
				o.Rows = append(o.Rows, v)
			}
		}
		out = append(out, o)
	}
	return out
}

// If members differ by a constant, a model with conditions has less loss than a larger one
// without, after the same rounds. A new member between the others comes close to that by
// fitting only conditions to a few rows.
func TestOffsets(t *testing.T) {
	trained, held := offset(1, 0, 0.15, 0.45, 0.6), offset(2, 0, 0.15, 0.45, 0.6)
	loss := func(m *Model, own Own) float64 {
		l, err := m.Evaluate(own.Rows, rand.NewPCG(1, 2))
		if err != nil {
			t.Fatal(err)
		}
		return l.Total
	}
	mean := func(c Config) (total float64, all []*Learner) {
		all, _ = inLockstep(t, c, trained, 10)
		for k, l := range all {
			total += loss(l.Model(), held[k]) / float64(len(all))
		}
		return total, all
	}
	c, plain := conditioned(Weighting{}), small(Weighting{})
	c.Hidden, c.Beta, c.Rate = []int{8}, 0.01, 0.02
	plain.Hidden, plain.Beta, plain.Rate = []int{16}, 0.01, 0.02
	with, all := mean(c)
	without, _ := mean(plain)
	if !(with < without/2) {
		t.Errorf("the loss is %.3f with conditions, %.3f without", with, without)
	}
	m, own := NewModel(c), offset(3, 0.5)[0]
	copy(m.Parameters().Values, parameters(all[0]))
	before := loss(m, own)
	if err := m.Adapt(t.Context(), offset(4, 0.5)[0].Rows[:20*6], 50, rand.NewPCG(3, 3)); err != nil {
		t.Fatal(err)
	}
	if after := loss(m, own); !(after < before/2) || after > 1.2*with {
		t.Errorf("a new member's loss is %.3f before and %.3f after it has adapted, %.3f of those that have trained", before, after, with)
	}
	if !slices.Equal(m.Parameters().Values, parameters(all[0])) {
		t.Error("weights have changed")
	}
}

// Rows are encoded at the member's own conditions, initially those of the pretrained model. A
// member of weight 0 still trains its conditions.
func TestWeightsAtOwnConditions(t *testing.T) {
	own := owns(1)
	c := conditioned(Weighting{Rule: discrepancy.Rule{A: 100}, By: Latent, Every: 1})
	all, _ := inLockstep(t, c, own, 2)
	c.Weights = Weighting{Rule: discrepancy.Rule{A: 0.2}, By: Latent, Pretrained: parameters(all[0])}
	for k := range own {
		own[k].Pretrained = all[k].State().Conditions
	}
	by, _ := inLockstep(t, c, own, 0)
	for k, l := range by {
		z, err := all[k].Model().Encode(own[k].Rows, l.source(encoding))
		if err != nil {
			t.Fatal(err)
		}
		if want, err := discrepancy.Latent(z, 2, false); err != nil || l.Standing().Discrepancy != want {
			t.Errorf("member %d has discrepancy %g, want %g, %v", k, l.Standing().Discrepancy, want, err)
		}
	}
	c.Weights = Weighting{Rule: discrepancy.Rule{A: 0.2}, By: Labels}
	some, _ := inLockstep(t, c, owns(1), 2)
	if p := some[0].Standing().Weight.P; p != 0 || slices.Max(some[0].State().Conditions) == 0 {
		t.Errorf("member 0 has weight %g and conditions %v", p, some[0].State().Conditions)
	}
}
