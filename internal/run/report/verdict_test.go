package report

import (
	"math/rand/v2"
	"testing"

	"github.com/collabdict/collabdict/internal/numeric/metrics"
)

// pairs returns n scores of faults, with the given gain with the others, and n of normal rows.
func pairs(n int, gain float64) *metrics.Paired {
	random := rand.New(rand.NewPCG(1, 1))
	p := &metrics.Paired{AnomalyGroups: metrics.Groups(n, n), NormalGroups: metrics.Groups(n, n)}
	for range n {
		fault, normal := random.NormFloat64()+1, random.NormFloat64()
		for k := range 2 {
			p.Anomalies[k] = append(p.Anomalies[k], fault+gain*float64(1-k)+random.NormFloat64()/10)
			p.Normals[k] = append(p.Normals[k], normal+random.NormFloat64()/10)
		}
	}
	return p
}

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		by   string
		n    int
		gain float64
		want string
	}{
		{ByFaults, 200, 1, ByTogether},
		{ByFaults, 200, -1, ByAlone},
		{ByFaults, 2000, 0, Same},
		{ByFaults, 3, 0, ""},
		{ByExchanged, 200, 1, ByTogether},
		{ByExchanged, 2000, 0.05, Same}, // a difference beyond chance that does not matter
		{ByExchanged, 6, 0, ""},
	} {
		v := Verdict{By: c.by, Rows: c.n}
		if !v.Judge(pairs(c.n, c.gain), FoundAt) || v.Better != c.want || (v.FoundTogether > 0) != (c.by == ByFaults) {
			t.Errorf("by %s, %d rows, gain %g: %+v, want %q", c.by, c.n, c.gain, v, c.want)
		}
	}
	v := Verdict{By: ByFaults, Rows: 1}
	if !v.Judge(pairs(1, 5), FoundAt) || v.Error.Defined || v.FoundTogether != 1 || v.Better != "" {
		t.Errorf("of one fault: %+v", v)
	}
	if (&Verdict{By: ByFaults}).Judge(&metrics.Paired{}, FoundAt) {
		t.Error("no rows judge")
	}
}

// A verdict that is not clear says how many rows would do: four times as many for half the interval.
func TestRowsNeeded(t *testing.T) {
	for _, c := range []struct {
		by         string
		rows, want int
		err        float64
	}{{ByExchanged, 100, 400, 2 * matters}, {ByExchanged, 100, 0, matters}, {ByExchanged, 3, leastSame, 0}, {ByFaults, 100, 0, 1}} {
		v := Verdict{By: c.by, Rows: c.rows, Error: Of(c.err)}
		if got := v.Needed(c.rows); got != c.want {
			t.Errorf("by %s with %d rows and ± %g: %d rows needed, want %d", c.by, c.rows, c.err, got, c.want)
		}
	}
}

// The sentence about all says what those of participants say.
func TestGains(t *testing.T) {
	r := &Run{}
	if r.Gains() != "" {
		t.Error("a run without verdicts has gains")
	}
	for _, better := range []string{ByTogether, ByTogether, Same, "", ByAlone} {
		r.Participants = append(r.Participants, Participant{HeldOut: &HeldOut{Verdict: &Verdict{Better: better}}})
	}
	r.Participants = append(r.Participants, Participant{})
	if got, want := r.Gains(), "of 5 participants, together is better for 2 and alone for 1; for 1 there is no difference that matters; for 1 it is not clear, as by chance either could be better"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
