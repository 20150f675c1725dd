package cli

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/journal/store"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/internal/testkit/grouptest"
	"github.com/collabdict/collabdict/model"
)

// slotRecord is a decided slot as a member's folder records it.
type slotRecord struct {
	round   int
	members []int
	missing []consensus.Missing
	digest  [32]byte
	chain   [32]byte
	total   []float64
	running *consensus.Counted
}

// readLog returns the decisions that a member has on disk, by slot, without those that amend the
// roster.
func readLog(t *testing.T, dir string) (log []slotRecord) {
	t.Helper()
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	st, err := s.Last()
	if err != nil || st == nil {
		t.Fatalf("%s: no run: %v", dir, err)
	}
	amendments := 0
	err = st.Each(func(d *consensus.Decision) error {
		if d.Slot != uint64(len(log)+amendments) {
			return fmt.Errorf("slot %d after %d slots", d.Slot, len(log)+amendments)
		}
		if d.Kind == consensus.Amend {
			amendments++
			return nil
		}
		r := slotRecord{
			round: int(d.Round), missing: slices.Clone(d.Missing),
			digest: d.Digest, chain: d.Chain, total: slices.Clone(d.Total), running: d.Running,
		}
		for _, m := range d.Members {
			r.members = append(r.members, int(m))
		}
		log = append(log, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// labelSlots is the number of slots at the beginning that deal labels for the sums; plain sums need
// no labels.
const labelSlots = 2

// refit trains all participants of a consortium in this process, over plain sums of the members
// that the record has for each slot, and returns their models.
func refit(t *testing.T, out string, names []string, log []slotRecord) ([]*model.Model, *grouptest.Replay) {
	t.Helper()
	var slots []grouptest.Slot
	for _, r := range log {
		slots = append(slots, grouptest.Slot{Round: r.round, Members: r.members, Total: r.total, Running: r.running})
	}
	var shared *grouptest.Replay
	results, errs := make([]*pipeline.Result, len(names)), make([]error, len(names))
	var running sync.WaitGroup
	for i, name := range names {
		c, err := ofFolder(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		if shared == nil {
			shared = grouptest.NewReplay(len(names), c.Task.Settings.Scheme, slots)
		}
		running.Go(func() {
			group := shared.Seat(i, labelSlots)
			if results[i], errs[i] = c.Task.Fit(t.Context(), group, c.Data, rand.NewPCG(1, uint64(i)), nil); errs[i] != nil {
				shared.Fail(errs[i])
			} else if !group.Over() {
				shared.Fail(fmt.Errorf("fewer calls than the record has %d slots", len(log)))
			}
		})
	}
	running.Wait()
	if err := shared.Err(); err != nil {
		t.Fatalf("a plain fit over the members of each sum: %v", err)
	}
	models := make([]*model.Model, len(names))
	for i, r := range results {
		models[i] = r.Model
	}
	return models, shared
}

// deviation returns how far a member's model is from the reference: the
// largest difference of any mean, precision or weight, relative to the largest
// entry of that vector or matrix.
func deviation(got, want *model.Model) float64 {
	g, w := mixtureOf(got), mixtureOf(want)
	if g.Components() != w.Components() || g.Dim() != w.Dim() {
		return math.Inf(1)
	}
	worst := apart(g.Weights(), w.Weights())
	for k := range w.Components() {
		worst = max(worst, apart(g.Means().RawRowView(k), w.Means().RawRowView(k)))
		worst = max(worst, apart(mat.DenseCopyOf(g.Precision(k)).RawMatrix().Data, mat.DenseCopyOf(w.Precision(k)).RawMatrix().Data))
	}
	return worst
}

func apart(got, want []float64) float64 {
	var size, worst float64
	for i, w := range want {
		size = max(size, math.Abs(w))
		worst = max(worst, math.Abs(got[i]-w))
	}
	if worst == 0 {
		return 0
	}
	return worst / size
}
