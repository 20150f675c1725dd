package networks

import (
	"fmt"
	"slices"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/option"
)

// mostUnits is the maximum number of units of a hidden layer, and of latent dimensions. A
// network that no computer could train is refused before memory is allocated for it.
const mostUnits = 1 << 16

// Rounds returns the option for the number of rounds.
func Rounds(p *int, byDefault int) *option.Option {
	return option.Int(p, "rounds", byDefault, "number of `ROUNDS` of training", option.AtLeast(1))
}

// Latent returns the option for the number of latent dimensions.
func Latent(p *int) *option.Option {
	return option.Int(p, "latent", 8, "number `D` of latent dimensions, the length of the code into which the encoder compresses a row", option.Check(checkLatent))
}

// checkLatent returns an error for an impossible number of latent dimensions.
func checkLatent(dimensions int) error {
	if dimensions < 1 || dimensions > mostUnits {
		return fmt.Errorf("want 1 to %d dimensions, got %d", mostUnits, dimensions)
	}
	return nil
}

// Hidden returns the option for the units of hidden layers.
func Hidden(p *[]int, byDefault []int, help string, rules ...option.Rule[[]int]) *option.Option {
	return option.Ints(p, "hidden", byDefault, help, append(rules, option.Check(checkHidden))...)
}

// checkHidden returns an error for the first impossible hidden layer.
func checkHidden(layers []int) error {
	for i, units := range layers {
		if units < 1 || units > mostUnits {
			return fmt.Errorf("want 1 to %d units in layer %d, got %d", mostUnits, i+1, units)
		}
	}
	return nil
}

// CheckGated returns an error if there is no layer that could have conditions.
func CheckGated(layers []int) error {
	if len(layers) == 0 {
		return fmt.Errorf("want at least 1 layer of units with conditions, got none")
	}
	return nil
}

// Batch returns the option for the number of rows per step.
func Batch(p *int, byDefault int) *option.Option {
	return option.Int(p, "batch", byDefault, "number of its own `ROWS` that a member uses per training step", option.Check(func(rows int) error {
		if rows < 1 {
			return fmt.Errorf("want at least 1 row, got %d", rows)
		}
		return nil
	}))
}

// Rate returns the option for the learning rate of the named optimiser.
func Rate(p *float64, byDefault float64, of string) *option.Option {
	return option.Float(p, "rate", byDefault, "learning `RATE` of "+of, option.Above(0, 1))
}

// Classes returns the option for the number of classes.
func Classes(p *int) *option.Option {
	return option.Int(p, "classes", 0, "number `N` of classes, which are labelled 0 to N-1 (default the largest label of any member plus 1, found by a private sum)",
		option.Check(func(n int) error {
			if n != 0 && (n < 2 || n > algorithm.MostClasses) {
				return fmt.Errorf("want 2 to %d, or 0 to agree on the number in the data, got %d", algorithm.MostClasses, n)
			}
			return nil
		}))
}

// Backwards returns the units of hidden layers in reverse.
func Backwards(hidden []int) []int {
	units := slices.Clone(hidden)
	slices.Reverse(units)
	return units
}

// Weights returns the number of weights and biases of a chain of layers. Hidden units have the
// given number of weight columns, 2 if they are gated.
func Weights(in int, hidden []int, columns, out int) int {
	n := 0
	for _, units := range hidden {
		n, in = n+(in+1)*columns*units, units
	}
	return n + (in+1)*out
}
