package bvae

import (
	"fmt"
	"math/rand/v2"

	"github.com/collabdict/collabdict/internal/data/partition"
)

// scenario deals images by class: it returns the indices of each member's images. The seed is
// the trial's.
type scenario struct {
	name string
	deal func(labels []byte, seed uint64) ([][]int, error)
}

func scenarios() []scenario { return []scenario{{"NIID-1", dirichlet}, {"NIID-2", pairs}} }

// fewest is the least number of images per member; if a deal has fewer, the images are dealt
// again.
const fewest = 40

// dirichlet deals the images of each class to ten members, in shares drawn from Dir(0.5).
func dirichlet(labels []byte, seed uint64) ([][]int, error) {
	classes := make([]float64, len(labels))
	for i, c := range labels {
		classes[i] = float64(c)
	}
	split := partition.Split{Kind: partition.Dirichlet, Alpha: 0.5, Clients: 10, Column: "label"}
	const tries = 1000
	for try := range uint64(tries) {
		hands, err := split.Deal(classes, seed*tries+try)
		if err != nil {
			return nil, err
		}
		if least(hands) >= fewest {
			return hands, nil
		}
	}
	return nil, fmt.Errorf("%d images are too few for %d members of at least %d each, by Dir(0.5)", len(labels), split.Clients, fewest)
}

// pairs gives one member a sixth of all images. Each of five others gets all remaining images
// of two classes.
func pairs(labels []byte, seed uint64) ([][]int, error) {
	rng := rand.New(rand.NewPCG(seed, 2))
	order := rng.Perm(len(labels))
	const biased = classes / 2
	hands := make([][]int, 1+biased)
	sixth := len(labels) / len(hands)
	hands[0] = order[:sixth]
	owner := make([]int, classes)
	for i, c := range rng.Perm(classes) {
		owner[c] = 1 + i/2
	}
	for _, i := range order[sixth:] {
		to := owner[labels[i]]
		hands[to] = append(hands[to], i)
	}
	if n := least(hands); n < fewest {
		return nil, fmt.Errorf("want %d images or more for each member, got %d of %d", fewest, n, len(labels))
	}
	return hands, nil
}

func least(hands [][]int) int {
	n := len(hands[0])
	for _, h := range hands {
		n = min(n, len(h))
	}
	return n
}
