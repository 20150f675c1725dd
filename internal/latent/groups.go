package latent

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Groups tells the rows looked at apart.
type Groups struct {
	Names []string
	Of    []int // the group of each row
	// Graded says that they are steps of scores; the last are anomalies.
	Graded bool
	// Rest says that the last one is of several classes.
	Rest bool
}

// mostGroups can be told apart by their colours.
const mostGroups = 10

// Classes groups the rows at places by their labels: by the most frequent classes, in order,
// or as normal rows and anomalies. names are those of labels that are text.
func Classes(labels []float64, classes bool, names []string, places []int) Groups {
	if !classes {
		g := Groups{Names: []string{"normal", "anomaly"}}
		for _, at := range places {
			g.Of = append(g.Of, min(1, max(0, int(labels[at]))))
		}
		return g
	}
	count := map[float64]int{}
	for _, at := range places {
		count[labels[at]]++
	}
	g, kept := Groups{}, frequent(count)
	for _, label := range kept {
		g.Names = append(g.Names, className(label, names))
	}
	if g.Rest = len(kept) < len(count); g.Rest {
		g.Names = append(g.Names, fmt.Sprintf("%d other classes", len(count)-len(kept)))
	}
	for _, at := range places {
		i := slices.Index(kept, labels[at])
		if i < 0 {
			i = len(kept)
		}
		g.Of = append(g.Of, i)
	}
	return g
}

// frequent returns the labels that most rows have, in order: all, or if these are too many
// for groups of their own, as many as leave room for one of the others.
func frequent(count map[float64]int) []float64 {
	var labels []float64
	for label := range count {
		labels = append(labels, label)
	}
	slices.SortFunc(labels, func(a, b float64) int { return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b)) })
	if len(labels) > mostGroups {
		labels = labels[:mostGroups-1]
	}
	slices.Sort(labels)
	return labels
}

// className returns that of a label, which is text from 2 on if there are names.
func className(label float64, names []string) string {
	if i := int(label) - 2; i >= 0 && i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%g", label)
}

// Grades groups rows by their anomaly scores: thirds of those that are at most the threshold,
// and those above it.
func Grades(scores []float64, threshold float64) Groups {
	var normal []float64
	for _, s := range scores {
		if s <= threshold {
			normal = append(normal, s)
		}
	}
	slices.Sort(normal)
	g := Groups{Graded: true}
	var ends []float64
	for _, i := range evenly(len(normal), 3)[min(1, len(normal)):] {
		ends = append(ends, normal[i])
		g.Names = append(g.Names, "score below "+signed(normal[i]))
	}
	g.Names = append(g.Names, "up to the threshold, "+signed(threshold), "above "+signed(threshold)+": anomalies")
	for _, s := range scores {
		of := 0
		for of < len(ends) && ends[of] <= s {
			of++
		}
		if !(s <= threshold) {
			of = len(ends) + 1
		}
		g.Of = append(g.Of, of)
	}
	return g
}

func signed(v float64) string { return strings.Replace(fmt.Sprintf("%.4g", v), "-", "−", 1) }

// Example is rows to show side by side.
type Example struct {
	Name string
	Rows []int // by their numbers among those looked at
}

// Examples returns the first rows of each group but the rest, at most so many of one; of
// grades four times as many of all rows, chosen evenly.
func (g Groups) Examples(most int) []Example {
	if g.Graded {
		var all []Example
		for some := range slices.Chunk(evenly(len(g.Of), 4*most), most) {
			all = append(all, Example{"own", some})
		}
		return all
	}
	all := make([]Example, len(g.Names))
	for i, name := range g.Names {
		all[i].Name = name
	}
	for row, of := range g.Of {
		if len(all[of].Rows) < most && !(g.Rest && of == len(all)-1) {
			all[of].Rows = append(all[of].Rows, row)
		}
	}
	return slices.DeleteFunc(all, func(e Example) bool { return e.Rows == nil })
}
