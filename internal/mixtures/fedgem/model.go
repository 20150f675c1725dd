package fedgem

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
)

// Model is the mixture of the shared clusters together with a participant's own components,
// which assign rows to clusters.
type Model struct {
	*gmm.Mixture
	Own *gmm.Mixture
	Of  []int // cluster of each own component, from 0
}

var _ interface {
	algorithm.Scorer
	algorithm.Explainer
	algorithm.Clusterer
	algorithm.Dictionary
} = (*Model)(nil)

// OwnClusters returns the cluster of each own component.
func (m *Model) OwnClusters() []int { return m.Of }

// Assign returns the cluster of the most responsible own component for each row.
func (m *Model) Assign(z *mat.Dense) []int { return Labels(m.Own, m.Of, z) }

const ownPrefix = "own_"

// Arrays returns the arrays of the shared mixture and of the own one, and the clusters of the
// own components.
func (m *Model) Arrays() []algorithm.Array {
	of := make([]int64, len(m.Of))
	for i, c := range m.Of {
		of[i] = int64(c)
	}
	own := append(m.Own.ArraysNamed(ownPrefix), algorithm.Array{Name: ownPrefix + "clusters", Shape: []int{len(of)}, Ints: of})
	return append(m.Mixture.Arrays(), own...)
}

// Load returns the model stored in arrays.
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
