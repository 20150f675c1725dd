package adaptation

import (
	"context"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/partition"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/networks/cgau"
	"github.com/collabdict/collabdict/internal/testkit/lockstep"
	"github.com/collabdict/collabdict/lab/internal/frechet"
)

// member holds a participant's rows: for training, for choosing the best round, and for
// testing.
type member struct {
	all               collabdict.Rows // all rows except the test rows
	train, held, test cgau.Rows
}

// heldShare is the share of a participant's rows that is held out, as in section 4.1 of the
// paper.
const heldShare = 0.05

// deal deals the rows of a repeat. The centroids of a repeat do not depend on the share of
// shuffled rows.
func deal(s sample, members int, shuffle float64, repeat int) ([]member, error) {
	split := partition.Split{Kind: partition.PCAKMeans, Clients: members, Shuffle: shuffle, Column: "label"}
	train, test, err := split.DealAlike(s.train, s.test, s.trainClasses, s.testClasses, uint64(repeat)+1)
	if err != nil {
		return nil, err
	}
	random := source(repeat, 2)
	out := make([]member, members)
	for k := range out {
		of := permuted(train[k], random)
		held := int(heldShare * float64(len(of)))
		out[k] = member{
			all:   rows.InMemory(rows.Picked(s.train, of)),
			train: single(s.train, s.trainClasses, of[held:]),
			held:  single(s.train, s.trainClasses, of[:held]),
			test:  single(s.test, s.testClasses, test[k]),
		}
	}
	return out, nil
}

func permuted(rows []int, random *rand.Rand) []int {
	out := make([]int, len(rows))
	for i, from := range random.Perm(len(rows)) {
		out[i] = rows[from]
	}
	return out
}

func single(x *mat.Dense, classes []float64, rows []int) (out cgau.Rows) {
	for _, r := range rows {
		for _, v := range x.RawRowView(r) {
			out.Values = append(out.Values, float32(v))
		}
		out.Classes = append(out.Classes, int(classes[r]))
	}
	return out
}

// first returns the first n rows.
func first(r cgau.Rows, n int) cgau.Rows {
	n = min(n, len(r.Classes))
	return cgau.Rows{Values: r.Values[:n*len(r.Values)/len(r.Classes)], Classes: r.Classes[:n]}
}

// heterogeneity returns the mean Fréchet distance between a participant's rows and all others.
func heterogeneity(ctx context.Context, members []member) (mean float64, err error) {
	err = lockstep.Run(ctx, len(members), func(ctx context.Context, g collabdict.Group, rank int) error {
		h, err := frechet.Measure(ctx, g, members[rank].all)
		if rank == 0 {
			mean = h.Mean
		}
		return err
	})
	return mean, err
}
