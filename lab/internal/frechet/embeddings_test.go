package frechet

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/partition"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/internal/testkit/lockstep"
)

// The heterogeneity of ten members falls as the share of shuffled rows grows, on embeddings of
// images by a pretrained network, as in the published table.
func TestEmbeddings(t *testing.T) {
	path := testkit.OutsidePath(t, "data", "embeddings", "cifar3-resnet18.csv.gz")
	const members = 10
	before := math.Inf(1)
	for _, share := range []string{"0", "0.2", "0.4", "0.6", "0.8", "1"} {
		split, err := partition.Parse(fmt.Sprintf("pca-kmeans:clients=%d,shuffle=%s,label=label", members, share))
		if err != nil {
			t.Fatal(err)
		}
		d, err := dataset.LoadAll(dataset.Spec{Data: []string{path}, Split: split, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		var mean float64
		err = lockstep.Run(t.Context(), members, func(ctx context.Context, g collabdict.Group, rank int) error {
			h, err := Measure(ctx, g, d.Participants[rank].Train)
			if rank == 0 {
				mean = h.Mean
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("shuffle %s: heterogeneity %.3f", share, mean)
		if mean >= before {
			t.Errorf("shuffle %s: heterogeneity %g, with less shuffling %g", share, mean, before)
		}
		before = mean
	}
}
