package networks

import (
	"context"
	"fmt"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
)

// What members learn of each other, as [algorithm.Disclosure] lists it.
const (
	// LargestClasses is learned by agreeing on the number of classes.
	LargestClasses = "how many members have which class as their largest"
	// MeanConditions is learned of conditions, see package conditioning.
	MeanConditions = "from the change of the biases: the mean of all members' conditions, so of two members each learns the other's"
)

// AgreeClasses returns the number of classes, which members agree on if it is 0. Own classes
// of which there are not so many are an error: their owner was not in the sum.
func AgreeClasses(ctx context.Context, g collabdict.Group, name string, own []int, number int) (int, error) {
	if number == 0 {
		var err error
		if number, err = algorithm.AgreeClasses(ctx, g, own); err != nil {
			return 0, err
		}
	}
	return number, CheckClasses(name, own, number)
}

// CheckClasses reports a class that is none of so many.
func CheckClasses(name string, classes []int, number int) error {
	for i, c := range classes {
		if c < 0 || c >= number {
			return fmt.Errorf("%s: label of row %d: want a class from 0 to %d, as agreed, got %d: train with more --classes", name, i+1, number-1, c)
		}
	}
	return nil
}
