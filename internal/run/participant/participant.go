package participant

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/files"
	"github.com/collabdict/collabdict/internal/journal"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/model"
	"github.com/collabdict/collabdict/node"
)

// The files of a participant in its folder.
const (
	ModelFile  = model.File
	ResultFile = "result.json"
)

// Config configures one participant in a run, with its rows.
type Config struct {
	Node node.Config // Agreement, Settings, Begin, Resume and Publish are set from Task and Data
	Task *pipeline.Task
	Data dataset.Participant
	Out  string // folder for the model and the result
	// Keep tells to keep the results of an earlier run in Out, in a folder of that run.
	Keep bool
	// Journal is that of the node's folder; Signers are the members that have signed the agreement.
	Journal *journal.Journal
	Signers []string
	// OnJoin, if not nil, receives the node when all members are present. The function that it
	// returns is called when the training has ended.
	OnJoin func(*node.Node) (ended func())
	// OnRound, if not nil, is called after every round.
	OnRound func(algorithm.Progress, node.Status)
	// OnWarning, if not nil, receives a warning before the first round if few members differ
	// from an earlier run, and warnings after each round about what all members have learned
	// about others.
	OnWarning func(report.Warning)
}

// Result is the outcome of a run for a participant.
type Result struct {
	Report *report.Run // of this participant alone
	Model  *model.Model
	Kept   string // folder with the results of the earlier run that this one has replaced; "" if none
}

// Complete sets what members agree on, for rows with the given columns.
func (c *Config) Complete(columns []string) {
	c.Task = c.Task.Resolved(len(columns), c.Node.Size())
	c.Node.Settings = c.Task.Settings
	c.Node.Agreement = nil
	for _, f := range c.Task.Fields(c.Task.DataColumns(columns)) {
		c.Node.Agreement = append(c.Node.Agreement, node.Field(f))
	}
}

// Run takes part in a run. After an error in a later round, the model of the last completed
// round is still saved and returned.
func Run(ctx context.Context, c Config) (*Result, error) {
	c.Complete(c.Data.Columns)
	past, err := c.Journal.Past()
	if err != nil {
		return nil, err
	}
	digest := past.Rows()
	read, _ := rows.Until(ctx, c.Data.Train)
	key, err := newRowsKey(c.Node.Dir, read, c.Task.Learned(c.Data), digest.Add)
	if err != nil {
		return nil, err
	}
	c.Node.Begin, c.Node.Resume = key.begin, key.resume
	c.Node.Head = c.Journal.Head
	c.Node.CheckHead = func(head []byte) error { return journal.CheckHead(c.Node.Dir, head) }
	if _, tells := c.Task.ConservedInRuns(); tells { // with epsilon, nobody may learn that rows have changed
		c.Node.Publish = func(run [32]byte) []byte { return past.Note(run, digest.Digest()) }
	}
	n, err := node.Join(ctx, c.Node)
	if err != nil {
		return nil, err
	}
	ended := func() {}
	if c.OnJoin != nil {
		ended = c.OnJoin(n)
	}
	record := &record{Journal: c.Journal, node: n}
	differs, err := c.compare(n, past)
	if err == nil {
		err = record.begin(c, digest.Digest(), past.Key())
	}
	if err != nil {
		ended()
		return nil, errors.Join(err, end(ctx, n, err))
	}
	if differs != nil && c.OnWarning != nil {
		c.OnWarning(differs.Warning())
	}
	w := witness{n, c.ledger(n), record, differs}
	stay := leaveAtOnce(ctx, n)
	trained, err := c.Task.Fit(ctx, w, c.Data, key.noise(), func(p algorithm.Progress) {
		if c.OnRound != nil {
			c.OnRound(p, n.Status())
		}
		for _, news := range w.ledger.News() {
			if c.OnWarning != nil {
				c.OnWarning(news)
			}
		}
	})
	if !stay() {
		err = errors.Join(ctx.Err(), err)
	}
	ended()
	var result *Result
	var entries []report.Entry
	if trained.Model != nil {
		var unread error
		result, unread = c.assemble(w, trained)
		entries = result.Report.Ledger
		err = errors.Join(err, unread, c.save(result))
	}
	err = errors.Join(err, record.end(ctx, entries, err))
	if err = errors.Join(err, end(ctx, n, err)); err == nil {
		err = key.forget()
	}
	return result, err
}

// stopped is the reason sent to the others when a member's context has ended.
const stopped = "it was stopped by its operator"

// leaveAtOnce sends the others the news that this member leaves as soon as the context ends,
// whatever its learner is doing, so that they need not wait. The returned function cancels this,
// and reports whether it was in time.
func leaveAtOnce(ctx context.Context, n *node.Node) (stay func() bool) {
	left := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(left)
		n.Leave(stopped)
	})
	return func() bool {
		if stop() {
			return true
		}
		<-left
		return false
	}
}

// end leaves the run.
func end(ctx context.Context, n *node.Node, err error) error {
	switch {
	case err == nil:
		err = n.Finish(ctx)
	case ctx.Err() != nil:
		n.Leave(stopped)
		err = nil
	case files.IsFull(err):
		n.Leave("its disk is full") // its operator frees space and restarts it
		err = nil
	default:
		n.Abort("it ended with an error; see its log")
		err = nil
	}
	return errors.Join(err, n.Close())
}

// ledger returns an empty ledger of the run.
func (c Config) ledger(n *node.Node) *report.Ledger {
	names := namesOf(n)
	return report.NewLedger(names, c.Task.Settings.Rules(len(names)).Colluders, c.Task.Conserved())
}

func (c Config) assemble(w witness, trained *pipeline.Result) (*Result, error) {
	n := w.Node
	names, s := namesOf(n), n.Status()
	task, parts := c.Task.Windowed(trained.Model.Manifest.Window, []dataset.Participant{c.Data})
	c.Task, c.Data = task, parts[0]
	r := c.Task.Report(names, trained)
	r.ID, r.SetupRounds = w.journal.run(), s.SetupSlots
	r.Consensus.Iterations, r.Consensus.Error = s.LastIterations, s.LastDifference
	ledger := c.ledger(n)
	ledger.Knows(w.ledger)
	if err := n.Decisions(func(d *consensus.Decision) error { ledger.Add(d); return nil }); err != nil {
		r.Warnings = append(r.Warnings, "who was in which sum is not known: "+err.Error())
	}
	pipeline.EnterLedger(r, c.Task.Settings, len(names), ledger, map[string]*pipeline.Result{names[n.Self()]: trained})
	r.BytesSent, r.Messages = int64(s.Traffic.BytesSent), int64(s.Traffic.MessagesSent)
	if r.Protection.PastRun = w.differs; w.differs != nil {
		r.Warnings = append(r.Warnings, w.differs.Line())
	}
	m := trained.Model
	m.Manifest.Views, m.Manifest.Privacy.LoneChanges = r.Views, r.LoneChanges
	if c.Node.Open {
		r.OpenSeats, m.Manifest.Privacy.OpenSeats = true, true
		r.Warnings = append(r.Warnings, report.OpenSeats)
	}
	m.Manifest.Privacy.Protection = r.Protection
	if c.Node.Publish != nil && n.Published() != nil {
		trained.Inventory = append(trained.Inventory, pipeline.PastRun)
		m.Manifest.Privacy.Published = append(m.Manifest.Privacy.Published, pipeline.PastRun.What)
	}
	r.Ledger = ledger.Entries(c.Task.Disclosures(trained))
	m.Manifest.Privacy.Entries = r.Ledger
	pipeline.EnterWeightings(m, trained, names)
	m.Manifest.Digest = hex.EncodeToString(s.LastDigest[:])
	p, err := pipeline.Figures(m, c.Data)
	if d := ledger.Last(); d != nil {
		for _, missing := range d.Missing {
			if int(missing.Member) == n.Self() {
				p.Left, p.Digest = missing.Reason, ""
			}
		}
	}
	var unread error
	if m.Scorer() != nil {
		var loglik float64
		if loglik, unread = pipeline.MeanLogLik(m, c.Data.Train); unread == nil {
			p.Loglik, p.LoglikRows = report.Of(loglik), "own"
		}
	}
	r.Participants = []report.Participant{p}
	r.Warnings = append(r.Warnings, trained.Warnings...)
	r.Aggregate()
	return &Result{Report: r, Model: m}, errors.Join(err, unread)
}

func (c Config) save(r *Result) error {
	if c.Out == "" {
		return nil
	}
	if c.Keep {
		var err error
		if r.Kept, err = keepEarlier(c.Out, r.Report.ID); err != nil {
			return fmt.Errorf("keep the model of an earlier run: %w", err)
		}
	}
	r.Report.Participants[0].ModelFile = ModelFile
	if err := model.Save(c.Out, r.Model); err != nil {
		return fmt.Errorf("save the model: %w", err)
	}
	return WriteResult(c.Out, r.Report)
}

// WriteResult writes the result of a participant, and the table of rounds, into its folder.
func WriteResult(dir string, r *report.Run) error {
	if err := report.WriteRoundsFile(dir, r.RoundRows()); err != nil {
		return err
	}
	return files.WriteJSON(filepath.Join(dir, ResultFile), r)
}

// ReadResult returns the result in a folder. A result of a program that knew fewer or more fields will
// do. If there is none, the error is fs.ErrNotExist.
func ReadResult(dir string) (*report.Run, error) {
	path := filepath.Join(dir, ResultFile)
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := &report.Run{}
	if err := json.Unmarshal(b, r); err != nil {
		return nil, fmt.Errorf("%s: want the result of a run, got none: %w", path, err)
	}
	return r, nil
}
