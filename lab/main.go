// Command lab repeats the experiments of published papers, on the public data that they used.
// It writes tables and charts beside the published numbers.
//
//	go run . NAME --data-dir DIR --out DIR [--quick] [--json]
//
// Run it without arguments for the names of the experiments.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/collabdict/collabdict/internal/bench"
	"github.com/collabdict/collabdict/lab/internal/adaptation"
	"github.com/collabdict/collabdict/lab/internal/bvae"
	"github.com/collabdict/collabdict/lab/internal/clusters"
	"github.com/collabdict/collabdict/lab/internal/machines"
	"github.com/collabdict/collabdict/lab/internal/oneshot"
	"github.com/collabdict/collabdict/lab/internal/study"
	"github.com/collabdict/collabdict/lab/internal/together"
)

// studies lists the experiments.
var studies = []study.Study{oneshot.Study(), clusters.Study(bench.ProcessTime), bvae.Study(), adaptation.Study(), machines.Study(), together.Study(), together.Aside()}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// options holds the flags of the command line.
type options struct {
	data, out   string
	quick, json bool
}

// run runs the experiment that the arguments name and returns the exit code.
func run(ctx context.Context, args []string, out, errs io.Writer) int {
	var o options
	f := flag.NewFlagSet("lab", flag.ContinueOnError)
	f.SetOutput(errs)
	f.StringVar(&o.data, "data-dir", "", "`folder` of the public data")
	f.StringVar(&o.out, "out", "", "`folder` for tables, charts and what is computed")
	f.BoolVar(&o.quick, "quick", false, "a smaller version, to see that all works")
	f.BoolVar(&o.json, "json", false, "print one JSON object on standard output")
	f.Usage = func() { usage(f) }
	names, err := parse(f, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case len(names) != 1:
		usage(f)
		return 2
	}
	s, err := o.study(names[0])
	if err == nil {
		err = o.run(ctx, s, out, errs)
	}
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil:
		fmt.Fprintln(errs, "interrupted: the same command goes on")
		return 130
	case errors.As(err, new(*study.Error)):
		fmt.Fprintln(errs, "error:", err)
		return 2
	}
	fmt.Fprintln(errs, "error:", err)
	return 1
}

// parse returns the arguments that are not flags, before or after the flags.
func parse(f *flag.FlagSet, args []string) (names []string, err error) {
	for {
		if err := f.Parse(args); err != nil {
			return nil, err
		}
		if args = f.Args(); len(args) == 0 {
			return names, nil
		}
		names, args = append(names, args[0]), args[1:]
	}
}

func usage(f *flag.FlagSet) {
	w := f.Output()
	fmt.Fprintln(w, `Run an experiment of a paper again, on the public data that it used, and write tables
as CSV and charts as SVG and PNG, with the published numbers for comparison. Results are
kept in NAME.cells.jsonl: after a stop, the same command continues.

  go run . NAME --data-dir data --out result [--quick] [--json]

Experiments:`)
	for _, s := range studies {
		fmt.Fprintf(w, "  %-12s %s\n", s.Name, s.About)
	}
	fmt.Fprintln(w, "\nFlags:")
	f.PrintDefaults()
}

// study returns the experiment with the given name, and checks its folders.
func (o *options) study(name string) (study.Study, error) {
	s, err := study.Find(studies, name)
	switch {
	case err != nil:
		return s, err
	case o.data == "":
		return s, study.Wrong("--data-dir: want the folder of the data, got nothing: lab/data.md lists its files")
	case o.out == "":
		return s, study.Wrong("--out: want a folder for tables and charts, got nothing")
	}
	return s, nil
}

func (o *options) run(ctx context.Context, s study.Study, out, errs io.Writer) error {
	if os.Getenv("GOMEMLIMIT")+os.Getenv("GOGC") == "" { // unless the user has set them
		debug.SetMemoryLimit(3200 << 20)
		debug.SetGCPercent(300)
	}
	start := time.Now()
	lab, err := study.Run(ctx, s, o.data, o.out, o.quick, func(format string, args ...any) { fmt.Fprintf(errs, format+"\n", args...) })
	if err != nil {
		return err
	}
	if !o.json {
		printLab(out, lab)
		return nil
	}
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(struct {
		Experiment string        `json:"experiment"`
		Quick      bool          `json:"quick"`
		Tables     []study.Table `json:"tables"`
		Figures    []string      `json:"figures"`
		Seconds    float64       `json:"seconds"`
	}{s.Name, o.quick, lab.Tables, lab.Figures, time.Since(start).Seconds()})
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
