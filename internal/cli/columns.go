package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/collabdict/collabdict/internal/run/report"
)

// figure is a column of the table of a run.
type figure struct {
	name string
	of   func(report.Scores) report.Figure
}

// figuresOf returns the figures that say most about this run, and more if verbose.
func figuresOf(r *report.Run, verbose bool) []figure {
	roc := figure{"ROC-AUC", func(s report.Scores) report.Figure { return s.ROCAUC }}
	silhouette := figure{"silhouette", func(s report.Scores) report.Figure { return s.Silhouette }}
	switch {
	case r.Accuracy.Applies:
		return []figure{{"accuracy", func(s report.Scores) report.Figure { return s.Accuracy }}, {"cross-entropy", func(s report.Scores) report.Figure { return s.CrossEntropy }}}
	case r.Silhouette.Applies && !r.ARI.Applies:
		return []figure{silhouette}
	case r.Silhouette.Applies && anomalies(r):
		return []figure{roc, silhouette}
	case r.Silhouette.Applies:
		return []figure{{"ARI", func(s report.Scores) report.Figure { return s.ARI }}, silhouette}
	case r.ROCAUC.Applies && !verbose:
		return []figure{roc}
	case r.ROCAUC.Applies:
		return []figure{roc, {"PR-AUC", func(s report.Scores) report.Figure { return s.PRAUC }}}
	}
	if verbose || !slices.ContainsFunc(r.Participants, func(p report.Participant) bool { return p.Verdict() != nil }) {
		return []figure{{"loglik", func(s report.Scores) report.Figure { return s.Loglik }}}
	}
	return nil
}

// anomalies reports whether all labels of a run mark anomalies, rather than classes.
func anomalies(r *report.Run) bool {
	return !slices.ContainsFunc(r.Participants, func(p report.Participant) bool { return p.ARI.Applies && !p.ROCAUC.Applies })
}

// tableLine is what the table of a run has of a participant, or of the means.
type tableLine struct {
	name, rows    string
	together      report.Scores
	alone, pooled *report.Scores  // nil if there are none
	verdict       *report.Verdict // nil if there is none
	left          string          // why the participant left; "" if it did not
}

// tableLineOf returns the line of a participant.
func tableLineOf(p report.Participant) tableLine {
	l := tableLine{
		name: p.Name, rows: fmt.Sprint(p.Rows), verdict: p.Verdict(), alone: p.Alone, left: p.Left,
		together: *p.Scores(),
	}
	l.compared(p.Baselines)
	return l
}

// meansLine returns the line of the means over participants.
func meansLine(r *report.Run) tableLine {
	l := tableLine{
		name: "mean", alone: r.Alone,
		together: report.Scores{ROCAUC: r.ROCAUC, PRAUC: r.PRAUC, Loglik: meanLoglik(r), ARI: r.ARI, Silhouette: r.Silhouette, Accuracy: r.Accuracy, CrossEntropy: r.CrossEntropy},
	}
	l.compared(r.Baselines)
	return l
}

// compared adds baselines. The figures of a verdict go first, so that the table shows what it says.
func (l *tableLine) compared(b *report.Baselines) {
	if b == nil {
		return
	}
	l.pooled = b.Pooled
	if l.alone == nil {
		l.alone = b.Alone
	}
}

// columnsOf returns the header of the table, and a function that formats a line, with the figures
// that this run has.
func columnsOf(r *report.Run, verbose bool) (string, func(l tableLine) string) {
	figures := figuresOf(r, verbose)
	means := meansLine(r)
	judged := judgedBy(r)
	head := "participant\ttrained on\t"
	label := func(which string) {
		for _, f := range figures {
			head += f.name + " " + which + "\t"
		}
	}
	cells := func(s *report.Scores) (line string) {
		if s == nil { // a participant without this baseline
			s = &report.Scores{}
		}
		for _, f := range figures {
			line += f.of(*s).String() + "\t"
		}
		return line
	}
	if means.alone != nil {
		label("alone")
	}
	label("together")
	if means.pooled != nil {
		label("pooled")
	}
	ari := r.ARI.Applies && !r.Silhouette.Applies // otherwise it is among figuresOf above
	if ari {
		head += "ARI\t"
	}
	for _, by := range judged {
		head += foundBy[by] + " alone\t" + foundBy[by] + " together\t"
	}
	if judged != nil {
		head += "better\t"
	}
	return head, func(l tableLine) string {
		line := l.name + "\t" + l.rows + "\t"
		if means.alone != nil {
			line += cells(l.alone)
		}
		line += cells(&l.together)
		if means.pooled != nil {
			line += cells(l.pooled)
		}
		if ari {
			line += l.together.ARI.String() + "\t"
		}
		if v := l.verdict; v != nil {
			for _, by := range judged {
				together, alone := "", ""
				if v.By == by {
					together, alone = v.Counts()
				}
				line += alone + "\t" + together + "\t"
			}
			line += cmp.Or(v.Better, "not clear") + "\t"
		} else if judged != nil && l.left != "" {
			line += strings.Repeat("\t", 2*len(judged)+1) // without empty cells, the lines around would not align
		}
		return line
	}
}

// foundBy names the columns of verdicts, by Verdict.By.
var foundBy = map[string]string{report.ByFaults: "faulty rows", report.ByExchanged: "tests"}

// judgedBy returns the values of Verdict.By in a run.
func judgedBy(r *report.Run) (judged []string) {
	for _, by := range []string{report.ByFaults, report.ByExchanged} {
		if slices.ContainsFunc(r.Participants, func(p report.Participant) bool { return p.Verdict() != nil && p.Verdict().By == by }) {
			judged = append(judged, by)
		}
	}
	return judged
}
