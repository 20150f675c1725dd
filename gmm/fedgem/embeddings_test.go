package fedgem_test

import (
	"compress/gzip"
	"encoding/csv"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/gmm/fedgem"
	"github.com/collabdict/collabdict/gmm/variational"
	"github.com/collabdict/collabdict/internal/metrics"
)

// The published experiment on classes of images, on the rows of a CSV file with the
// column label after the features: asked for by COLLABDICT_EMBEDDINGS=FILE.csv.gz.
func TestEmbeddings(t *testing.T) {
	path := os.Getenv("COLLABDICT_EMBEDDINGS")
	if path == "" {
		t.Skip("COLLABDICT_EMBEDDINGS=FILE.csv.gz asks for it")
	}
	classes := readClasses(t, path)
	for seed := range uint64(3) {
		rng := rand.New(rand.NewPCG(seed, 1))
		train, test := dealt(rng, classes, 100)
		r := run(t, train, known(train, fedgem.Config{Seed: seed, Rounds: 10}))
		t.Logf("seed %d: FedGEM K %d, ARI %.3f on own test rows", seed, len(r[0].Clusters), agreement(test, r))
		all, tests := pooled(train), pooled(test)
		g, err := gmm.Fit(all.x, len(classes), gmm.EM{Form: gmm.Spherical}, rand.NewPCG(seed, 2))
		if err != nil {
			t.Fatal(err)
		}
		resp, labels := g.Mixture.Responsibilities(tests.x), make([]int, len(tests.truth))
		for i := range labels {
			labels[i] = floats.MaxIdx(resp.RawRowView(i))
		}
		v, err := variational.Fit(all.x, variational.Config{Components: 40}, rand.NewPCG(seed, 3))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("seed %d: rows in one place: mixture of %d ARI %.3f, variational K %d, ARI %.3f", seed, len(classes),
			metrics.ARI(tests.truth, labels), v.Clusters(all.x), metrics.ARI(tests.truth, v.Labels(tests.x)))
	}
}

func readClasses(t *testing.T, path string) [][][]float64 {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	all, err := csv.NewReader(z).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	dim := slices.Index(all[0], "label")
	at, out := map[string]int{}, [][][]float64{}
	for _, record := range all[1:] {
		row := make([]float64, dim)
		for j := range row {
			if row[j], err = strconv.ParseFloat(record[j], 64); err != nil {
				t.Fatal(err)
			}
		}
		c, known := at[record[dim]]
		if !known {
			c = len(out)
			at[record[dim]] = c
			out = append(out, nil)
		}
		out[c] = append(out[c], row)
	}
	return out
}

// dealt gives each member some of the classes, from 2 to all but two, and of each as
// many rows as everybody would have of it: 7 of 10 to train on, the others to test.
func dealt(rng *rand.Rand, classes [][][]float64, members int) (train, test []client) {
	for _, rows := range classes {
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	}
	next := make([]int, len(classes))
	for range members {
		own := rng.Perm(len(classes))[:2+rng.IntN(len(classes)-3)]
		var rows [2][]float64
		var truth [2][]int
		for _, c := range own {
			share := len(classes[c]) / members
			for i := range share {
				part := min(1, i*10/(7*share))
				rows[part] = append(rows[part], classes[c][next[c]+i]...)
				truth[part] = append(truth[part], c)
			}
			next[c] += share
		}
		dim := len(classes[0][0])
		train = append(train, client{x: mat.NewDense(len(truth[0]), dim, rows[0]), truth: truth[0], number: len(own)})
		test = append(test, client{x: mat.NewDense(len(truth[1]), dim, rows[1]), truth: truth[1], number: len(own)})
	}
	return train, test
}

// pooled is all rows in one place.
func pooled(clients []client) client {
	var values []float64
	var out client
	_, dim := clients[0].x.Dims()
	for _, c := range clients {
		values = append(values, c.x.RawMatrix().Data...)
		out.truth = append(out.truth, c.truth...)
	}
	out.x = mat.NewDense(len(out.truth), dim, values)
	return out
}
