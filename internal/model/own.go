package model

import (
	"fmt"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/gmm/fedgem"
	"github.com/collabdict/collabdict/internal/npz"
	"gonum.org/v1/gonum/mat"
)

// Own are a participant's own components; each belongs to a shared one.
type Own struct {
	Mixture *gmm.Mixture
	// Of is the shared component that each own one is of, from 0.
	Of []int
}

// Assign returns the component, from 0, that each row of z is of, in the coordinates
// trained on: that of the participant's own components, where there are any, which have
// most of it, else the one that is most responsible. The model has to have Components.
func (m *Model) Assign(z *mat.Dense) []int {
	if m.Own != nil {
		return fedgem.Labels(m.Own.Mixture, m.Own.Of, z)
	}
	return m.Scorer.(Assigner).Assign(z)
}

const ownPrefix = "own_"

func (o *Own) put(w *npz.Writer) error {
	if err := putMixture(w, ownPrefix, o.Mixture); err != nil {
		return err
	}
	of := make([]int64, len(o.Of))
	for i, c := range o.Of {
		of[i] = int64(c)
	}
	return npz.Put(w, ownPrefix+"clusters", npz.Array[int64]{Shape: []int{len(of)}, Data: of})
}

func (m *Model) readOwn(a *npz.Archive, dim int) (*Own, error) {
	mixture, err := m.readMixture(a, ownPrefix, dim)
	if err != nil {
		return nil, err
	}
	of, err := npz.Get[int64](a, ownPrefix+"clusters")
	if err != nil {
		return nil, err
	}
	o := &Own{Mixture: mixture}
	if fmt.Sprint(of.Shape) != fmt.Sprint([]int{mixture.Components()}) {
		return nil, fmt.Errorf("%sclusters: want shape [%d], got %v", ownPrefix, mixture.Components(), of.Shape)
	}
	for _, c := range of.Data {
		if c < 0 || c >= int64(m.Components()) {
			return nil, fmt.Errorf("%sclusters: want 0 to %d, got %d", ownPrefix, m.Components()-1, c)
		}
		o.Of = append(o.Of, int(c))
	}
	return o, nil
}
