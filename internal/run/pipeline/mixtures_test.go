package pipeline

import (
	"math"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/mixtures/fedgen"
	"github.com/collabdict/collabdict/internal/testkit/algorithmtest"
	"github.com/collabdict/collabdict/netsim"
)

// All members compute the same mixture. It is about as good as that of all rows in one place.
func TestMixturesTogether(t *testing.T) {
	parts, all := clusters(5)
	choices, best, err := fedgen.Select(all, fedgen.Range{Min: 2, Max: 2}, gmm.EM{Form: gmm.Diag}, [32]byte{})
	if err != nil {
		t.Fatal(err)
	}
	shared := small(t, "dem", "start=shared-rows")
	if err := shared.Algorithm.(algorithm.InOneProcess).Together(shared.Seed, func() (*mat.Dense, error) { return all, nil }); err != nil {
		t.Fatal(err)
	}
	for name, k := range map[string]*Task{
		"once": small(t, "fedgen", "components=2-4", "refine=0"), "paper": small(t, "fedgen", "refine=0", "synthetic=200"), "refined": small(t, "fedgen"),
		"spread": small(t, "dem", "start=spread", "rounds=30"), "k-fed": small(t, "dem", "start=k-fed", "rounds=30"), "shared": shared,
	} {
		results := together(t, network(t, k), k, parts)
		first := results[0].Model
		means := func(r *Result) []float64 { return r.Model.Learned.(algorithm.Dictionary).Means().RawMatrix().Data }
		for s, r := range results {
			if !slices.Equal(means(r), means(results[0])) {
				t.Errorf("%s: members 0 and %d have other mixtures", name, s)
			}
		}
		got, err := first.Scorer().MeanLogLik(first.Rows(rows.InMemory(all)))
		if err != nil {
			t.Fatal(err)
		}
		for _, scale := range first.Scaling.Scale { // in the units of the data
			got -= math.Log(scale)
		}
		if want := choices[best].MeanLogLik; got < want-0.03 || first.Manifest.TotalRows != 300 || first.Learned.(*gmm.Mixture).Form() != gmm.Diag {
			t.Errorf("%s: log-likelihood %.4f, want about %.4f; %+v", name, got, want, first.Manifest)
		}
		if k.Traits().Rounds == 1 && results[0].Last.Number != 1 || k.Kind.Name == "fedgen" && results[0].Selection.Rows != 300 {
			t.Errorf("%s: %+v, %+v", name, results[0].Last, results[0].Selection)
		}
	}
}

// A member that stops before it has shown its mixture is left out of the mixtures. It comes back for
// the rounds, which begin with all members.
func TestAMemberIsLostBeforeTheOneRound(t *testing.T) {
	parts, _ := clusters(5)
	k := small(t, "fedgen")
	for s, r := range together(t, network(t, k, netsim.Stop{Member: 3, Slot: 1, RestartAfter: time.Minute}), k, parts) {
		if s == 3 {
			continue
		}
		if r.Model == nil || r.Selection.Rows != 240 || r.Selection.Gathered != 8 || r.Last.Number < 2 || len(r.Model.Manifest.Privacy.History) != r.Last.Number {
			t.Errorf("member %d: %+v, %+v", s, r.Selection, r.Last)
		}
	}
}

// pairs returns participants with labelled rows, each of two clusters out of three.
func pairs(each int) (parts []dataset.Participant) {
	centres := [][]float64{{0, 0}, {20, 0}, {0, 20}}
	for s, own := range [][2]int{{0, 1}, {1, 2}, {2, 0}, {0, 1}} {
		x, labels := algorithmtest.Draw(uint64(s), each, []float64{0, 0}, []float64{1, 1}), make([]float64, each)
		for i := range each {
			k := own[i%2]
			labels[i] = float64(2 + k)
			for j, v := range centres[k] {
				x.Set(i, j, x.At(i, j)+v)
			}
		}
		data := rows.InMemory(x)
		parts = append(parts, dataset.Participant{
			Name: string(rune('a' + s)), Columns: []string{"x", "y"}, Train: data, Test: data, TrainLabels: labels, TestLabels: labels, ClassLabels: true,
		})
	}
	return parts
}

// However members choose the numbers of their clusters, all end with the same three, and each row
// is assigned to its own.
func TestClustersTogether(t *testing.T) {
	parts := pairs(40)
	byBIC := make([]dataset.Participant, len(parts))
	for i, p := range parts {
		p.TrainLabels = nil
		byBIC[i] = p
	}
	for name, c := range map[string]struct {
		with  []string
		parts []dataset.Participant
	}{
		"labels": {nil, parts}, "bic": {nil, byBIC}, "given": {[]string{"components=2"}, byBIC},
		"range": {[]string{"components=1-3"}, byBIC}, "full": {[]string{"covariance=full"}, parts},
		"chosen": {[]string{"final=factor=0.01,0.5", "radius=half", "local-steps=2", "min-rows=1"}, parts},
	} {
		k := small(t, "fedgem", c.with...)
		results := together(t, network(t, k), k, c.parts)
		first := results[0].Model
		if n := first.Components(); n != 3 || results[0].Last.Number > 3 || first.Manifest.TotalRows != 160 {
			t.Errorf("%s: %d clusters, %+v", name, n, results[0].Last)
		}
		means := first.Learned.(algorithm.Dictionary).Means().RawMatrix().Data
		for s, r := range results {
			if !slices.Equal(r.Model.Learned.(algorithm.Dictionary).Means().RawMatrix().Data, means) {
				t.Errorf("%s: members 0 and %d have other clusters", name, s)
			}
			e, err := Evaluate(r.Model, parts[s])
			if err != nil || e.ARI.Value != 1 || e.Silhouette.Value < 0.8 || len(r.Model.Clusterer().OwnClusters()) != 2 {
				t.Errorf("%s: member %d: %+v, own clusters %v, %v", name, s, e, r.Model.Clusterer().OwnClusters(), err)
			}
		}
	}
}
