package cli

import (
	"context"
	"io"
	"time"

	"github.com/collabdict/collabdict/internal/files"
	"github.com/collabdict/collabdict/internal/journal"
	"github.com/collabdict/collabdict/internal/ops/operate"
	"github.com/collabdict/collabdict/internal/ops/outcome"
	pagefiles "github.com/collabdict/collabdict/internal/page"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/model"
)

// systemClock is the clock of pages.
var systemClock = operate.Clock{Now: time.Now, After: time.After}

// openPage serves a page of this process for its user at a terminal until stop is called, and prints the
// address. dir is the folder of the result, empty if nothing is kept. In a log, the address would be read
// by others and opened by nobody, so there p is nil.
func (a *app) openPage(ctx context.Context, dir string) (p *operate.Page, stop func()) {
	to := newScreen(a.err)
	if to.terminal == nil {
		return nil, func() {}
	}
	p = operate.NewPage(systemClock)
	address, stop, err := operate.ServePage(context.WithoutCancel(ctx), p, pagefiles.Node()) // it says that the run was interrupted, too
	if err != nil {                                                                          // the run needs no page
		to.line("warning: no page: " + err.Error())
		return nil, func() {}
	}
	p.SetFolder(dir)
	to.line("page at " + address)
	return p, stop
}

// showOutcome shows on the page, nil if there is none, what a run has come to. dir has its result, empty if
// nothing is kept.
func showOutcome(p *operate.Page, dir string, r *report.Run) error {
	switch {
	case p == nil:
	case dir != "":
		return outcome.Show(dir, p)
	default:
		p.SetOutcome(outcome.Ended("", r, operate.AsPlanned))
	}
	return nil
}

// outcomeOf returns the outcome of a run that gave an error.
func outcomeOf(ctx context.Context, err error) *operate.Outcome {
	if ctx.Err() != nil {
		return &operate.Outcome{Ended: operate.Stopped}
	}
	return &operate.Outcome{Ended: operate.Failed, Why: err.Error()}
}

// writePage writes the page of a model, and of the run in its folder, to one file.
func writePage(m *model.Model, path, to string) error {
	p, err := outcome.OpenModel(m, path, systemClock)
	if err != nil {
		return err
	}
	return files.Write(to, 0o600, func(w io.Writer) error { return p.WriteHTML(w, pagefiles.Node()) })
}

// plans shows on the page what a run of a task shows the other members. j is the journal of the
// member's folder, nil if it has none.
func (m *monitor) plans(t *pipeline.Task, columns, size int, j *journal.Journal) {
	if m.page != nil {
		m.page.SetPrivacy(outcome.Planned(t.Resolved(columns, size), size, spentIn(j)))
	}
}

// learns shows on the page what a run has come to.
func (m *monitor) learns(of *model.Model, r *report.Run, j *journal.Journal) {
	if m.page != nil && of != nil {
		m.page.SetModel(outcome.Learned(of))
		m.page.SetPrivacy(outcome.Privacy(&of.Manifest, r.Warnings, spentIn(j), j == nil))
	}
}
