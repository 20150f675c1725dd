package average

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/testkit/grouptest"
	"github.com/collabdict/collabdict/vae"
)

func network() *vae.Network {
	return vae.New("n", 1, vae.Layer{Units: 1, Activation: vae.Gated}, vae.Layer{Units: 1})
}

// Conditions stay changed after a round with the own part alone.
func TestRoundOfAColumn(t *testing.T) {
	counts, total := make([]float64, 64*5), make([]float64, 7)
	for _, test := range []struct {
		name string
		g    collabdict.Group
		err  error
		want []float32
	}{
		{"own part", collabdict.Solo{}, nil, []float32{1, 2}},
		{"lost", &grouptest.Ahead{Answers: [][]float64{counts, total}}, nil, []float32{0, 2}},
		{"no part", &grouptest.Ahead{Early: [][]float64{counts, total}}, nil, []float32{0, 2}},
		{"error", collabdict.Solo{}, errors.New("no rows"), []float32{0, 2}},
	} {
		n := network()
		n.Private.Values[1] = 2
		c := NewColumn(n.Private)
		_, err := c.Round(t.Context(), test.g, New(n.Shared, 0, 0), func(context.Context) (Part, error) {
			n.Private.Values[0] = 1
			return Part{Weight: 1}, test.err
		})
		if !errors.Is(err, test.err) || !slices.Equal(n.Private.Values, test.want) || !slices.Equal(c.Before(), []float32{0, 2}) {
			t.Errorf("%s: got %v and conditions %v, before %v", test.name, err, n.Private.Values, c.Before())
		}
	}
}

// The mean is that of the biases of gated layers, wherever these are.
func TestSetMeanColumn(t *testing.T) {
	all := func() (*vae.Network, *vae.Network) {
		a, b := network(), vae.New("m", 1, vae.Layer{Units: 1}, vae.Layer{Units: 1, Activation: vae.Gated})
		vae.Join(a, b)
		return a, b
	}
	first, _ := all()
	now, _ := all()
	for i := range now.Shared.Values {
		first.Shared.Values[i], now.Shared.Values[i] = 1, float32(i)
	}
	SetMeanColumn(now.Private, first.Shared, now.Shared, 2)
	// W and b of 2 and 2 values, 1 and 1; 1 and 1, 2 and 2.
	if want := []float32{2, 4, 18, 20}; !slices.Equal(now.Private.Values, want) {
		t.Errorf("got %v, want %v", now.Private.Values, want)
	}
}
