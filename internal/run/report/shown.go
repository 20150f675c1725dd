package report

import (
	"strings"

	"github.com/collabdict/collabdict/algorithm"
)

// Shown is something that a run shows to the other members, in words.
type Shown struct {
	How  string `json:"how"`  // in totals or in the clear, and when
	What string `json:"what"` // sentences about what it is and what hides it
}

// ShownOf describes the items of an inventory. Those that are shown in the same way are one.
func ShownOf(items []algorithm.Item) (list []Shown) {
	for n, i := range items {
		if n == 0 || !sameWay(items[n-1], i) {
			list = append(list, Shown{How: sentence(string(i.Form)) + ", " + string(i.When)})
		}
		last := &list[len(list)-1]
		last.What = strings.TrimPrefix(last.What+" ", " ") + sentence(i.What) + "."
		if n+1 < len(items) && sameWay(i, items[n+1]) {
			continue
		}
		if i.Hidden != "" {
			last.What += " Also hidden by " + i.Hidden + "."
		}
		switch i.Epsilon {
		case algorithm.FreeOfRows:
			last.What += " No row changes it."
		case algorithm.Covered:
			last.What += " Epsilon covers it."
		}
	}
	return list
}

func sameWay(a, b algorithm.Item) bool {
	a.Entry, a.What = b.Entry, b.What
	return a == b
}

// sentence begins a text with a capital letter.
func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
