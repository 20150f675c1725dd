package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/collabdict/collabdict/internal/atomicfile"
	"github.com/collabdict/collabdict/internal/config"
	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/local"
	"github.com/collabdict/collabdict/internal/plants"
	"github.com/collabdict/collabdict/internal/report"
	"github.com/collabdict/collabdict/internal/task"
	"github.com/spf13/cobra"
)

// upFlags say which nodes to start.
type upFlags struct {
	sourceFlags
	taskFlags
	nodes int
	out   string
}

func (a *app) up() *cobra.Command {
	var f upFlags
	cmd := &cobra.Command{
		Use: "up", Short: "Run all participants on this machine, a process each",
		Long: `up starts a process for every participant, with one agreement for all, a folder and
real ports on 127.0.0.1 for each, and shows how they get on. A process that ends is
not started again. The folders and their logs stay under --out.`,
		Example: `  collabdict up --data 'machines/*.csv' --label fault --test-where split=test
  collabdict up --nodes 5 --data all.csv --split iid:clients=5`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			src, err := f.source(f.seed)
			if err != nil {
				return err
			}
			t, err := f.task(cmd, src.standardise())
			if err != nil {
				return err
			}
			if err := f.checkBaselines("alone", "pooled"); err != nil {
				return err
			}
			return a.launch(cmd.Context(), src, t, &f)
		},
	}
	f.sourceFlags.add(cmd)
	f.taskFlags.add(cmd)
	f.addBaselines(cmd, "alone, pooled")
	cmd.Flags().IntVar(&f.nodes, "nodes", 0, "`N`, the number of participants that there should be; an error if the data have another")
	cmd.Flags().StringVar(&f.out, "out", "collabdict-out", "`DIR` for consortium.yaml, result.json and a folder a participant")
	a.addJSON(cmd)
	return cmd
}

func (a *app) launch(ctx context.Context, src source, t task.Task, f *upFlags) error {
	began := time.Now()
	data, err := src.load(t)
	if err != nil {
		return err
	}
	a.noteData(data)
	parts := data.Participants
	if f.nodes != 0 && f.nodes != len(parts) {
		return &usageError{fmt.Sprintf("--nodes: the data have %d participants, got %d", len(parts), f.nodes), "leave --nodes out, or change --split"}
	}
	if err := t.Settings.Validate(len(parts)); err != nil {
		return &usageError{err.Error(), ""}
	}
	if err := f.layout(src, t, data); err != nil {
		return err
	}
	a.note("%d nodes under %s, from %s on", len(parts), f.out, parts[0].Name)
	running, stop := context.WithCancel(ctx)
	defer stop()
	children, err := a.startAll(running, parts, f.out)
	if err != nil {
		stop()
		awaitAll(children, stop)
		return err
	}
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = p.Name
	}
	run, err := collect(names, awaitAll(children, stop))
	if err != nil {
		return err
	}
	for _, l := range data.LeftOut {
		run.LeftOut = append(run.LeftOut, report.LeftOut(l))
	}
	pooled := taskFlags{}
	if f.baseline("pooled") {
		pooled.baselines = []string{"pooled"}
	}
	if err := addBaselines(ctx, run, t, &pooled, parts, nil); err != nil {
		return err
	}
	run.Seconds = time.Since(began).Seconds()
	if err := writeJSON(filepath.Join(f.out, "result.json"), run); err != nil {
		return err
	}
	a.warn(run.Warnings)
	return a.print(run, runTable(run))
}

// layout writes the agreement and each participant's folder.
func (f *upFlags) layout(src source, t task.Task, data *dataset.Dataset) error {
	names := make([]string, len(data.Participants))
	for i, p := range data.Participants {
		names[i] = p.Name
	}
	members, err := local.Layout(f.out, names)
	if err != nil {
		return err
	}
	agreed := config.NewConsortium(t, data.Columns, members)
	if f.init != "" {
		agreed.Model.Init = "init.json"
		b, err := os.ReadFile(f.init)
		if err != nil {
			return err
		}
		if err := atomicfile.Write(filepath.Join(f.out, agreed.Model.Init), 0o644, func(w io.Writer) error {
			_, err := w.Write(b)
			return err
		}); err != nil {
			return err
		}
	}
	if err := agreed.Write(filepath.Join(f.out, "consortium.yaml")); err != nil {
		return err
	}
	for i, p := range data.Participants {
		n := &config.Node{Version: config.Version, Name: p.Name, Consortium: filepath.Join("..", "consortium.yaml"), Listen: members[i].Addrs}
		if f.baseline("alone") {
			n.Baselines = []string{"alone"}
		}
		dir := filepath.Join(f.out, p.Name)
		if err := f.rows(n, dir, src, data, p); err != nil {
			return err
		}
		if err := n.Write(dir); err != nil {
			return err
		}
	}
	return nil
}

// rows says in node.yaml where a participant's rows are: its own file where it has
// one, else a file that is written here.
func (f *upFlags) rows(n *config.Node, dir string, src source, data *dataset.Dataset, p dataset.Participant) error {
	path, err := fileOf(src, p.Name)
	if err != nil {
		return err
	}
	if path != "" {
		n.Data, n.Label, n.Where, n.TestWhere, n.Limit, n.Ignore = []string{path}, f.label, f.where, f.testWhere, f.limit, f.ignore
		return nil
	}
	paths, err := plants.WriteCSV(dir, []dataset.Participant{p})
	if err != nil {
		return err
	}
	n.Data = []string{filepath.Base(paths[0])}
	n.Where = "split=train"
	if p.TestLabels != nil {
		n.Label = "label"
	}
	if p.Test != p.Train {
		n.TestWhere = "split=test"
	}
	return nil
}

// fileOf returns the file of the participant with a name, if it has one.
func fileOf(src source, name string) (string, error) {
	if src.plants != nil || src.spec.Split.Kind != dataset.ByFile {
		return "", nil
	}
	files, err := src.spec.FilesByName()
	if err != nil {
		return "", err
	}
	return filepath.Abs(files[name])
}

// startAll starts the children and shows what they say: everything but the log of
// the first, and of the others what is out of the ordinary.
func (a *app) startAll(ctx context.Context, parts []dataset.Participant, out string) ([]*local.Child, error) {
	var children []*local.Child
	for i, p := range parts {
		dir := filepath.Join(out, p.Name)
		show := func(line string) {
			if i == 0 && !kept(line) || unusual(line) {
				a.note("%s: %s", p.Name, line)
			}
		}
		args := []string{"run", "--dir", dir, "--with-parent", "--json", "--join-timeout", joinTimeout(len(parts)).String()}
		c, err := local.Start(ctx, p.Name, dir, args, show)
		if err != nil {
			return children, fmt.Errorf("start %s: %w", p.Name, err)
		}
		children = append(children, c)
	}
	return children, nil
}

// kept says whether a line of the first child is for its log alone, or comes again
// at the end.
func kept(line string) bool {
	return strings.Contains(line, "]  node: ") || strings.HasPrefix(line, "warning:")
}

// unusual says whether a line of a child is of interest even where there are many.
func unusual(line string) bool {
	for _, prefix := range []string{"waiting for", "error:", "the model of"} {
		if strings.HasPrefix(line, prefix) {
			return true
		}
	}
	return false
}

// joinTimeout bounds the wait of a node for the others, all of which start now on
// this machine and first read their rows.
func joinTimeout(nodes int) time.Duration { return 2*time.Minute + time.Duration(nodes)*2*time.Second }

// endTogether is how long the others have to end by themselves once a child has
// failed: enough to find a lost member.
const endTogether = 90 * time.Second

// awaitAll returns how each child ended. Children that still run long after
// another has failed are asked to stop.
func awaitAll(children []*local.Child, stop func()) []local.End {
	ends := make([]local.End, len(children))
	var waiting sync.WaitGroup
	for i, c := range children {
		waiting.Go(func() {
			if ends[i] = c.Wait(); ends[i].Err != nil {
				time.AfterFunc(endTogether, stop)
			}
		})
	}
	waiting.Wait()
	return ends
}

// collect puts the children's results together. More than half of them must have
// finished.
func collect(names []string, ends []local.End) (*report.Run, error) {
	var all *report.Run
	var failed []error
	n := int64(len(names))
	for i, end := range ends {
		if end.Err != nil {
			failed = append(failed, end.Err)
		}
		if end.Report == nil {
			continue
		}
		if all == nil {
			first := *end.Report
			first.Participants, first.Warnings, first.BytesSent, first.Messages = nil, nil, 0, 0
			all = &first
		}
		name := names[i]
		p := end.Report.Participants[0]
		p.ModelFile = filepath.Join(name, p.ModelFile)
		if end.Err != nil {
			p.Left, p.Digest = end.Err.Error(), ""
		}
		all.Participants = append(all.Participants, p)
		for _, w := range end.Report.Warnings {
			all.Warnings = append(all.Warnings, name+": "+w)
		}
		all.BytesSent += end.Report.BytesSent / n
		all.Messages += end.Report.Messages / n
		all.Consensus.Error = max(all.Consensus.Error, end.Report.Consensus.Error)
	}
	if 2*(len(names)-len(failed)) <= len(names) {
		return nil, tellingError(failed)
	}
	all.Loglik = overRows(all.Participants)
	all.Aggregate()
	return all, nil
}

// tellingError returns the error that tells most of why a run ended: one of a
// member that was not merely told of another's end.
func tellingError(failed []error) error {
	slices.SortStableFunc(failed, func(x, y error) int { return hearsay(x) - hearsay(y) })
	return failed[0]
}

func hearsay(err error) int {
	child, ok := err.(*local.ChildError)
	switch {
	case ok && child.Class == membersLost.name:
		return 1
	case ok && child.Class == interrupted.name:
		return 2
	}
	return 0
}

// overRows returns the mean log-likelihood of all rows, each under its owner's
// model.
func overRows(parts []report.Participant) report.Figure {
	var sum, rows float64
	for _, p := range parts {
		sum += float64(p.Rows) * p.Loglik.Value
		rows += float64(p.Rows)
	}
	return report.Of(sum / rows)
}
