package task

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/lockstep"
	"github.com/collabdict/collabdict/internal/model"
	"github.com/collabdict/collabdict/netsim"
)

func classifierTask() Task {
	t := example()
	t.Model, t.Components, t.Rounds, t.Tol, t.Lambda0, t.Standardise = model.CGAU, 0, 40, 0, 0, None
	t.LocalSteps, t.Networks = 10, Networks{Hidden: []int{8, 6}, Batch: 20, Rate: 0.1}
	return t
}

// shifted are rows of three classes in bands that lie elsewhere with each participant.
func shifted(seed uint64, participants, each int) (parts []dataset.Participant) {
	for s := range participants {
		x := rows(seed+uint64(s), each, []float64{0, 0}, []float64{2, 1})
		p := dataset.Participant{Name: fmt.Sprint("p", s), Columns: []string{"x", "y"}, Train: dataset.InMemory(x)}
		edge := float64(s%4) - 1.5
		for i := range each {
			class := 0.0
			if v := x.At(i, 0); v > edge+0.7 {
				class = 2
			} else if v > edge-0.7 {
				class = 1
			}
			p.TrainLabels = append(p.TrainLabels, class)
		}
		p.Test, p.TestLabels = p.Train, p.TrainLabels
		parts = append(parts, p)
	}
	return parts
}

// classifiersTogether trains over the protocol, each participant with a secret of its own.
func classifiersTogether(t *testing.T, k Task, parts []dataset.Participant) []*Result {
	t.Helper()
	net, err := netsim.New(netsim.Config{Names: netsim.Names(len(parts)), Settings: k.Settings, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	results := make([]*Result, len(parts))
	_, err = net.Run(t.Context(), func(ctx context.Context, s int, g collabdict.Group) (err error) {
		results[s], err = withSecret(k, s).Train(ctx, g, parts[s], nil)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// classifiersInLockstep trains by plain sums.
func classifiersInLockstep(t *testing.T, k Task, parts []dataset.Participant) []*Result {
	t.Helper()
	results := make([]*Result, len(parts))
	err := lockstep.Run(t.Context(), len(parts), func(ctx context.Context, g collabdict.Group, s int) (err error) {
		results[s], err = withSecret(k, s).Train(ctx, g, parts[s], nil)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return results
}

func withSecret(k Task, of int) Task {
	k.Noise = rand.NewPCG(7, uint64(of))
	return k
}

func gatedOf(r *Result) model.Gated { return r.Model.Classifier.(model.Gated) }

func accuracy(t *testing.T, m *model.Model, p dataset.Participant) float64 {
	t.Helper()
	e, err := Evaluate(m, p)
	if err != nil {
		t.Fatal(err)
	}
	return e.Accuracy.Value
}

// All hold the same weights, bit for bit, and conditions of their own, which are the same
// again with the same secrets, and without which they know less. The number of classes is
// that of all together, though one member has but two.
func TestClassifiersTogether(t *testing.T) {
	parts := shifted(1, 4, 90)
	for i, c := range parts[0].TrainLabels {
		parts[0].TrainLabels[i] = min(c, 1)
	}
	k := classifierTask()
	results, again := classifiersTogether(t, k, parts), classifiersTogether(t, k, parts)
	first := gatedOf(results[0])
	for s, r := range results {
		m := gatedOf(r)
		if m.WeightsDigest() != first.WeightsDigest() || !slices.Equal(m.Shared().Values, first.Shared().Values) {
			t.Errorf("participant %d has other weights", s)
		}
		if s > 0 && slices.Equal(m.Conditions().Values, first.Conditions().Values) {
			t.Errorf("participant %d has the conditions of another", s)
		}
		if !slices.Equal(m.Conditions().Values, gatedOf(again[s]).Conditions().Values) {
			t.Errorf("participant %d comes to other conditions when it begins again", s)
		}
		of := r.Model.Manifest
		if of.TotalRows != 360 || of.Rounds != 40 || of.Hyper.Classes != 3 || of.Hyper.Momentum != momentum || of.FalseAlarm != 0 || r.Model.Scorer != nil {
			t.Errorf("participant %d: %+v", s, of)
		}
		with := accuracy(t, r.Model, parts[s])
		clear(m.Conditions().Values)
		if without := accuracy(t, r.Model, parts[s]); !(with > 0.85) || !(with > without) {
			t.Errorf("participant %d: accuracy %.3f with its conditions, %.3f without", s, with, without)
		}
	}
	if of := results[0].Model.Manifest.Privacy.History; !(of[39].Objective > of[0].Objective) {
		t.Errorf("history %+v", of)
	}
}

// A class that test rows alone have is one of the model's, which is measured on them when
// all are done.
func TestClassOfTestRowsAlone(t *testing.T) {
	parts := shifted(1, 2, 40)
	parts[1].TestLabels = slices.Clone(parts[1].TestLabels)
	parts[1].TestLabels[0] = 4
	k := classifierTask()
	k.Rounds = 2
	for s, r := range classifiersInLockstep(t, k, parts) {
		if e, err := Evaluate(r.Model, parts[s]); err != nil || len(e.Recall) != 5 {
			t.Errorf("participant %d: got %v and recall %v, want that of 5 classes", s, err, e.Recall)
		}
	}
}

// A participant that has not trained is better off with conditions fitted to a few rows
// than with those of nobody, or of all; what is shared stays.
func TestAdaptToAFewRows(t *testing.T) {
	for _, standardise := range []Standardise{None, Own} {
		k := classifierTask()
		k.Standardise = standardise
		results := classifiersInLockstep(t, k, shifted(1, 4, 90))
		m := results[0].Model
		weights := gatedOf(results[0]).WeightsDigest()
		all := shifted(90, 4, 400)[3]
		few := all
		few.Name, few.Train, few.TrainLabels = "new", dataset.InMemory(all.Train.(dataset.Matrix).Slice(0, 30, 0, 2).(*mat.Dense)), nil
		if _, err := Adapt(t.Context(), m, few, 300); err != nil || m.Manifest.Rows != 0 {
			t.Fatalf("%v, %+v", err, m.Manifest)
		}
		mean := accuracy(t, m, all)
		clear(gatedOf(results[0]).Conditions().Values)
		zero := accuracy(t, m, all)
		few.TrainLabels = all.TrainLabels[:30]
		if _, err := Adapt(t.Context(), m, few, 300); err != nil || m.Manifest.Rows != 30 || m.Manifest.Participant != "new" {
			t.Fatalf("%v, %+v", err, m.Manifest)
		}
		if fitted := accuracy(t, m, all); !(fitted > 0.85) || !(fitted > zero+0.05) || !(fitted > mean+0.05) {
			t.Errorf("%s: accuracy %.3f fitted, %.3f at 0, %.3f at the mean", standardise, fitted, zero, mean)
		}
		if gatedOf(results[0]).WeightsDigest() != weights {
			t.Error("weights have changed")
		}
		few.TrainLabels = slices.Repeat([]float64{3}, 30)
		if _, err := Adapt(t.Context(), m, few, 300); err == nil || !strings.Contains(err.Error(), "new: label of row 1: want a class from 0 to 2, as agreed, got 3") {
			t.Errorf("got %v", err)
		}
	}
	if _, err := Adapt(t.Context(), &model.Model{Manifest: model.Manifest{Kind: model.GGM}}, dataset.Participant{}, 1); err == nil || !strings.Contains(err.Error(), "want one with conditions, got one of kind ggm") {
		t.Errorf("got %v", err)
	}
}

// A single row, or rows of one class, are taken, and the user told what that is worth.
func TestAdaptToTooFew(t *testing.T) {
	k := classifierTask()
	k.Rounds, k.Standardise = 2, Own
	m, p := classifiersInLockstep(t, k, shifted(1, 2, 30))[0].Model, shifted(1, 1, 30)[0]
	p.Train, p.TrainLabels = dataset.InMemory(p.Train.(dataset.Matrix).Slice(0, 1, 0, 2).(*mat.Dense)), p.TrainLabels[:1]
	warnings, err := Adapt(t.Context(), m, p, 5)
	got := strings.Join(warnings, "\n")
	if err != nil || !strings.Contains(got, "constant in the rows to adapt to, so left unscaled: x, y") || !strings.Contains(got, "all 1 rows to adapt to are of class") {
		t.Errorf("got %q, %v", got, err)
	}
}

// watched notes what leaves a member.
type watched struct {
	collabdict.Group
	sums [][]float64
}

func (w *watched) Sum(ctx context.Context, x []float64, blocks []collabdict.Block) ([]float64, error) {
	w.sums = append(w.sums, slices.Clone(x))
	return w.Group.Sum(ctx, x, blocks)
}

// lengths returns how many values each sum had.
func (w *watched) lengths() (n []int) {
	for _, x := range w.sums {
		n = append(n, len(x))
	}
	return n
}

func (w *watched) Gather(context.Context, []byte) ([][]byte, error) {
	panic("nothing is published")
}

// Who has but one class is told so.
func TestOneClassIsTold(t *testing.T) {
	k, p := classifierTask(), shifted(1, 1, 20)[0]
	k.Rounds = 1
	for _, classes := range [][]float64{p.TrainLabels, slices.Repeat([]float64{1}, 20)} {
		p.TrainLabels = classes
		r, err := k.Train(t.Context(), collabdict.Solo{}, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		if told := strings.Contains(strings.Join(r.Warnings, ""), "classes: all 20 own training rows are of class 1"); told != (slices.Max(classes) == 1) {
			t.Errorf("warnings %q", r.Warnings)
		}
	}
}

// In no vector that leaves a member is there a place for conditions: one tells its largest
// class, and then there are two a round, of how many are below which bound, and of the
// changes of what is shared with a loss, two values of held rows, which there are none of,
// and the number of rows.
func TestNoConditionLeaves(t *testing.T) {
	parts, k := shifted(1, 3, 40), classifierTask()
	k.Rounds = 3
	all := make([]*watched, len(parts))
	results := make([]*Result, len(parts))
	err := lockstep.Run(t.Context(), len(parts), func(ctx context.Context, g collabdict.Group, rank int) (err error) {
		all[rank] = &watched{Group: g}
		results[rank], err = withSecret(k, rank).Train(ctx, all[rank], parts[rank], nil)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	g := gatedOf(results[0])
	shared, shapes := len(g.Shared().Values), len(g.Shared().Shapes)
	if len(g.Conditions().Values) != 2*(8+6) {
		t.Fatalf("%d conditions", len(g.Conditions().Values))
	}
	want := []int{model.MostClasses}
	for range k.Rounds {
		want = append(want, 64*(shapes+4), shared+4)
	}
	for rank, w := range all {
		got := w.lengths()
		if !slices.Equal(got, want) {
			t.Errorf("member %d sends vectors of %v values, want %v", rank, got, want)
		}
		if last := w.sums[len(w.sums)-1][shared:]; !(last[0] > 0) || last[1] != 0 || last[2] != 0 || last[3] != 40 {
			t.Errorf("member %d sends %v beside the changes", rank, last)
		}
	}
}

// A sum that fails leaves the model of the round before it.
func TestFailedSumsLeaveClassifiers(t *testing.T) {
	k := classifierTask()
	k.Rounds = 2
	p := shifted(1, 1, 40)[0]
	want, err := k.Train(t.Context(), collabdict.Solo{}, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	k.Rounds = 5
	for _, left := range []int{5, 6} {
		got, err := k.Train(t.Context(), &failing{left: left}, p, nil)
		if !errors.Is(err, errLost) || got.Last.Number != 2 {
			t.Fatalf("%v after round %d", err, got.Last.Number)
		}
		g, w := gatedOf(got), gatedOf(want)
		if g.WeightsDigest() != w.WeightsDigest() || !slices.Equal(g.Conditions().Values, w.Conditions().Values) {
			t.Error("another model than of two rounds")
		}
	}
}
