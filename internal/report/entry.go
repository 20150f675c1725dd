package report

import (
	"fmt"
	"strings"
)

// Entry is one line of a ledger: something that others have learned about rows, who has learned it,
// and how many rows it rests on.
type Entry struct {
	Kind EntryKind `json:"kind"`
	What string    `json:"what"`
	// SeenBy says who could see it.
	SeenBy string `json:"seen_by"`
	// Rounds are the first and the last; round 0 is the start. Nil of what is in no round.
	Rounds *[2]int `json:"rounds,omitempty"`
	// Times says how often it came about, such as how many totals were opened.
	Times int `json:"times"`
	// Members are the fewest and the most whose rows a total is of; nil where it is not one of
	// several members.
	Members *[2]int `json:"members,omitempty"`
	// Rows are those it rests on, and LeastRows those of the component that has the fewest; 0
	// where that is not known.
	Rows      float64 `json:"rows,omitempty"`
	LeastRows float64 `json:"least_rows,omitempty"`
	// Spend is the privacy loss, where noise bounds it.
	Spend *Spend `json:"spend,omitempty"`
}

// EntryKind is what an entry is of.
type EntryKind string

// The kinds of entries.
const (
	TotalEntry     EntryKind = "total"       // sums that all members have opened
	PublishedEntry EntryKind = "published"   // what each member shows in the clear
	LoneEntry      EntryKind = "lone_change" // totals that tell of few members together
	NoiseEntry     EntryKind = "noise"       // what noise hides, and how well
	ReleaseEntry   EntryKind = "release"     // a released model
)

// Spend is a privacy loss that noise bounds.
type Spend struct {
	// ZCDP is ρ of zero-concentrated differential privacy. Those of several spends add up.
	ZCDP float64 `json:"zcdp"`
	// Epsilon is that of (ε, δ)-differential privacy, at Delta.
	Epsilon float64 `json:"epsilon"`
	Delta   float64 `json:"delta"`
	// Of says which change of the rows it bounds what can be seen of, and under which conditions.
	Of string `json:"of"`
}

// Sentence says an entry in words.
func (e Entry) Sentence() string {
	var b strings.Builder
	switch {
	case e.Rounds == nil:
	case *e.Rounds == [2]int{}:
		b.WriteString("start: ")
	case e.Rounds[0] == e.Rounds[1]:
		fmt.Fprintf(&b, "round %d: ", e.Rounds[0])
	case e.Rounds[0] == 0:
		fmt.Fprintf(&b, "start to round %d: ", e.Rounds[1])
	default:
		fmt.Fprintf(&b, "rounds %d to %d: ", e.Rounds[0], e.Rounds[1])
	}
	if m := e.Members; m != nil {
		of := fmt.Sprint(m[1])
		if m[0] != m[1] {
			of = fmt.Sprintf("%d to %d", m[0], m[1])
		}
		fmt.Fprintf(&b, "%s over %s members of ", times(e.Times, "a total", "totals"), of)
	} else if e.Kind == PublishedEntry && e.Times > 0 {
		fmt.Fprintf(&b, "%s in the clear, ", times(e.Times, "a message", "messages"))
	}
	b.WriteString(e.What + ". Seen by " + e.SeenBy + ".")
	switch {
	case e.Rows == 0:
	case e.LeastRows == 0:
		fmt.Fprintf(&b, " It combines %.6g rows.", e.Rows)
	default:
		fmt.Fprintf(&b, " It combines %.6g rows; the smallest component, at the end, %.4g.", e.Rows, e.LeastRows)
	}
	if s := e.Spend; s != nil {
		fmt.Fprintf(&b, " Epsilon %.4g at delta %g (zCDP %.4g), for %s.", s.Epsilon, s.Delta, s.ZCDP, s.Of)
	}
	return b.String()
}

func times(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return fmt.Sprintf("%d %s", n, several)
}
