package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/collabdict/collabdict/internal/bench"
	"github.com/collabdict/collabdict/internal/study"
	"github.com/collabdict/collabdict/internal/study/adaptation"
	"github.com/collabdict/collabdict/internal/study/bvae"
	"github.com/collabdict/collabdict/internal/study/clusters"
	"github.com/collabdict/collabdict/internal/study/machines"
	"github.com/collabdict/collabdict/internal/study/oneshot"
	"github.com/spf13/cobra"
)

// studies are the experiments there are.
var studies = []study.Study{oneshot.Study(), clusters.Study(bench.ProcessTime), bvae.Study(), adaptation.Study(), machines.Study()}

func (a *app) experiment() *cobra.Command {
	var data, out string
	var quick bool
	var about strings.Builder
	for _, s := range studies {
		fmt.Fprintf(&about, "  %-12s %s\n", s.Name, s.About)
	}
	cmd := &cobra.Command{
		Use: "experiment NAME", Short: "Run an experiment of a published paper again, beside its numbers",
		Long: `experiment runs an experiment of a paper on the public data that it used, and writes
tables as CSV and charts as SVG and PNG, with the published numbers beside. What is
computed is kept in NAME.cells.jsonl of the folder of --out: after a stop, the same
command goes on.

Experiments:
` + about.String(),
		Example: "  collabdict experiment fedgen --data-dir data --out result --quick",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return &usageError{fmt.Sprintf("want the name of one experiment, got %d", len(args)), "see collabdict experiment --help"}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := study.Find(studies, args[0])
			switch {
			case err != nil:
				return err
			case data == "":
				return &usageError{"--data-dir: want the folder of the data, got nothing", "docs/how-to/experiments.md says what has to be in it"}
			case out == "":
				return &usageError{"--out: want a folder for tables and charts, got nothing", ""}
			}
			collectSeldom()
			start := time.Now()
			lab, err := study.Run(cmd.Context(), s, data, out, quick, a.note)
			if err != nil {
				return err
			}
			return a.print(struct {
				Experiment string        `json:"experiment"`
				Quick      bool          `json:"quick"`
				Tables     []study.Table `json:"tables"`
				Figures    []string      `json:"figures"`
				Seconds    float64       `json:"seconds"`
			}{s.Name, quick, lab.Tables, lab.Figures, time.Since(start).Seconds()}, func(w io.Writer) { printLab(w, lab) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&data, "data-dir", "", "`FOLDER` of the public data")
	f.StringVar(&out, "out", "", "`FOLDER` for tables, charts and what is computed")
	f.BoolVar(&quick, "quick", false, "a smaller version, to see that all works")
	a.addJSON(cmd)
	return cmd
}

func printLab(w io.Writer, lab *study.Lab) {
	for _, t := range lab.Tables {
		fmt.Fprintf(w, "%s\n\n", t.File)
		tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, row := range append([][]string{t.Header}, t.Rows...) {
			fmt.Fprintf(tab, "  %s\n", strings.Join(row, "\t"))
		}
		_ = tab.Flush()
		fmt.Fprintln(w)
	}
	for _, f := range lab.Figures {
		fmt.Fprintln(w, f)
	}
}
