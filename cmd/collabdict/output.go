package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/collabdict/collabdict/internal/report"
)

// print writes a result: as JSON if asked for, else by text.
func (a *app) print(v any, text func(io.Writer)) error {
	if !a.json {
		text(a.out)
		return nil
	}
	e := json.NewEncoder(a.out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// note tells the user something that is no result.
func (a *app) note(format string, args ...any) {
	fmt.Fprintf(a.err, format+"\n", args...)
}

// runTable prints a run's figures, a participant a line.
func runTable(r *report.Run) func(io.Writer) {
	return func(w io.Writer) {
		converged := "not converged"
		if r.Converged {
			converged = "converged"
		}
		fmt.Fprintf(w, "%s with %d components: %d rounds (%s), %d members\n", r.Model, r.Clusters, r.Rounds, converged, memberCount(r))
		fmt.Fprintf(w, "sums: protected by %s, %s, iterations %d, largest difference %.1e\n",
			r.Protection.Mode, how(r.Consensus), r.Consensus.Iterations, r.Consensus.Error)
		if p := r.Protection.BreachPredicted; p != nil {
			fmt.Fprintf(w, "privacy: %d colluding learn another's vector of a sum with probability %.2g%s\n",
				r.Protection.Colluders, *p, leastEntropy(r.Diversity))
		}
		if p := r.Protection; p.BreachMeasured != nil && p.BreachPerSum != nil {
			fmt.Fprintf(w, "adversary: %s recovered %.2g of the others' vectors a sum, and one in any round of %.0f%% of the others\n",
				strings.Join(p.Adversary, ", "), *p.BreachPerSum, 100**p.BreachMeasured)
		}
		fmt.Fprintln(w)
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
		head, row := columnsOf(r)
		fmt.Fprintln(t, head)
		for _, p := range r.Participants {
			fmt.Fprintln(t, row(p.Name, fmt.Sprint(p.Rows), report.Scores{ROCAUC: p.ROCAUC, PRAUC: p.PRAUC, Loglik: p.Loglik}, p.ARI, p.Baselines)+left(p))
		}
		fmt.Fprintln(t, row("mean", "", report.Scores{ROCAUC: r.ROCAUC, PRAUC: r.PRAUC, Loglik: meanLoglik(r)}, r.ARI, r.Baselines))
		t.Flush()
	}
}

// how says in a few words how sums are made.
func how(c report.Consensus) string {
	switch {
	case c.Graph != "":
		return c.Step + " on " + c.Graph
	case c.Fan > 1:
		return fmt.Sprintf("%s with fan %d", c.Scheme, c.Fan)
	}
	return c.Scheme
}

func memberCount(r *report.Run) int {
	if len(r.Views) == 0 {
		return len(r.Participants)
	}
	return len(r.Views[len(r.Views)-1].Members)
}

func leastEntropy(d *report.Diversity) string {
	if d == nil {
		return ""
	}
	return fmt.Sprintf("; least entropy %.2f nats", min(d.Min, d.MinResponsibility))
}

func left(p report.Participant) string {
	if p.Left == "" {
		return ""
	}
	return "\t" + p.Left
}

func meanLoglik(r *report.Run) report.Figure {
	var all []report.Figure
	for _, p := range r.Participants {
		all = append(all, p.Loglik)
	}
	return report.Mean(all)
}

// columnsOf returns the header of the table and how to make a row, with the
// figures that this run has.
func columnsOf(r *report.Run) (string, func(name, rows string, s report.Scores, ari report.Figure, b *report.Baselines) string) {
	auc := r.ROCAUC.Applies
	head := "participant\trows\t"
	label := func(which string) string {
		if auc {
			return "ROC-AUC " + which + "\tPR-AUC " + which + "\t"
		}
		return "loglik " + which + "\t"
	}
	cells := func(s *report.Scores) string {
		if s == nil { // a participant without this baseline
			s = &report.Scores{}
		}
		if auc {
			return s.ROCAUC.String() + "\t" + s.PRAUC.String() + "\t"
		}
		return s.Loglik.String() + "\t"
	}
	alone := r.Baselines != nil && r.Baselines.Alone != nil
	pooled := r.Baselines != nil && r.Baselines.Pooled != nil
	if alone {
		head += label("alone")
	}
	head += label("together")
	if pooled {
		head += label("pooled")
	}
	if r.ARI.Applies {
		head += "ARI\t"
	}
	return head, func(name, rows string, s report.Scores, ari report.Figure, b *report.Baselines) string {
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
		if r.ARI.Applies {
			line += ari.String() + "\t"
		}
		return line
	}
}
