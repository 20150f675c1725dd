package task

import (
	"fmt"
	"slices"

	"github.com/collabdict/collabdict/internal/model"
)

// Bounds of networks, by which one that no machine could train is refused before there is
// room made for it.
const (
	// mostUnits is of a hidden layer, and of latent dimensions.
	mostUnits = 1 << 16
	// mostWeights is of all layers, biases among them: nodes sum no longer vectors.
	mostWeights = 1 << 25
)

func checkLatent(dimensions int) error {
	if dimensions < 1 || dimensions > mostUnits {
		return wrong("latent", "want 1 to %d dimensions, got %d", mostUnits, dimensions)
	}
	return nil
}

func checkHidden(layers []int) error {
	for i, units := range layers {
		if units < 1 || units > mostUnits {
			return wrong("hidden", "want 1 to %d units in layer %d, got %d", mostUnits, i+1, units)
		}
	}
	return nil
}

// checkWeights reports networks that are too large for rows of so many values.
func (t Task) checkWeights(inputs int) error {
	if n := t.weights(inputs); n > mostWeights {
		return &Error{"hidden", fmt.Sprintf("want a model of at most %d weights, got one of %d with these layers and %d columns", mostWeights, n, inputs), "take fewer hidden units, latent dimensions or columns"}
	}
	return nil
}

// weights is how many the networks have, of a classifier at least, as its classes may not be
// known yet; 0 of kinds that have none.
func (t Task) weights(inputs int) int {
	n := t.Networks
	back := slices.Clone(n.Hidden)
	slices.Reverse(back)
	switch t.Model {
	case model.CGAU:
		return chain(inputs, n.Hidden, 2, max(n.Classes, 2))
	case model.BVAE:
		columns := 1
		if n.Condition != "" {
			columns = 2
		}
		return chain(inputs, n.Hidden, columns, 2*n.Latent) + chain(n.Latent, back, columns, inputs)
	case model.MTVAE:
		return chain(inputs, back, 1, 2*n.Latent) + chain(n.Latent, n.Hidden, 1, 2*inputs)
	}
	return 0
}

// chain is the number of weights and biases of layers behind each other, whose hidden units
// have so many columns of weights: 2 if they are gated.
func chain(in int, hidden []int, columns, out int) int {
	n := 0
	for _, units := range hidden {
		n, in = n+(in+1)*columns*units, units
	}
	return n + (in+1)*out
}
