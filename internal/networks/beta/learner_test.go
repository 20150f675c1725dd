package beta

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/networks/discrepancy"
	"github.com/collabdict/collabdict/internal/testkit/grouptest"
)

// weightings returns one weighting of each kind.
func weightings() map[string]Weighting {
	pretrained := slices.Clone(NewModel(small(Weighting{})).Parameters().Values)
	for i := range pretrained {
		pretrained[i] *= 1.5
	}
	rule := discrepancy.Rule{A: 0.3, B: 0.05}
	return map[string]Weighting{
		"FedAvg":     {},
		"FedDisco":   {Rule: discrepancy.FedDisco(), By: Labels},
		"pretrained": {Rule: rule, By: Latent, Pretrained: pretrained},
		"periodic":   {Rule: rule, By: Latent, Every: 2, Debias: true},
		"both":       {Rule: rule, By: Latent, Every: 2, Pretrained: pretrained},
		"automatic":  {Rule: discrepancy.Rule{A: 2, Auto: true, Relative: true}, By: Latent, Pretrained: pretrained},
		"nobody":     {Rule: discrepancy.Rule{A: 100}, By: Latent, Pretrained: pretrained},
		"some":       {Rule: discrepancy.Rule{A: 0.2}, By: Labels},
	}
}

// plainly computes the same in one place, with the data of all members: rounds of training, and
// the weighted average of all models.
func plainly(t *testing.T, c Config, own []Own, rounds int) (values []float32, p, d []float64) {
	t.Helper()
	m := NewModel(c)
	c = m.config
	values = slices.Clone(m.all.Values)
	p, d = make([]float64, len(own)), make([]float64, len(own))
	stream := func(o Own, round int, purpose uint64) rand.Source {
		return rand.NewPCG(o.Seed, uint64(round)<<8|purpose)
	}
	weigh := func(round int, by []float32) {
		rows, ds := 0.0, 0.0
		for k, o := range own {
			d[k] = 0
			switch {
			case c.Weights.By == Labels:
				d[k], _ = discrepancy.Labels(o.Labels)
			case by != nil:
				copy(m.all.Values, by)
				z, err := m.Encode(o.Rows, stream(o, round, encoding))
				if err != nil {
					t.Fatal(err)
				}
				if d[k], err = discrepancy.Latent(z, c.Latent, c.Weights.Debias); err != nil {
					t.Fatal(err)
				}
			}
			rows += float64(len(o.Rows))
			ds += max(0, d[k])
		}
		sum, b, rule := 0.0, 0.0, c.Weights.Rule
		if c.Weights.By == Latent && by == nil {
			rule = discrepancy.FedAvg()
		}
		raw := make([]float64, len(own))
		for k, o := range own {
			effect := max(0, d[k])
			if rule.Relative {
				effect /= ds
			}
			raw[k] = float64(len(o.Rows))/rows - rule.A*effect
			b = max(b, -raw[k])
		}
		for k := range own {
			if p[k] = max(0, raw[k]+rule.B); rule.Auto {
				p[k] = max(0, raw[k]+b+1e-3)
			}
			sum += p[k]
		}
		for k, o := range own {
			if p[k] /= sum; sum == 0 {
				p[k] = float64(len(o.Rows)) / rows
			}
		}
	}
	weigh(0, c.Weights.Pretrained)
	for round := range rounds {
		if every := c.Weights.Every; every > 0 && round > 0 && round%every == 0 {
			weigh(round, values)
		}
		mean := make([]float64, len(values))
		for k, o := range own {
			copy(m.all.Values, values)
			if _, err := m.train(t.Context(), o.Rows, c.Epochs, newDescent(m), stream(o, round, ordering), stream(o, round, noising)); err != nil {
				t.Fatal(err)
			}
			for i, v := range m.all.Values {
				mean[i] += p[k] * float64(v)
			}
		}
		for i, v := range mean {
			values[i] = float32(v)
		}
	}
	return values, p, d
}

// The group learns the weighted average of all models, for every kind of weights, and all
// members hold the same bits.
func TestGroupAveragesModels(t *testing.T) {
	const rounds = 3
	for name, w := range weightings() {
		t.Run(name, func(t *testing.T) {
			c, own := small(w), owns(1)
			want, p, d := plainly(t, c, own, rounds)
			all, known := inLockstep(t, c, own, rounds)
			tolerance := 1e-9
			if w.Rule.Auto {
				tolerance = 0.03 // members agree on the offset to a sixteenth
			}
			for k, m := range all {
				s := m.Standing()
				if math.Abs(s.Weight.P-p[k]) > tolerance || math.Abs(s.Discrepancy-d[k]) > 1e-5 || s.Weight.ByRows != (name == "nobody") {
					t.Errorf("member %d: got %+v, want discrepancy %g and weight %g", k, s, d[k], p[k])
				}
			}
			if far := grouptest.Farthest(all[0].Model().Parameters().Values, want); far > 1e-6 && !w.Rule.Auto {
				t.Errorf("parameters differ by %g from the average of all models", far)
			}
			first, last := known[0], known[rounds-1]
			if !(last.Loss < first.Loss) || last.Number != rounds || math.Abs(last.Weight-1) > 1e-9 {
				t.Errorf("got rounds %+v to %+v", first, last)
			}
		})
	}
}

// A member of weight 0 changes nothing, however it would train.
func TestNoWeight(t *testing.T) {
	c := small(Weighting{Rule: discrepancy.Rule{A: 0.2}, By: Labels})
	own := owns(1)
	all, _ := inLockstep(t, c, own, 2)
	if p := all[0].Standing().Weight.P; p != 0 {
		t.Fatalf("member 0 has weight %g, want none", p)
	}
	own[0].Seed++
	own[0].Rows = slices.Clone(own[0].Rows)
	slices.Reverse(own[0].Rows)
	again, _ := inLockstep(t, c, own, 2)
	if !slices.Equal(all[1].Model().Parameters().Values, again[1].Model().Parameters().Values) {
		t.Error("a member without a weight has changed the model")
	}
}

// A resumed training has the same bits, including weights by the model, with any number of
// processors.
func TestTrainingResumesFromAState(t *testing.T) {
	for _, condition := range []bool{false, true} {
		c, own := small(weightings()["periodic"]), owns(1)
		c.Conditioned = condition
		create := func(rank int) (*Learner, error) { return NewLearner(c, own[rank]), nil }
		grouptest.GoesOn(t, len(own), create, (*Learner).Start, parameters)
		l := NewLearner(c, own[0])
		want := map[bool]string{false: "and 0 conditions, got 3 and 0", true: "and 52 conditions, got 3 and 0"}[condition]
		if err := l.Restore(State{Values: make([]float32, 3)}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// All members have the standings if they are published; otherwise none has them.
func TestPublish(t *testing.T) {
	for _, publish := range []bool{false, true} {
		w := weightings()["pretrained"]
		w.Publish = publish
		all, _ := inLockstep(t, small(w), owns(1), 1)
		for _, m := range all {
			if got := m.Standings(); !publish && got != nil || publish && len(got) != len(all) {
				t.Fatalf("publish %t: got standings %v", publish, got)
			}
			for rank, s := range m.Standings() {
				own := all[rank].Standing()
				if s.Discrepancy != own.Discrepancy || s.Weight.P != own.Weight.P {
					t.Errorf("got %+v of member %d, want %+v", s, rank, own)
				}
			}
		}
	}
}
