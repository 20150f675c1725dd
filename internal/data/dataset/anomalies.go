package dataset

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/collabdict/collabdict/internal/data/rows"
)

// IsAnomaly reports whether a label means an anomaly: it equals one of the values in Anomaly, as text whatever
// its capitals, or as a number; or it equals 1 if there are none.
func (s *Spec) IsAnomaly(cell string) bool {
	cell = strings.TrimSpace(cell)
	got, ok := parse(cell)
	return slices.ContainsFunc(strings.Split(cmp.Or(s.Anomaly, "1"), ","), func(want string) bool {
		want = strings.TrimSpace(want)
		number, is := parse(want)
		return want != "" && strings.EqualFold(cell, want) || ok && is && got == number
	}) || s.Anomaly != "" && strings.EqualFold(cell, strings.TrimSpace(s.Anomaly))
}

// tellsAnomalies reports whether a label of text says that a row is normal or an anomaly, so that it is
// no class.
func tellsAnomalies(label string) bool { return tellsNormal(label) || tellsFaults(label) }

// checkAnomalies returns an error if labels tell anomalies, but not which of them do. Scikit-learn has -1 for
// anomalies and 1 for other rows.
func (s *Spec) checkAnomalies(d *Dataset, shares []*share, first string) error {
	fault := &Error{File: first, Column: s.Label}
	if s.Label == "" || !s.Anomalies || s.ClassLabels {
		return nil
	}
	if s.Anomaly != "" {
		var seen []string
		for _, sh := range shares {
			for _, v := range sh.seenLabels {
				note(&seen, v)
			}
		}
		if slices.ContainsFunc(seen, s.IsAnomaly) || s.anomalyIn(shares) {
			if value := s.unseen(seen); value != "" && len(shares) > 1 { // one member need not have all
				fault.Msg, fault.Hint = fmt.Sprintf("no row has the label %q, one of those of anomalies", value), "correct --anomaly; values there are "+quoted(seen)
				return fault
			}
			return s.checkAlike(shares)
		}
		if len(seen) < 2 {
			return nil
		}
		fault.Msg, fault.Hint = fmt.Sprintf("no row has the label %q of anomalies", s.Anomaly), "name another --anomaly; values there are "+quoted(seen)
		return fault
	}
	if len(d.Classes) == 2 || slices.ContainsFunc(d.Classes, tellsAnomalies) {
		fault.Msg, fault.Hint = "labels are words, such as "+quoted(d.Classes[:min(len(d.Classes), 8)]), "say which of them means an anomaly with --anomaly VALUE; the others are then normal"
		return fault
	}
	if d.Classes == nil && s.flipped(shares) {
		fault.Msg, fault.Hint = "labels are 1 and -1, and either may mean an anomaly", "say which does: --anomaly -1, as in scikit-learn, or --anomaly 1"
		return fault
	}
	if anomalies, all := known(shares); s.Normal && 2*anomalies > all {
		fault.Msg = fmt.Sprintf("%d of %d rows to train on have the label 1, which means an anomaly and leaves them out", anomalies, all)
		fault.Hint = "say --anomaly 0 if 1 means a normal row, or --anomaly 1 if these are anomalies"
		return fault
	}
	return nil
}

// unseen returns the first of several labels of anomalies that no row has, "" if there is none or not all
// labels were kept.
func (s *Spec) unseen(seen []string) string {
	values := strings.Split(s.Anomaly, ",")
	if len(values) < 2 || len(seen) >= mostSeen {
		return ""
	}
	for _, value := range values {
		of := Spec{Anomaly: value}
		if strings.TrimSpace(value) != "" && !slices.ContainsFunc(seen, of.IsAnomaly) {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// checkAlike returns an error if a file without anomalies has several labels, and no file with anomalies has any
// of them: its labels then tell anomalies in another way.
func (s *Spec) checkAlike(shares []*share) error {
	for _, sh := range shares {
		if len(sh.seenLabels) < 2 || s.anomalyIn([]*share{sh}) {
			continue
		}
		common := func(other *share) bool {
			return s.anomalyIn([]*share{other}) && slices.ContainsFunc(other.seenLabels, func(a string) bool {
				return slices.ContainsFunc(sh.seenLabels, func(b string) bool { return strings.EqualFold(a, b) })
			})
		}
		if !slices.ContainsFunc(shares, common) {
			return &Error{
				File: sh.path, Column: s.Label, Msg: fmt.Sprintf("no row has the label %q of anomalies, and other files have other labels than %s", s.Anomaly, quoted(sh.seenLabels)),
				Hint: "write the same labels in all files, or name all that mean anomalies, separated by commas",
			}
		}
	}
	return nil
}

// known counts the training rows that are labelled 1, and all. It counts none if labels are classes.
func known(shares []*share) (anomalies, all int) {
	for _, sh := range shares {
		for _, g := range sh.groups {
			for _, label := range g.train.labels {
				if isClass(label) {
					return 0, 0
				}
				anomalies, all = anomalies+one(label == 1), all+1
			}
		}
	}
	return anomalies, all
}

// anomalyIn reports whether any row is labelled 1.
func (s *Spec) anomalyIn(shares []*share) bool {
	return slices.ContainsFunc(shares, func(sh *share) bool {
		for _, g := range sh.groups {
			if slices.Contains(g.train.labels, 1) || slices.Contains(g.test.labels, 1) {
				return true
			}
		}
		return false
	})
}

// flipped reports whether labels are 1 and -1 and nothing else.
func (s *Spec) flipped(shares []*share) bool {
	var negative, positive bool
	for _, sh := range shares {
		for _, g := range sh.groups {
			for _, label := range slices.Concat(g.train.labels, g.test.labels) {
				switch label {
				case 1:
					positive = true
				case -1:
					negative = true
				default:
					return false
				}
			}
		}
	}
	return negative && positive
}

// leaveOutAnomalies leaves rows that are labelled 1 out of training, and the rows after them whose windows of w
// rows hold one. Without other test rows, Test keeps all rows.
func (p *Participant) leaveOutAnomalies(w int) {
	if p.ClassLabels || !slices.Contains(p.TrainLabels, 1) {
		return
	}
	p.labelled, p.labels = p.Train, p.TrainLabels
	p.TrainLabels = nil
	var out []int
	held := 0 // rows until the window is without an anomaly
	for i, label := range p.labels {
		if slices.Contains(p.Begins, i) {
			held = 0
		}
		if label == 1 {
			held = max(w, 1)
		}
		if held > 0 {
			held--
			out = append(out, i)
			continue
		}
		p.TrainLabels = append(p.TrainLabels, label)
	}
	p.Train = rows.Without(p.labelled, out)
}

// KnownAnomalies returns the number of rows that were left out of training because they are, or their
// windows hold, known anomalies.
func (p *Participant) KnownAnomalies() int {
	if p.labelled == nil {
		return 0
	}
	return len(p.labels) - len(p.TrainLabels)
}

// CheckLabel returns an error for a label that does not tell whether the row, which has that number, is an
// anomaly.
func (s *Spec) CheckLabel(cell string, row int) error {
	if _, ok := parse(cell); ok || cell == "" || s.Anomaly != "" {
		return nil
	}
	return &Error{
		File: s.Data[0], Row: row, Column: s.Label, Got: cell, Msg: fmt.Sprintf("the label %q does not tell whether the row is an anomaly", cell),
		Hint: "say which label means an anomaly with --anomaly VALUE; the others are then normal",
	}
}
