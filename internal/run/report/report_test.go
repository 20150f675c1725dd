package report

import (
	"encoding/json"
	"math"
	"testing"
)

func TestFiguresInJSON(t *testing.T) {
	in := Participant{Name: "a", ROCAUC: Of(0.5), PRAUC: OfOK(0, false), Loglik: Of(math.NaN())}
	b, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"name":"a","rows":0,"roc_auc":0.5,"pr_auc":null,"loglik":null}`
	if string(b) != want {
		t.Errorf("got %s, want %s", b, want)
	}
	var out Participant
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	if again, _ := json.Marshal(out); string(again) != want {
		t.Errorf("after reading it back: %s", again)
	}
}

func TestFixed(t *testing.T) {
	for _, c := range []struct {
		v        float64
		decimals int
		want     string
	}{
		{-0.00004, 4, "0.0000"},
		{-0.00006, 4, "-0.0001"},
		{math.Copysign(0, -1), 2, "0.00"},
		{-0.4, 0, "0"},
		{-12.345, 2, "-12.35"},
		{7, 2, "7.00"},
		{math.NaN(), 2, "NaN"},
		{math.Inf(-1), 2, "-Inf"},
	} {
		if got := Fixed(c.v, c.decimals); got != c.want {
			t.Errorf("Fixed(%g, %d) = %q, want %q", c.v, c.decimals, got, c.want)
		}
	}
	if got := Of(-1e-9).String(); got != "0.0000" {
		t.Errorf("a figure next to 0 is %q", got)
	}
}

func TestMean(t *testing.T) {
	for _, c := range []struct {
		in   []Figure
		want Figure
	}{
		{nil, Figure{}},
		{[]Figure{{}, {}}, Figure{}},
		{[]Figure{{}, OfOK(0, false)}, OfOK(0, false)},
		{[]Figure{Of(1), OfOK(7, false), Of(2)}, Of(1.5)},
	} {
		if got := Mean(c.in); got != c.want {
			t.Errorf("Mean(%v) = %+v, want %+v", c.in, got, c.want)
		}
	}
}
