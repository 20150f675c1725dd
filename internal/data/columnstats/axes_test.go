package columnstats

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/netsim"
)

// nearPlane returns rows near a plane. The last column is constant.
func nearPlane(n int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 3))
	x := mat.NewDense(n, 5, nil)
	for i := range n {
		u, v := 3*rng.NormFloat64(), rng.NormFloat64()
		x.SetRow(i, []float64{1 + u, -u + v, 1e-3 * v, 0.01 * rng.NormFloat64(), 7})
	}
	return x
}

// Without a group, the axes and variances are those of gonum's singular value decomposition.
func TestPrincipalAxesAlone(t *testing.T) {
	x := nearPlane(200, 1)
	p, err := PrincipalAxes(t.Context(), collabdict.Solo{}, matrix{x}, 3)
	if err != nil {
		t.Fatal(err)
	}
	centred := mat.DenseCopyOf(x)
	centred.Apply(func(_, j int, v float64) float64 { return v - p.Mean[j] }, centred)
	var svd mat.SVD
	svd.Factorize(centred, mat.SVDThin)
	var v mat.Dense
	svd.VTo(&v)
	for i, s := range svd.Values(nil)[:3] {
		if want := s * s / 200; math.Abs(p.Variances[i]-want) > 1e-9*want+1e-15 {
			t.Errorf("axis %d: variance %g, want %g", i, p.Variances[i], want)
		}
		axis := p.Axes.RawRowView(i)
		if along := math.Abs(floats.Dot(axis, mat.Col(nil, i, &v))); along < 1-1e-9 {
			t.Errorf("axis %d is not that of the singular values: %g", i, along)
		}
		if floats.Max(axis) < -floats.Min(axis) {
			t.Errorf("axis %d: its largest entry is negative: %v", i, axis)
		}
	}
	if _, err := PrincipalAxes(t.Context(), collabdict.Solo{}, matrix{x}, 6); err == nil || !strings.Contains(err.Error(), "want 1 to 5 axes") {
		t.Errorf("got %v", err)
	}
}

// Over the protocol, all members compute the same bits: the axes of all rows in one place.
func TestPrincipalAxesTogether(t *testing.T) {
	net, err := netsim.New(netsim.Config{Names: netsim.Names(5), Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	got := make([]*Axes, 5)
	pooled := mat.NewDense(5*40, 5, nil)
	for rank := range got {
		pooled.Slice(rank*40, (rank+1)*40, 0, 5).(*mat.Dense).Copy(nearPlane(40, uint64(rank)))
	}
	_, err = net.Run(t.Context(), func(ctx context.Context, rank int, g collabdict.Group) (err error) {
		got[rank], err = PrincipalAxes(ctx, g, matrix{nearPlane(40, uint64(rank))}, 2)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want, err := PrincipalAxes(t.Context(), collabdict.Solo{}, matrix{pooled}, 2)
	if err != nil {
		t.Fatal(err)
	}
	for rank, p := range got {
		if !reflect.DeepEqual(p, got[0]) {
			t.Errorf("member %d has other axes", rank)
		}
	}
	if !mat.EqualApprox(got[0].Axes, want.Axes, 1e-6) || !floats.EqualApprox(got[0].Variances, want.Variances, 1e-6) || math.Abs(got[0].Total/want.Total-1) > 1e-6 {
		t.Errorf("got %v, want %v", got[0], want)
	}
}
