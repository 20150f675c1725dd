package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/internal/config"
	"github.com/collabdict/collabdict/internal/data/dataset"
)

func (a *app) check() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use: "check [FILE]...", Short: "Check files of rows before they are used, with advice",
		Long: `check shows how files are read: format, delimiter, decimal sign and number of rows. For each
column it shows the type, the share of missing cells, and the minimum, mean and maximum.
Files may be larger than memory.

It reports columns that are constant, look like times or labels, or repeat another column.
It also reports values that may stand for missing ones, such as -9999, and cells that are
not numbers. Each report has advice, and the last lines are flags for run, up and sim. Of several
files, it shows a line each, what they have in common, and flags that suit all.`,
		Example: `  collabdict check plant-a.csv
  collabdict check --dir plant-a --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			var set dataset.CSV
			if dir != "" {
				if len(args) > 0 {
					return &flagError{"dir", fmt.Sprintf("%s in the folder names the files, got %q as well", config.NodeFile, args[0]), "leave one out"}
				}
				n, err := config.ReadNode(dir)
				if err != nil {
					return err
				}
				spec, err := n.Spec()
				if err != nil {
					return err
				}
				if len(spec.Engine) > 0 {
					return &config.Error{
						File: filepath.Join(dir, config.NodeFile), Err: fmt.Errorf("engine: %s reads the rows, and check reads files of this machine", spec.Engine[0]),
						Hint: "collabdict doctor checks that it starts and finds the columns; to check a file, copy it here",
					}
				}
				args, set = spec.Data, spec.CSV
			}
			if len(args) == 0 {
				return &usageError{errors.New("want files or folders of rows, got none"), "see collabdict check --help"}
			}
			return a.checkFiles(cmd.Context(), dataset.Spec{Data: args, CSV: set})
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "check the files of a participant's `FOLDER`, read as its node.yaml says")
	a.addJSON(cmd)
	return cmd
}

// checkFiles prints the profiles of files. It returns the error of the first unusable file, and
// prints those of the others as notes.
func (a *app) checkFiles(ctx context.Context, spec dataset.Spec) error {
	files, err := dataset.Resolve(spec.Data)
	if err == nil {
		err = forward(ctx, &spec)
	}
	if err != nil {
		return err
	}
	for _, line := range dataset.Aside(spec.Data) {
		a.note("%s", line)
	}
	var failed error
	var all checked
	for _, path := range files {
		p, err := spec.Profile(path)
		switch {
		case err != nil:
			all.Refused = append(all.Refused, path)
			if failed == nil {
				failed = err
			} else {
				a.note("error: %v", err)
			}
			continue
		}
		all.Files = append(all.Files, p)
	}
	if failed != nil && a.json {
		return failed
	}
	if len(files) > 1 && len(all.Files) > 0 {
		all.Together = dataset.Together(all.Files)
	}
	err = a.print(all, all.text)
	if failed != nil {
		return failed
	}
	return err
}

// checked is what check found.
type checked struct {
	Files []*dataset.Profile `json:"files"` // one for each file that can be read
	// Refused lists the files that cannot be read.
	Refused []string `json:"refused,omitempty"`
	// Together describes several files as the rows of participants of one run.
	Together *dataset.Common `json:"together,omitempty"`
}

// text prints a file in full. Of several, it prints a line each, and what they have in common.
func (c *checked) text(w io.Writer) {
	t := c.Together
	if t == nil {
		for _, p := range c.Files {
			profileText(w, p)
		}
		return
	}
	for _, p := range c.Files {
		fmt.Fprintf(w, "%s: %s, %s, %s", p.File, p.Format, count(p.Rows, "row"), count(len(p.Columns), "column"))
		if len(p.Findings) > 0 {
			fmt.Fprintf(w, ", %s", count(len(p.Findings), "finding"))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "\ntogether: %s, %s, %s in common, %.3g%% of cells missing\n", count(len(c.Files), "file"), count(t.Rows, "row"), count(len(t.Columns), "column"), 100*t.Missing)
	for _, f := range t.Findings {
		in := f.Files[0]
		if n := len(f.Files) - 1; n > 0 {
			in += fmt.Sprintf(" and %d more", n)
		}
		fmt.Fprintf(w, "%s: %s, in %s\n", cmp.Or(f.Column, "rows"), f.Message, in)
	}
	if len(c.Refused) > 0 {
		fmt.Fprintf(w, "cannot be read: %s\n", listed(c.Refused))
	}
	fmt.Fprintln(w)
	fix := fixes(func(kind string) bool {
		return slices.ContainsFunc(t.Findings, func(f dataset.CommonFinding) bool {
			return f.Kind == kind && (isLine(kind) || f.Column != t.Flags.Label && !slices.Contains(t.Flags.Ignore, f.Column))
		})
	})
	flagsText(w, fix, &t.Flags)
}

func profileText(w io.Writer, p *dataset.Profile) {
	written := ""
	if p.Written != "" {
		written = " with " + p.Written
	}
	fmt.Fprintf(w, "%s: %s%s, %s, %s\n\n", p.File, p.Format, written, count(p.Rows, "row"), count(len(p.Columns), "column"))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "column\ttype\tmissing\tmin\tmean\tmax\t")
	for _, c := range p.Columns {
		fmt.Fprintf(t, "%s\t%s\t%.3g%%\t%s\t%s\t%s\t\n", c.Name, c.Type, 100*c.Missing, shortest(c.Min), shortest(c.Mean), shortest(c.Max))
	}
	t.Flush()
	if len(p.Findings) > 0 {
		fmt.Fprintln(w)
	}
	findingsText(w, p.Findings)
	fmt.Fprintln(w)
	fix := fixes(func(kind string) bool {
		return slices.ContainsFunc(p.Findings, func(f dataset.Finding) bool {
			return f.Kind == kind && (isLine(kind) || !slices.Contains(p.Flags.Ignore, f.Column))
		})
	})
	flagsText(w, fix, &p.Flags)
}

// findingsText prints findings, those with the same advice together, and the advice below.
func findingsText(w io.Writer, findings []dataset.Finding) {
	for i, f := range findings {
		same := func(g dataset.Finding) bool { return f.Advice != "" && g.Advice == f.Advice }
		if slices.ContainsFunc(findings[:i], same) {
			continue
		}
		fmt.Fprintf(w, "%s: %s\n", f.Column, f.Message)
		for _, g := range findings[i+1:] {
			if same(g) {
				fmt.Fprintf(w, "%s: %s\n", g.Column, g.Message)
			}
		}
		if f.Advice != "" {
			fmt.Fprintf(w, "    %s\n", f.Advice)
		}
	}
}

// isLine reports whether a finding is about a line, not about its column.
func isLine(kind string) bool { return kind == "totals" || kind == "header" }

// fixes says what to change in files before training, given the kinds of findings in them.
func fixes(found func(kind string) bool) (lines []string) {
	if found("no-number") || found("decimal") {
		lines = append(lines, "correct the cells named above before training")
	}
	if found("unit") {
		lines = append(lines, "write numbers without units to train on them")
	}
	if found("sentinel") {
		lines = append(lines, "leave the cells empty whose values are errors before training")
	}
	if found("totals") || found("header") {
		lines = append(lines, "remove the lines that are no rows before training")
	}
	if found("labels") {
		lines = append(lines, "write the same labels in all files before training")
	}
	return lines
}

func flagsText(w io.Writer, fix []string, f *dataset.Flags) {
	for _, line := range fix {
		fmt.Fprintln(w, line)
	}
	flags := f.String()
	switch {
	case flags == "" && fix != nil:
		flags = "none"
	case flags == "":
		flags = "none are needed"
	}
	fmt.Fprintf(w, "flags: %s\n", flags)
	if text := f.ForWindow(); text != "" {
		fmt.Fprintf(w, "with --window: %s\n", text)
	}
	if text := f.ToKeep(); text != "" {
		fmt.Fprintf(w, "to train on columns that look like times or labels: %s\n", text)
	}
}

func shortest(v *float64) string {
	if v == nil {
		return ""
	}
	return fmt.Sprintf("%.5g", *v)
}
