package networks

import (
	"context"
	"fmt"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
)

// AgreeClasses returns the number of classes. If number is 0, members agree on one. It is an
// error if this member has a class beyond that number because it was not in the sum.
func AgreeClasses(ctx context.Context, g collabdict.Group, name string, own []int, number int) (int, error) {
	if number == 0 {
		var err error
		if number, err = algorithm.AgreeClasses(ctx, g, own); err != nil {
			return 0, err
		}
	}
	return number, CheckClasses(name, own, number)
}

// CheckClasses returns an error for the first class that is not below number.
func CheckClasses(name string, classes []int, number int) error {
	for i, c := range classes {
		if c < 0 || c >= number {
			return fmt.Errorf("%s: label of row %d: want a class from 0 to %d, as agreed, got %d: train with more --classes", name, i+1, number-1, c)
		}
	}
	return nil
}
