package dataset

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/partition"
	"github.com/collabdict/collabdict/internal/data/rows"
)

// assemble joins the files' shares in the order of the files.
func (s *Spec) assemble(sch schema, shares []*share) (*Dataset, error) {
	d := &Dataset{Columns: rows.WindowColumns(sch.features, s.Window), Ignored: sch.ignored}
	if sch.textLabels {
		d.Classes = numberClasses(shares)
	}
	for _, sh := range shares {
		d.FirstClass = cmp.Or(d.FirstClass, sh.class)
		d.Gaps.Add(&sh.gaps)
	}
	if err := s.checkAnomalies(d, shares, sch.from); err != nil {
		return nil, err
	}
	groups := merge(shares)
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		watch, file := &groups[name].watch, fileOf(name, shares)
		d.Suspects = append(d.Suspects, watch.suspects(file, &sch)...)
		d.Sentinels = append(d.Sentinels, watch.sentinels(file, &sch)...)
	}
	if s.Split.Kind == partition.PCAKMeans && d.Gaps.Partial > d.Gaps.Dropped {
		return nil, &Error{Msg: "rows with missing cells cannot be dealt by how alike they are", Hint: "leave them out with --missing skip, or take another --split"}
	}
	if s.Split.Kind == partition.IID {
		groups = s.deal(groups[""], len(sch.features))
	} else if s.Split.Kind.Dealt() {
		var err error
		if groups, err = s.dealClasses(groups, len(sch.features)); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		d.Participants = append(d.Participants, s.participant(name, groups[name], sch.features))
	}
	classes := s.ClassLabels || slices.ContainsFunc(d.Participants, hasClasses)
	for i := range d.Participants {
		d.Participants[i].ClassLabels, d.Participants[i].TextLabels = classes, sch.textLabels
	}
	return d, nil
}

// fileOf returns the first file with rows of a group.
func fileOf(group string, shares []*share) string {
	return shares[slices.IndexFunc(shares, func(sh *share) bool { return sh.groups[group] != nil })].path
}

// hasClasses reports whether labels are of more kinds than normal (0, -1) and anomaly (1).
func hasClasses(p Participant) bool {
	return slices.ContainsFunc(p.TrainLabels, isClass) || slices.ContainsFunc(p.TestLabels, isClass)
}

// isClass reports whether a label is neither normal nor an anomaly. Labels that are text are
// NaN.
func isClass(label float64) bool { return label != 0 && label != 1 && label != -1 }

// numberClasses replaces each file's own numbers of text labels by 2 plus the label's place in
// the sorted list of all, which it returns.
func numberClasses(shares []*share) []string {
	var classes []string
	for _, sh := range shares {
		classes = append(classes, sh.names...)
	}
	slices.Sort(classes)
	classes = slices.Compact(classes)
	for _, sh := range shares {
		for _, g := range sh.groups {
			for _, labels := range [][]float64{g.train.labels, g.test.labels} {
				for i, l := range labels {
					class, _ := slices.BinarySearch(classes, sh.names[int(l)])
					labels[i] = float64(2 + class)
				}
			}
		}
	}
	return classes
}

func merge(shares []*share) map[string]*group {
	groups := make(map[string]*group)
	for _, sh := range shares {
		for _, key := range sh.order {
			g, ok := groups[key]
			if !ok {
				groups[key] = sh.groups[key]
				continue
			}
			g.watch.join(&sh.groups[key].watch)
			g.train.add(&sh.groups[key].train)
			g.test.add(&sh.groups[key].test)
		}
	}
	return groups
}

func (r *rowSet) add(more *rowSet) {
	for _, row := range more.begins {
		r.begins = append(r.begins, r.n+row)
	}
	r.n += more.n
	r.values = append(r.values, more.values...)
	r.singles = append(r.singles, more.singles...)
	r.pixels = append(r.pixels, more.pixels...)
	r.parts = append(r.parts, more.parts...)
	r.labels = append(r.labels, more.labels...)
}

// NumberedName returns the name of participant i of n, counted from 0: p0001, p0002 and so on,
// with more digits if n needs them. Names sort as numbers.
func NumberedName(i, n int) string {
	return fmt.Sprintf("p%0*d", max(4, len(strconv.Itoa(n))), i+1)
}

func (r *rowSet) take(from *rowSet, row, width int) {
	r.n++
	switch {
	case from.singles != nil:
		r.singles = append(r.singles, from.singles[row*width:(row+1)*width]...)
	case from.pixels != nil:
		r.pixels = append(r.pixels, from.pixels[row*width:(row+1)*width]...)
	default:
		r.values = append(r.values, from.values[row*width:(row+1)*width]...)
	}
	if from.labels != nil {
		r.labels = append(r.labels, from.labels[row])
	}
}

func (s *Spec) participant(name string, g *group, columns []string) Participant {
	if r := &g.train; s.Limit > 0 && r.n > s.Limit {
		r.n, r.labels = s.Limit, r.labels[:min(s.Limit, len(r.labels))]
	}
	p := Participant{Name: name, Columns: rows.WindowColumns(columns, s.Window), Begins: g.train.begins, TestBegins: g.test.begins}
	p.Train, p.TrainLabels = s.source(&g.train, len(columns), false), g.train.labels
	p.Test, p.TestLabels = p.Train, p.TrainLabels
	if s.TestWhere.Given() {
		p.Test, p.TestLabels = s.source(&g.test, len(columns), true), g.test.labels
	}
	return p
}

// source returns the rows as a source; nil if there are none.
func (s *Spec) source(r *rowSet, width int, test bool) collabdict.Rows {
	switch {
	case r.n == 0:
		return nil
	case r.parts != nil:
		return newStream(s, width, test, r.parts, r.n)
	case r.singles != nil:
		return rows.InNarrow(width, r.singles[:r.n*width])
	case r.pixels != nil:
		return rows.InNarrow(width, r.pixels[:r.n*width])
	}
	return rows.InMemory(mat.NewDense(r.n, width, r.values[:r.n*width]))
}
