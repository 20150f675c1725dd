package cli

import (
	"slices"

	"github.com/collabdict/collabdict/internal/run/report"
)

// figure is a column of the table of a run.
type figure struct {
	name string
	of   func(report.Scores) report.Figure
}

// figuresOf returns the figures that say most about this run.
func figuresOf(r *report.Run) []figure {
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
	case r.ROCAUC.Applies:
		return []figure{roc, {"PR-AUC", func(s report.Scores) report.Figure { return s.PRAUC }}}
	}
	return []figure{{"loglik", func(s report.Scores) report.Figure { return s.Loglik }}}
}

// anomalies reports whether all labels of a run mark anomalies, rather than classes.
func anomalies(r *report.Run) bool {
	return !slices.ContainsFunc(r.Participants, func(p report.Participant) bool { return p.ARI.Applies && !p.ROCAUC.Applies })
}

// columnsOf returns the header of the table, and a function that formats a row, with the
// figures that this run has.
func columnsOf(r *report.Run) (string, func(name, rows string, s report.Scores, b *report.Baselines) string) {
	figures := figuresOf(r)
	head := "participant\trows\t"
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
	alone := r.Baselines != nil && r.Baselines.Alone != nil
	pooled := r.Baselines != nil && r.Baselines.Pooled != nil
	if alone {
		label("alone")
	}
	label("together")
	if pooled {
		label("pooled")
	}
	ari := r.ARI.Applies && !r.Silhouette.Applies // otherwise it is among figuresOf above
	if ari {
		head += "ARI\t"
	}
	return head, func(name, rows string, s report.Scores, b *report.Baselines) string {
		line := name + "\t" + rows + "\t"
		if b == nil {
			b = &report.Baselines{}
		}
		if alone {
			line += cells(b.Alone)
		}
		line += cells(&s)
		if pooled {
			line += cells(b.Pooled)
		}
		if ari {
			line += s.ARI.String() + "\t"
		}
		return line
	}
}
