package simulate

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/numeric/parallel"
	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/internal/scenario"
	"github.com/collabdict/collabdict/model"
	"github.com/collabdict/collabdict/netsim"
)

// A Run is the outcome of a simulation: result, models and course. If the simulation has
// failed, it has the course alone.
type Run struct {
	Report *report.Run
	Models []*model.Model // by participant
	Course *report.Course
}

// Progress is the state of a running simulation.
type Progress struct {
	algorithm.Progress
	Virtual time.Duration // virtual time of the last decision
	// Warnings list what all members have learned about others.
	Warnings []report.Warning
}

// Simulate trains the participants together over a simulated network. It returns their models
// and figures; the caller adds seconds and model files. onRound is called with the rounds of
// the first participant.
func Simulate(ctx context.Context, t *pipeline.Task, parts []dataset.Participant, onRound func(Progress)) (*Run, error) {
	return SimulateUnder(ctx, Conditions{}, t, parts, onRound)
}

// Conditions describe a simulation: its adversary, its network and its faults.
type Conditions struct {
	Adversary Adversary
	Scenario  *scenario.Scenario // nil for no faults
	// ViewTotals sums over the members in the view alone, without running totals.
	ViewTotals bool
	// Converge records how the disagreement falls in the last Laplacian session of a round.
	Converge bool
	stops    []netsim.Fault // further faults, in tests
}

// updateTime is the virtual time of a local update unless the scenario sets it. It is not 0, so
// that faults can occur during updates.
const updateTime = time.Second

// config returns the configuration of the simulation.
func (c Conditions) config(t *pipeline.Task, parts []dataset.Participant) (netsim.Config, error) {
	n := netsim.Config{Settings: t.Settings, Seed: t.Seed, ViewTotals: c.ViewTotals}
	for _, p := range parts {
		n.Names = append(n.Names, p.Name)
	}
	if !c.Scenario.Empty() || len(c.stops) > 0 {
		n.Compute = updateTime
	}
	n.Faults = append(n.Faults, c.stops...)
	return n, c.Scenario.Apply(&n)
}

// Check reports conditions that this number of participants does not allow.
func (c Conditions) Check(t *pipeline.Task, parts []dataset.Participant) error {
	n, err := c.config(t.Resolved(len(parts[0].Columns), len(parts)), parts)
	if err != nil {
		return err
	}
	return n.Validate()
}

// SimulateUnder is like Simulate, under the given conditions. If the simulation fails, it
// returns the course as far as there is one.
func SimulateUnder(ctx context.Context, under Conditions, t *pipeline.Task, parts []dataset.Participant, onRound func(Progress)) (*Run, error) {
	t = t.Resolved(len(parts[0].Columns), len(parts))
	a := under.Adversary
	if err := a.Check(len(parts)); err != nil {
		return nil, err
	}
	c, err := under.config(t, parts)
	if err != nil {
		return nil, err
	}
	// The rows that train, without those held out, which few simulations need here.
	trained := func() ([]dataset.Participant, error) {
		return t.Trained(parts, func(rank int) rand.Source { return noise(t.Seed, rank) })
	}
	if of, ok := t.Algorithm.(algorithm.InOneProcess); ok {
		if err := of.Together(t.Seed, func() (*mat.Dense, error) {
			of, err := trained()
			if err != nil {
				return nil, err
			}
			return allRows(ctx, t, of)
		}); err != nil {
			return nil, err
		}
	}
	watch, begun := a.watch(t, len(parts)), newInputs()
	lone := &witness{ledger: report.NewLedger(c.Names, t.Settings.Rules(len(c.Names)).Colluders, t.Conserved())}
	c.Observer = append(under.observers(t.Settings.Scheme, watch, begun), lone)
	net, err := netsim.New(c)
	if err != nil {
		return nil, err
	}
	results := make([]*pipeline.Result, len(parts))
	var show sync.Mutex
	shown := 0
	cost, err := net.Run(ctx,
		func(ctx context.Context, rank int, g collabdict.Group) error {
			var err error
			results[rank], err = t.Train(ctx, g, parts[rank], noise(t.Seed, rank), func(p algorithm.Progress) {
				if onRound == nil {
					return
				}
				show.Lock()
				defer show.Unlock()
				if p.Number > shown { // the first participant to end a round reports it
					shown = p.Number
					onRound(Progress{p, net.Now(), lone.news()})
				}
			})
			if errors.As(err, new(*privacy.LowError)) { // as agreed: the others continue
				return stopped{err}
			}
			return err
		})
	if err == nil {
		err = complete(ctx, results, cost, c.Names)
	}
	first := farthest(cost)
	if err == nil && (results[first] == nil || results[first].Model == nil) {
		err = fmt.Errorf("no participant has completed a round: %w", cost.Members[first].Err)
	}
	if err != nil {
		course := courseOf(t.Traits().Objective, c, cost, histories(results))
		course.Failed = true
		course.Convergence = begun.convergence(t.Settings, t.Seed, cost.Slots)
		return &Run{Course: course}, err
	}
	if t.Window == pipeline.FindWindow {
		t, parts = t.Windowed(results[first].Model.Manifest.Window, parts)
	}
	run := &Run{Report: t.Report(c.Names, results[first])}
	if o := t.Options.Find("on-low-diversity"); t.Traits().Noise != nil || o != nil && o.Text() == string(privacy.DrawComponent) {
		run.Report.Warnings = append(run.Report.Warnings, "privacy: "+seededNoise)
	}
	l := run.network(t, c.Names, cost, first, lone.ledger, results)
	run.Report.Ledger = l.Entries(t.Disclosures(results[first]))
	if err := run.addAll(results, parts, cost); err != nil {
		return nil, err
	}
	if err := addLogliks(run, parts); err != nil {
		return nil, err
	}
	if err := watch.enter(run, t, parts, trained); err != nil {
		return nil, err
	}
	run.Report.Aggregate()
	run.Course = courseOf(t.Traits().Objective, c, cost, run.Report)
	run.Course.Convergence = begun.convergence(t.Settings, t.Seed, cost.Slots)
	return run, nil
}

// stopped is a participant's end as the agreement provides.
type stopped struct{ error }

func (s stopped) Unwrap() error { return s.error }

func (stopped) Is(target error) bool { return target == netsim.ErrStopped }

// seededNoise warns that noise from a seed protects nothing.
const seededNoise = "this is a simulation: its noise follows from the seed, which the models contain, so anybody can subtract it"

// noise returns a simulated participant's source of noise, which repeats from run to run.
func noise(seed uint64, rank int) rand.Source {
	return rand.NewChaCha8(sha256.Sum256(fmt.Appendf(nil, "collabdict/experiment/noise/%d/%d", seed, rank)))
}

// observers returns the observers that the conditions ask for.
func (c Conditions) observers(s consensus.Scheme, watch watch, begun *inputs) observers {
	o := watch.observers()
	if c.Converge && (s == consensus.Laplacian || s == "") {
		o = append(o, begun)
	}
	return o
}

// complete completes the results of the participants that have finished, several at a time, and returns the
// first error by rank. Nothing of the network is in use any more, so its memory is free.
func complete(ctx context.Context, results []*pipeline.Result, cost *netsim.Report, names []string) error {
	err := parallel.Try(len(results), func(i int) error {
		if results[i] != nil && cost.Members[i].Err == nil && ctx.Err() == nil {
			if err := results[i].Complete(ctx); err != nil {
				return fmt.Errorf("%s: threshold: %w", names[i], err)
			}
		}
		return nil
	})
	return cmp.Or(err, ctx.Err())
}

// histories returns the rounds that participants completed before a simulation failed.
func histories(results []*pipeline.Result) *report.Run {
	r := &report.Run{}
	for _, own := range results {
		if own != nil && own.Model != nil {
			r.Participants = append(r.Participants, report.Participant{History: own.Model.Manifest.Privacy.History})
		}
	}
	return r
}

// farthest returns the first participant with the most decisions.
func farthest(cost *netsim.Report) int {
	best := 0
	for i, m := range cost.Members {
		if b := cost.Members[best]; b.Err != nil && m.Err == nil || (b.Err == nil) == (m.Err == nil) && len(m.Decisions) > len(b.Decisions) {
			best = i
		}
	}
	return best
}

// without records a participant that did not finish.
func (r *Run) without(p dataset.Participant, err error) {
	rows, _ := p.Train.Dims()
	left := "its part ended without a model"
	if err != nil {
		left = err.Error()
	}
	r.Models = append(r.Models, nil)
	r.Report.Participants = append(r.Report.Participants, report.Participant{Name: p.Name, Rows: rows, Left: left})
}

// addAll records the participants' parts. Figures are made for several at a time.
func (r *Run) addAll(results []*pipeline.Result, parts []dataset.Participant, cost *netsim.Report) error {
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = p.Name
	}
	own := make([]report.Participant, len(parts))
	finished := func(i int) bool {
		return cost.Members[i].Err == nil && results[i] != nil && results[i].Model != nil
	}
	err := parallel.Try(len(parts), func(i int) (err error) {
		if !finished(i) {
			return nil
		}
		if own[i], err = r.figures(results[i], parts[i], names, hex.EncodeToString(cost.Members[i].Digest[:])); err != nil {
			return fmt.Errorf("%s: %w", parts[i].Name, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, p := range parts {
		if !finished(i) {
			r.without(p, cost.Members[i].Err)
			continue
		}
		r.Models = append(r.Models, results[i].Model)
		r.Report.Participants = append(r.Report.Participants, own[i])
		for _, w := range results[i].Warnings {
			r.Report.Warnings = append(r.Report.Warnings, p.Name+": "+w)
		}
	}
	return nil
}

// figures completes a participant's model, and returns its figures.
func (r *Run) figures(result *pipeline.Result, p dataset.Participant, names []string, digest string) (report.Participant, error) {
	m := result.Model
	m.Manifest.Views = r.Report.Views
	m.Manifest.Privacy.Protection = r.Report.Protection
	m.Manifest.Privacy.LoneChanges = r.Report.LoneChanges
	m.Manifest.Privacy.Entries = r.Report.Ledger
	m.Manifest.Digest = digest
	pipeline.EnterWeightings(m, result, names)
	if m.Manifest.Hyper.Float("epsilon") != 0 {
		m.Manifest.Privacy.Published = append(m.Manifest.Privacy.Published, seededNoise)
	}
	return pipeline.Figures(m, p)
}

// network records the members of the sums, and their cost.
func (r *Run) network(t *pipeline.Task, names []string, cost *netsim.Report, first int, known *report.Ledger, results []*pipeline.Result) *report.Ledger {
	n := int64(len(cost.Members))
	for _, m := range cost.Members {
		r.Report.BytesSent += m.Bytes
		r.Report.Messages += m.Messages
		r.Report.Consensus.Iterations = max(r.Report.Consensus.Iterations, m.Rounds)
		r.Report.Consensus.Error = max(r.Report.Consensus.Error, m.Difference)
		r.Report.SetupRounds = max(r.Report.SetupRounds, m.Setup)
	}
	r.Report.BytesSent /= n
	r.Report.Messages /= n
	l := report.NewLedger(names, cost.Rules.Colluders, t.Conserved())
	l.Knows(known)
	for _, d := range cost.Members[first].Decisions {
		l.Add(d)
	}
	of := map[string]*pipeline.Result{}
	for i, result := range results {
		if result != nil && result.Model != nil {
			of[names[i]] = result
		}
	}
	pipeline.EnterLedger(r.Report, t.Settings, len(names), l, of)
	return l
}
