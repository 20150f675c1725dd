package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/internal/run/report"
)

// print prints a result: as JSON if asked for, otherwise as text.
func (a *app) print(v any, text func(io.Writer)) error {
	if !a.json {
		text(a.out)
		return nil
	}
	e := json.NewEncoder(a.out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// another returns an error if the file that a flag names would overwrite an input, or a file that
// cannot be restored.
func another(flag, output string, kept ...string) error {
	for _, path := range kept {
		if sameFile(output, path) {
			return &flagError{flag, fmt.Sprintf("%s would overwrite the input %s", output, path), "name another file"}
		}
	}
	return nil
}

// noFile returns an error if the folder that a flag names is a file.
func noFile(flag, dir string) error {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return &flagError{flag, fmt.Sprintf("want a folder, got the file %s", dir), "name a folder, which need not exist"}
	}
	return nil
}

// note prints a message to standard error.
func (a *app) note(format string, args ...any) {
	fmt.Fprintf(a.err, format+"\n", args...)
}

// facts returns a function that prints a fact after its name.
func facts(w io.Writer) func(name, format string, args ...any) {
	return func(name, format string, args ...any) {
		fmt.Fprintf(w, "%-10s  %s\n", name, fmt.Sprintf(format, args...))
	}
}

// runTable prints a run's figures, one line per participant.
func (a *app) runTable(w io.Writer, r *report.Run) {
	what := "component"
	if len(r.Participants) > 0 && r.Participants[0].OwnClusters != nil {
		what = "cluster"
	}
	of := r.Model
	if r.Clusters > 0 {
		of += " with " + count(r.Clusters, what)
	}
	if r.Window > 0 {
		of += fmt.Sprintf(", windows of %d rows", r.Window)
	}
	fmt.Fprintf(w, "%s: %s%s, %s\n", of, count(r.Rounds, "round"), converged(r.Model, r.Converged), count(memberCount(r), "member"))
	if a.verbose {
		howSummed(w, r)
	}
	adversary(w, &r.Protection)
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	head, row := columnsOf(r, a.verbose)
	headOfWeights, weightOf := weightsOf(r)
	fmt.Fprintln(t, head+headOfWeights)
	for _, p := range r.Participants {
		fmt.Fprintln(t, row(tableLineOf(p))+weightOf(p)+left(p))
	}
	if r.ROCAUC.Applies || a.verbose || judgedBy(r) == nil { // otherwise no column has means
		fmt.Fprintln(t, row(meansLine(r)))
	}
	t.Flush()
	gains(w, r)
}

// howSummed prints how sums were made and hidden.
func howSummed(w io.Writer, r *report.Run) {
	fmt.Fprintf(w, "sums: protected by %s, %s, iterations %d, largest difference %.1e\n",
		r.Protection.Mode, how(r.Consensus), r.Consensus.Iterations, r.Consensus.Error)
	if p := r.Protection.BreachPredicted; p != nil {
		fmt.Fprintf(w, "privacy: another member's vector is recovered with probability %.2g (assumed colluders: %d)%s\n",
			*p, r.Protection.Colluders, smallestContribution(r.Diversity))
	}
}

// adversary prints what the simulated adversaries have recovered.
func adversary(w io.Writer, p *report.Protection) {
	if p.BreachMeasured != nil && p.BreachPerSum != nil {
		fmt.Fprintf(w, "adversary: %s recovered %.2g of the others' vectors per sum, and at least one vector of %.0f%% of the others\n",
			strings.Join(p.Adversary, ", "), *p.BreachPerSum, 100**p.BreachMeasured)
	}
	d := p.Differencing
	if d == nil {
		return
	}
	fmt.Fprintf(w, "adversary: subtracting totals reveals %d of %d rows: %d from the start, %d from the rounds (%d by chance)\n",
		d.Rows, d.Of, d.Start, d.Rounds, d.Chance)
	if len(d.Recovered) > 0 {
		fmt.Fprintf(w, "adversary: it reveals the number of rows and the mean of %s\n", strings.Join(d.Recovered, ", "))
	}
	readings(w, d)
}

// nextSteps says where the results of a run are, and what to type next. rows is a file to score, or
// stands for one.
func nextSteps(w io.Writer, dir string, r *report.Run, rows string) {
	i := slices.IndexFunc(r.Participants, func(p report.Participant) bool { return p.Left == "" })
	if dir == "" || i < 0 {
		return
	}
	member := filepath.Join(dir, r.Participants[i].Name)
	fmt.Fprintf(w, "\nAll figures are in %s, and each participant's model is in its folder beside it.\n", filepath.Join(dir, "result.json"))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "  collabdict score %s %s\tfinds anomalies in new rows, and in the old ones faults that nobody labelled\n", member, rows)
	fmt.Fprintf(t, "  collabdict view %s\tshows the run, and what was learned\n", dir)
	t.Flush()
}

// mostReadings is the number of readings that are printed.
const mostReadings = 8

// readings prints what a reader finds in many runs on other rows.
func readings(w io.Writer, d *report.Differencing) {
	if d.Worlds == 0 {
		return
	}
	fmt.Fprintf(w, "adversary: over %d runs on other rows, others can read %d numbers of members (%d by chance) and %d of %d rows (%d by chance)\n",
		d.Worlds, len(d.Readings), d.ReadingsByChance, d.RowsRead, d.RowsOf, d.RowsByChance)
	for _, r := range d.Readings[:min(mostReadings, len(d.Readings))] {
		fmt.Fprintf(w, "adversary: %s of %s is %s, to %.2g of its deviation\n", r.Quantity, r.Member, r.Reading, r.Error)
	}
}

// gains says what the columns of verdicts mean, and how many participants gain by learning together.
func gains(w io.Writer, r *report.Run) {
	judged := judgedBy(r)
	if judged == nil {
		return
	}
	fmt.Fprintln(w)
	for _, by := range judged {
		if by == report.ByFaults {
			fmt.Fprintln(w, "faulty rows: those that are found at one false alarm in a hundred rows")
		} else {
			fmt.Fprintln(w, "tests: how many of 100 rows with a test fault score above a normal row; in each, one value is another row's")
		}
	}
	fmt.Fprintln(w, "alone: by own model and own rows; together: by what the others have taught it, too")
	if s := r.Gains(); s != "" {
		fmt.Fprintln(w, s)
	} else if len(r.Participants) == 1 {
		fmt.Fprintln(w, r.Participants[0].Verdict().Sentence())
	}
}

// converged reports whether training has converged, for kinds of models that can.
func converged(kind string, is bool) string {
	k, err := pipeline.Named(kind)
	switch {
	case err != nil || k.Options.Find("tol") == nil:
		return ""
	case is:
		return " (converged)"
	}
	return " (not converged)"
}

// weightsOf returns the header of the columns about weights, and a function that formats them
// for a participant; both are empty for unweighted runs.
func weightsOf(r *report.Run) (head string, of func(report.Participant) string) {
	weighted, discrepancies := false, false
	for _, p := range r.Participants {
		if w := p.Weighting; w != nil {
			weighted, discrepancies = true, discrepancies || w.Discrepancy.Applies
		}
	}
	if !weighted {
		return "", func(report.Participant) string { return "" }
	}
	head = "weight\t"
	if discrepancies {
		head = "discrepancy\tweight\t"
	}
	return head, func(p report.Participant) (line string) {
		w := p.Weighting
		if w == nil { // it has not finished
			w = &report.Weighting{}
		}
		if discrepancies {
			line = w.Discrepancy.String() + "\t"
		}
		return line + fmt.Sprintf("%.4f\t", w.Weight)
	}
}

// how describes briefly how sums are made.
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

// smallestContribution describes the smallest contribution, in effective rows.
func smallestContribution(d *report.Diversity) string {
	if d == nil {
		return ""
	}
	return fmt.Sprintf("; smallest contribution ≈ %s rows", report.Fixed(math.Exp(min(d.Min, d.MinResponsibility)), 1))
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
