package fedgem

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
)

// Model is the clusters of all as a mixture, with a participant's own components, which
// say of which cluster a row is.
type Model struct {
	*gmm.Mixture
	Own *gmm.Mixture
	Of  []int // the cluster that each own component is of, from 0
}

var _ interface {
	algorithm.Scorer
	algorithm.Explainer
	algorithm.Clusterer
	algorithm.Dictionary
} = (*Model)(nil)

// OwnClusters returns the cluster that each own component is of.
func (m *Model) OwnClusters() []int { return m.Of }

// Assign returns the cluster whose own components have most of each row.
func (m *Model) Assign(z *mat.Dense) []int { return Labels(m.Own, m.Of, z) }

// ownPrefix begins the names of arrays of own components.
const ownPrefix = "own_"

// Arrays returns those of the mixture, of the own one, and the clusters of its components.
func (m *Model) Arrays() []algorithm.Array {
	of := make([]int64, len(m.Of))
	for i, c := range m.Of {
		of[i] = int64(c)
	}
	own := append(m.Own.ArraysNamed(ownPrefix), algorithm.Array{Name: ownPrefix + "clusters", Shape: []int{len(of)}, Ints: of})
	return append(m.Mixture.Arrays(), own...)
}

// Load returns the model that arrays are of.
func (a *Algorithm) Load(arrays algorithm.Arrays, coordinates int) (algorithm.Model, error) {
	form, err := gmm.ParseCovariance(a.Covariance)
	if err != nil {
		return nil, fmt.Errorf("covariance: %w", err)
	}
	m := &Model{}
	if m.Mixture, err = gmm.LoadMixture(arrays, "", form, coordinates); err != nil {
		return nil, err
	}
	if m.Own, err = gmm.LoadMixture(arrays, ownPrefix, form, coordinates); err != nil {
		return nil, err
	}
	of, _, err := arrays.Ints(ownPrefix+"clusters", m.Own.Components())
	if err != nil {
		return nil, err
	}
	for _, c := range of {
		if c < 0 || c >= int64(m.Components()) {
			return nil, fmt.Errorf("%sclusters: want 0 to %d, got %d", ownPrefix, m.Components()-1, c)
		}
		m.Of = append(m.Of, int(c))
	}
	return m, nil
}
