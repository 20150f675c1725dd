package networks

import (
	"fmt"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/option"
)

// MostUnits bounds a hidden layer, and latent dimensions, so that a network that no machine
// could train is refused before there is room made for it.
const MostUnits = 1 << 16

// Rounds binds the number of rounds.
func Rounds(p *int, byDefault int) *option.Option {
	return option.Int(p, "rounds", byDefault, "number of `ROUNDS` of training", option.AtLeast(1))
}

// Latent binds the number of latent dimensions.
func Latent(p *int) *option.Option {
	return option.Int(p, "latent", 8, "number `D` of latent dimensions, the length of the code into which the encoder compresses a row", option.Check(CheckLatent))
}

// CheckLatent reports a number of latent dimensions that cannot be.
func CheckLatent(dimensions int) error {
	if dimensions < 1 || dimensions > MostUnits {
		return fmt.Errorf("want 1 to %d dimensions, got %d", MostUnits, dimensions)
	}
	return nil
}

// Hidden binds the units of hidden layers.
func Hidden(p *[]int, byDefault []int, help string, rules ...option.Rule[[]int]) *option.Option {
	return option.Ints(p, "hidden", byDefault, help, append(rules, option.Check(CheckHidden))...)
}

// CheckHidden reports a hidden layer that cannot be.
func CheckHidden(layers []int) error {
	for i, units := range layers {
		if units < 1 || units > MostUnits {
			return fmt.Errorf("want 1 to %d units in layer %d, got %d", MostUnits, i+1, units)
		}
	}
	return nil
}

// CheckGated reports layers of which none has conditions.
func CheckGated(layers []int) error {
	if len(layers) == 0 {
		return fmt.Errorf("want at least 1 layer of units with conditions, got none")
	}
	return nil
}

// Batch binds the number of rows of a step.
func Batch(p *int, byDefault int) *option.Option {
	return option.Int(p, "batch", byDefault, "number of its own `ROWS` that a member uses per training step", option.Check(func(rows int) error {
		if rows < 1 {
			return fmt.Errorf("want at least 1 row, got %d", rows)
		}
		return nil
	}))
}

// Rate binds the rate of learning of some optimiser.
func Rate(p *float64, byDefault float64, of string) *option.Option {
	return option.Float(p, "rate", byDefault, "learning `RATE` of "+of, option.Above(0, 1))
}

// Classes binds the number of classes.
func Classes(p *int) *option.Option {
	return option.Int(p, "classes", 0, "number `N` of classes, which are labelled 0 to N-1 (default the largest label of any member plus 1, found by a private sum)",
		option.Check(func(n int) error {
			if n != 0 && (n < 2 || n > algorithm.MostClasses) {
				return fmt.Errorf("want 2 to %d, or 0 to agree on the number in the data, got %d", algorithm.MostClasses, n)
			}
			return nil
		}))
}

// Weights is the number of weights and biases of layers behind each other, whose hidden
// units have so many columns of weights: 2 if they are gated.
func Weights(in int, hidden []int, columns, out int) int {
	n := 0
	for _, units := range hidden {
		n, in = n+(in+1)*columns*units, units
	}
	return n + (in+1)*out
}
