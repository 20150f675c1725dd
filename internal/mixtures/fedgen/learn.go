package fedgen

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
)

// Local fits a participant's mixture to its rows, before anything is published. It is an error
// if x has fewer rows than the smallest component may have. few is the number of components
// that were too small and were merged into others.
func Local(x *mat.Dense, c Config) (own Contribution, few int, err error) {
	rows, _ := x.Dims()
	if least := c.minRows(); rows < least {
		return Contribution{}, 0, fmt.Errorf("rows: want at least %d, the smallest size of a component, got %d", least, rows)
	}
	choices, best, err := Select(x, c.Local, c.EM, c.Seed)
	if err != nil {
		return Contribution{}, 0, fmt.Errorf("local fit: %w", err)
	}
	own = Contribution{Rows: rows, Moments: MomentsOf(choices[best].Mixture)}
	if own, few, err = own.WithoutFew(c.minRows()); err != nil {
		return Contribution{}, 0, fmt.Errorf("own mixture: %w", err)
	}
	return own, few, nil
}

// Exchange gathers the contributions of all members and aggregates them. A member that is lost
// before it has published is left out.
func Exchange(ctx context.Context, g collabdict.Group, own Contribution, c Config) (*Result, error) {
	blob, err := own.Encode()
	if err != nil {
		return nil, fmt.Errorf("own mixture: %w", err)
	}
	blobs, err := g.Gather(ctx, mixtureEntry, blob)
	if err != nil {
		return nil, fmt.Errorf("gather mixtures: %w", err)
	}
	var all []Contribution
	for s, blob := range blobs {
		if blob == nil { // member is not in the view
			continue
		}
		one, err := Decode(blob, c.EM.Form, own.Dim(), c.Local.Max)
		if err != nil {
			return nil, fmt.Errorf("mixture of member %d of %d: %w", s+1, len(blobs), err)
		}
		all = append(all, one)
	}
	return Aggregate(all, c)
}
