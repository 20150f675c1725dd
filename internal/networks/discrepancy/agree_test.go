package discrepancy

import (
	"context"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/testkit/grouptest"
)

// together runs the rule over the protocol and returns the weights. It checks that their common
// part is the same at all members.
func together(t *testing.T, r Rule, own []Member) []Weight {
	t.Helper()
	most := Member{Discrepancy: 1e-9}
	for _, m := range own {
		most.Rows, most.Discrepancy = math.Max(most.Rows, m.Rows), math.Max(most.Discrepancy, m.Discrepancy)
	}
	out := make([]Weight, len(own))
	err := grouptest.Protocol(t)(t.Context(), len(own), func(ctx context.Context, g collabdict.Group, rank int) (err error) {
		out[rank], err = r.Agree(ctx, g, own[rank], most)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for rank, w := range out {
		sum += w.P
		if w.Offset != out[0].Offset || w.ByRows != out[0].ByRows || w.P < 0 {
			t.Errorf("%+v: member %d has %+v, the first %+v", r, rank, w, out[0])
		}
	}
	if math.Abs(sum-1) > 1e-6 {
		t.Errorf("%+v: weights add up to %.9f", r, sum)
	}
	return out
}

func shares(out []Weight) (p []float64) {
	for _, w := range out {
		p = append(p, w.P)
	}
	return p
}

// The weights of the published rule, and of a rule without relative discrepancies, are those that
// NumPy computes in one place.
func TestWeightsOfLabels(t *testing.T) {
	var known struct {
		Counts       [][]int
		Disco, Plain []float64
	}
	readExamples(t, "testdata/labels.json", &known)
	var own []Member
	var rows []float64
	for _, counts := range known.Counts {
		d, err := Labels(counts)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, c := range counts {
			n += c
		}
		own, rows = append(own, Member{float64(n), d}), append(rows, float64(n))
	}
	floats.Scale(1/floats.Sum(rows), rows)
	for _, test := range []struct {
		rule Rule
		want []float64
	}{
		{FedDisco(), known.Disco}, {Rule{A: 0.3, B: 0.2}, known.Plain}, {FedAvg(), rows},
	} {
		out := together(t, test.rule, own)
		if p := shares(out); !floats.EqualApprox(p, test.want, 1e-6) || out[0].ByRows || out[0].Offset != test.rule.B {
			t.Errorf("%+v: got %+v, want %v", test.rule, out, test.want)
		}
	}
}

// If the rule leaves no member a weight, members are weighted by rows, and ByRows reports it.
func TestNobodyHasAWeight(t *testing.T) {
	own := []Member{{10, 3}, {30, 4}, {60, 5}}
	out := together(t, Rule{A: 0.9}, own)
	if p := shares(out); !floats.EqualApprox(p, []float64{0.1, 0.3, 0.6}, 1e-12) || !out[2].ByRows {
		t.Errorf("got %+v", out)
	}
	// If each member has equal frequencies of all labels, there are no discrepancies to compare.
	if p := shares(together(t, FedDisco(), []Member{{10, 0}, {30, 0}, {60, 0}})); !floats.EqualApprox(p, []float64{0.2 / 1.3, 0.4 / 1.3, 0.7 / 1.3}, 1e-6) {
		t.Errorf("without discrepancies: %v", p)
	}
}

// The automatic offset is the smallest that leaves every member a weight, to a sixteenth.
func TestAutomaticOffset(t *testing.T) {
	own := []Member{{10, 0.2}, {30, 1.5}, {60, -0.3}}
	out := together(t, Rule{A: 0.9, B: 99, Auto: true}, own)
	need := 0.9*1.5 - 0.3 + 1e-3/3
	if b := out[0].Offset; b < need || b > need*17/16 {
		t.Errorf("offset %g, want %g and little more", b, need)
	}
	if p := shares(out); !(floats.Min(p) > 0) || out[0].ByRows || p[2] < p[0] || p[0] < p[1] {
		t.Errorf("got %v", p)
	}
	// If every member has a weight anyway, the offset is 0.
	if out := together(t, Rule{A: 0.1, Auto: true}, []Member{{50, 0.2}, {50, 0.4}, {50, 0}}); out[0].Offset != 0 {
		t.Errorf("offset %g, want 0", out[0].Offset)
	}
}

// The edge of a cell lies above its values, by at most a sixteenth.
func TestCells(t *testing.T) {
	for _, v := range []float64{1e-12, 1e-3, 0.5, 0.51, 0.99999, 1, 3.7, 1000, 1 << 19} {
		i := cell(v)
		if e := edgeOf(i); !(e > v && e <= v*17/16) || i >= cells {
			t.Errorf("%g is in cell %d with the edge %g", v, i, e)
		}
	}
	if cell(0) != 0 || cell(-1) != 0 || cell(1e-300) != 1 || cell(1e300) != cells-1 {
		t.Error("values outside all cells are not in the first or last")
	}
}

func TestBadMembers(t *testing.T) {
	most := Member{100, 1}
	for want, test := range map[string]struct {
		rule Rule
		own  Member
	}{
		"want a finite discrepancy, got NaN":            {FedAvg(), Member{5, math.NaN()}},
		"want a member of at least one row, got 0":      {FedAvg(), Member{0, 1}},
		"want an effect of at least 0, got a = -1":      {Rule{A: -1}, Member{5, 1}},
		"want a finite offset, got b = +Inf":            {Rule{B: math.Inf(1)}, Member{5, 1}},
		"value 0 of the vector is 101, outside":         {FedAvg(), Member{101, 1}},
		"value 1 of the vector is 3, outside its bound": {FedDisco(), Member{5, 3}},
	} {
		if _, err := test.rule.Agree(t.Context(), collabdict.Solo{}, test.own, most); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
