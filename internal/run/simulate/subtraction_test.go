package simulate

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/internal/testkit/pipelinetest"
	"github.com/collabdict/collabdict/netsim"
)

// vectors holds the members' contributions to the sums of a run, by slot and member.
type vectors map[uint64]map[int][]float64

func (v vectors) Called(member int, slot uint64, c consensus.Call) {
	if len(c.Blocks) == 0 || c.Blocks[0].Moment != collabdict.Updates {
		return
	}
	if v[slot] == nil {
		v[slot] = map[int][]float64{}
	}
	at := 0
	for _, b := range c.Blocks {
		if b.Moment == collabdict.Updates {
			at += b.Len
		}
	}
	v[slot][member] = slices.Clone(c.Values[:at])
}

func (vectors) Sent(int, int, consensus.Message) {}

func (vectors) Decided(int, *consensus.Decision, []float64) {}

// error returns the error of the difference of two sums over different members, relative to the
// guess that each of these has added the mean of the others. It is computed from the members'
// vectors.
func (v vectors) error(a, b *consensus.Decision) float64 {
	var moved, off float64
	small := a.Members
	if len(b.Members) < len(a.Members) {
		small = b.Members
	}
	slot := a.Slot
	if len(b.Members) < len(a.Members) {
		slot = b.Slot
	}
	for i := range v[a.Slot][int(a.Members[0])] {
		var change, own, mean float64
		for _, m := range a.Members {
			if slices.Contains(b.Members, m) {
				change += v[a.Slot][int(m)][i] - v[b.Slot][int(m)][i]
			} else {
				own += v[a.Slot][int(m)][i]
			}
		}
		for _, m := range b.Members {
			if !slices.Contains(a.Members, m) {
				own -= v[b.Slot][int(m)][i]
			}
		}
		for _, m := range small {
			mean += v[slot][int(m)][i] / float64(len(small))
		}
		moved += change * change
		d := own - float64(len(a.Members)-len(b.Members))*mean
		off += d * d
	}
	return math.Sqrt(moved / off)
}

// In at least four of five cases, the error that the ledger measures from totals is within a
// factor of 3 of the true error, whatever is summed. It is not closer since totals move
// differently from round to round.
func TestMeasuredErrorsAreTrue(t *testing.T) {
	testkit.SkipRaced(t)
	for name, options := range map[string][]string{
		"mtvae, gradients": {"mtvae", "latent=2", "hidden=6,4", "batch=20", "local-steps=0", "standardise=own"},
		"mtvae, steps":     {"mtvae", "latent=2", "hidden=6,4", "batch=20", "local-steps=5", "rate=0.01", "standardise=own"},
		"cgau":             {"cgau", "local-steps=10", "hidden=8,6", "batch=20", "rate=0.1", "dropout=0", "standardise=own", "classes=3"},
		"bvae":             {"bvae", "latent=2", "hidden=6,4", "batch=20", "rate=0.01", "epochs=2", "standardise=global", "normalise=minmax"},
	} {
		if !testkit.Long && (name == "mtvae, steps" || name == "bvae") {
			continue // the others are a model of gradients and one of steps
		}
		var ratios []float64
		var shown []float64
		for seed := range max(seeds(t, 3), 3) { // fewer errors would prove nothing
			k := pipelinetest.Task(t, options[0], append(options[1:], "rounds=40", "consensus.scheme=exact", fmt.Sprintf("seed=%d", seed))...)
			parts := classed(unequal(seed))
			v := vectors{}
			w := &witness{ledger: report.NewLedger([]string{"a", "b", "c", "d", "e", "f", "g"}, 2, k.Conserved())}
			run := play(t, k, parts, Conditions{Scenario: churn(t)}, func(c *netsim.Config) { c.Observer = observers{v, w} })
			decided := map[uint64]*consensus.Decision{}
			for _, s := range run.report.Slots {
				decided[s.Decision.Slot] = s.Decision
			}
			for _, c := range w.ledger.LoneChanges() {
				if c.Error == nil {
					continue
				}
				truth := min(1, v.error(decided[c.Slots[0]], decided[c.Slots[1]]))
				shown = append(shown, *c.Error)
				ratios = append(ratios, *c.Error/truth)
			}
		}
		slices.Sort(ratios)
		slices.Sort(shown)
		n := len(ratios)
		if n < 5 {
			t.Errorf("%s: %d errors measured: nothing is tested", name, n)
			continue
		}
		within := 0
		for _, r := range ratios {
			if r >= 1.0/3 && r <= 3 {
				within++
			}
		}
		t.Logf("%s: %d errors from %.2g to %.2g, median %.2g; measured by true: %.2f to %.2f, median %.2f; %d within a factor of 3", name, n, shown[0], shown[n-1], shown[n/2], ratios[0], ratios[n-1], ratios[n/2], within)
		if float64(within) < 0.8*float64(n) {
			t.Errorf("%s: %d of %d measured errors are within a factor of 3 of the true ones", name, within, n)
		}
	}
}

// classed gives each participant labels: the classes are the signs of the first columns.
func classed(parts []dataset.Participant) []dataset.Participant {
	for i := range parts {
		x := dense(parts[i].Train)
		n, _ := x.Dims()
		labels := make([]float64, n)
		for j := range labels {
			labels[j] = float64(j % 3)
			if j > 9 && x.At(j, 0) > 0 {
				labels[j] = 1
			}
		}
		parts[i].TrainLabels = labels
	}
	return parts
}
