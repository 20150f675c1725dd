package latent

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Groups divides the viewed rows.
type Groups struct {
	Names []string
	Of    []int // the group of each row
	// Graded reports whether groups are steps of scores; the last holds anomalies.
	Graded bool
	// Rest reports whether the last group combines several classes.
	Rest bool
}

// mostGroups is the number of groups that colours can distinguish.
const mostGroups = 10

// Classes groups the rows at places by label: the most frequent classes in order, or normal
// rows and anomalies. names holds the labels that are text.
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

// frequent returns the most frequent labels in order: all, or if there are too many, all but
// the least frequent, which share a group.
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

// className returns the name of a label. If names is not nil, labels from 2 are text.
func className(label float64, names []string) string {
	if i := int(label) - 2; i >= 0 && i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%g", label)
}

// Grades groups rows by anomaly score: thirds of those up to the threshold, and those above.
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

// An Example is a set of rows to show side by side.
type Example struct {
	Name string
	Rows []int // indices among the viewed rows
}

// Examples returns up to most first rows of each group except the rest. For grades, it returns
// four times as many of all rows, evenly spaced.
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
