package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
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
not numbers. Each report has advice, and the last lines are flags for run, up and sim.`,
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
	var failed error
	var all checked
	for _, path := range files {
		p, err := spec.Profile(path)
		switch {
		case err != nil && failed == nil:
			failed = err
			continue
		case err != nil:
			a.note("error: %v", err)
			continue
		}
		all.Files = append(all.Files, p)
	}
	if failed != nil && a.json {
		return failed
	}
	err = a.print(all, func(w io.Writer) {
		for i, p := range all.Files {
			if i > 0 {
				fmt.Fprintln(w)
			}
			profileText(w, p)
		}
	})
	if failed != nil {
		return failed
	}
	return err
}

// checked is what check found.
type checked struct {
	Files []*dataset.Profile `json:"files"` // one for each file
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
	for _, f := range p.Findings {
		fmt.Fprintf(w, "%s: %s\n", f.Column, f.Message)
		if f.Advice != "" {
			fmt.Fprintf(w, "    %s\n", f.Advice)
		}
	}
	fmt.Fprintln(w)
	flags := p.Flags.String()
	if flags == "" {
		flags = "none are needed"
	}
	fmt.Fprintf(w, "flags: %s\n", flags)
	if p.Flags.TimeColumn != "" {
		fmt.Fprintf(w, "with --window: --time-column %s\n", p.Flags.TimeColumn)
	}
	if len(p.Flags.Keep) > 0 {
		fmt.Fprintf(w, "to train on columns that look like times or labels: --keep %s\n", strings.Join(p.Flags.Keep, ","))
	}
}

func shortest(v *float64) string {
	if v == nil {
		return ""
	}
	return fmt.Sprintf("%.5g", *v)
}
