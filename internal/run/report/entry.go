package report

import (
	"fmt"
	"strings"
)

// Entry is one line of a ledger: what others have learned about rows, who has learned it, and
// how many rows it combines.
type Entry struct {
	Kind EntryKind `json:"kind"` // total, published (in the clear), lone_change, noise or release
	What string    `json:"what"` // what others have seen, in words
	// SeenBy names those who could see it.
	SeenBy string `json:"seen_by"`
	// Rounds are the first and the last round; 0 is the start. It is absent for entries without
	// rounds.
	Rounds *[2]int `json:"rounds,omitempty"`
	// Times counts the occurrences, such as totals opened.
	Times     int     `json:"times"`
	Members   *[2]int `json:"members,omitempty"`    // the smallest and the largest number of members in a total
	Rows      float64 `json:"rows,omitempty"`       // the rows combined, of all members, if known
	LeastRows float64 `json:"least_rows,omitempty"` // the rows of the smallest component, if known
	// Spend is the privacy loss if noise bounds it.
	Spend *Spend `json:"spend,omitempty"`
}

// EntryKind is the kind of an entry.
type EntryKind string

// The kinds of entries.
const (
	TotalEntry     EntryKind = "total"       // sums that all members have opened
	PublishedEntry EntryKind = "published"   // values that each member shows in the clear
	LoneEntry      EntryKind = "lone_change" // totals that together reveal few members
	NoiseEntry     EntryKind = "noise"       // what noise hides, and how well
	ReleaseEntry   EntryKind = "release"     // a released model
)

// Sentence returns the entry in words.
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
