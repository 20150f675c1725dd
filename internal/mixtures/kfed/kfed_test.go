package kfed

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
)

// blobs draws n rows about each of the given corners of a cube with edges of 10.
func blobs(dim, n int, corners []int, which uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(which, 5))
	x := mat.NewDense(n*len(corners), dim, nil)
	for j := range n * len(corners) {
		for i := range dim {
			centre := 10 * float64(corners[j/n]>>i&1)
			x.Set(j, i, centre+0.5*rng.NormFloat64())
		}
	}
	return x
}

// With eight clusters, three at each of eight participants, all eight are found, whether there
// are as many columns as clusters, fewer, or more than local clusters.
func TestFindsSeparatedClusters(t *testing.T) {
	for _, dim := range []int{3, 8} {
		var local []*mat.Dense
		for s := range 8 {
			x := blobs(dim, 40, []int{s, (s + 3) % 8, (s + 5) % 8}, uint64(s))
			local = append(local, Local(x, 3, rand.NewPCG(uint64(s), 1)))
		}
		got, err := Merge(local, 8)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[int]bool{}
		for c := range 8 {
			corner := 0
			for i, v := range got.RawRowView(c) {
				bit := math.Round(v / 10)
				if math.Abs(v-10*bit) > 0.3 {
					t.Errorf("%d columns: centre %d is off its corner: %v", dim, c, got.RawRowView(c))
				}
				corner += int(bit) << i
			}
			seen[corner] = true
		}
		if len(seen) != 8 {
			t.Errorf("%d columns: %d of 8 clusters found", dim, len(seen))
		}
	}
}

// A case worked by hand: both centres of the first participant, then the farthest one; the step
// averages 0 with 1 and 10 with 11.
func TestMergeByHand(t *testing.T) {
	local := []*mat.Dense{
		mat.NewDense(1, 1, []float64{1}),
		mat.NewDense(2, 1, []float64{0, 10}),
		mat.NewDense(2, 1, []float64{11, 30}),
	}
	got, err := Merge(local, 3)
	if err != nil {
		t.Fatal(err)
	}
	if want := mat.NewDense(3, 1, []float64{0.5, 10.5, 30}); !mat.Equal(got, want) {
		t.Errorf("got %v, want %v", mat.Formatted(got), mat.Formatted(want))
	}
	for _, k := range []int{1, 6} {
		if _, err := Merge(local, k); err == nil || !strings.Contains(err.Error(), "want 2 (the most of one participant) to 5 (those of all") {
			t.Errorf("%d clusters: got error %v", k, err)
		}
	}
}

func TestClusterAlone(t *testing.T) {
	x := blobs(3, 30, []int{0, 3, 5}, 1)
	got, few, err := Cluster(t.Context(), collabdict.Solo{}, x, Config{Local: 3, Clusters: 3}, rand.NewPCG(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	if labels := gmm.Nearest(x, got); few != 0 || labels[0] == labels[30] || labels[30] == labels[60] || labels[0] == labels[60] {
		t.Errorf("the clusters are not distinguished: %v", labels)
	}
	if _, _, err := Cluster(t.Context(), collabdict.Solo{}, x, Config{Local: 4, Clusters: 3}, rand.NewPCG(1, 1)); err == nil {
		t.Error("more local clusters than clusters: want an error")
	}
}

// Rows that are few, equal or on a line still give centres.
func TestLocalTakesAnyRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, dim, k := rapid.IntRange(1, 12).Draw(t, "rows"), rapid.IntRange(1, 5).Draw(t, "columns"), rapid.IntRange(1, 6).Draw(t, "k")
		value := rapid.OneOf(rapid.Float64Range(-3, 3), rapid.SampledFrom([]float64{0, 1}))
		x := mat.NewDense(n, dim, rapid.SliceOfN(value, n*dim, n*dim).Draw(t, "values"))
		got := Local(x, k, rand.NewPCG(1, 1))
		if r, c := got.Dims(); r != min(k, n) || c != dim {
			t.Fatalf("got %d by %d centres", r, c)
		}
		if _, err := encode(got); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzDecode(f *testing.F) {
	good, err := encode(mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6}))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(good[:20])
	f.Fuzz(func(t *testing.T, blob []byte) {
		centres, err := decode(blob, 3, 4)
		if err != nil {
			return
		}
		if again, err := encode(centres); err != nil || !bytes.Equal(again, blob) {
			t.Fatalf("the decoded centres encode as %x, %v", again, err)
		}
		if _, err := Merge([]*mat.Dense{centres}, 4); err == nil && len(blob) != headLength+8*12 {
			t.Fatal("merged fewer centres than wanted")
		}
	})
}
