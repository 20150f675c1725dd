package cli

import (
	"context"
	"io/fs"
	"time"

	"github.com/collabdict/collabdict/internal/journal"
	"github.com/collabdict/collabdict/internal/ops/operate"
	"github.com/collabdict/collabdict/internal/ops/outcome"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/model"
)

// systemClock is the clock of pages.
var systemClock = operate.Clock{Now: time.Now, After: time.After}

// servePage serves a page with its files until the context ends or stop is called, and returns its
// address, to be shown on a screen.
func servePage(ctx context.Context, to *screen, files fs.FS) (p *operate.Page, address string, stop func(), err error) {
	p = operate.NewPage(operate.ReaderOf(to.terminal != nil), systemClock)
	address, stop, err = operate.ServePage(ctx, p, files)
	return p, address, stop, err
}

// plans shows on the page what a run of a task shows the other members. j is the journal of the
// member's folder, nil if it has none.
func (m *monitor) plans(t *pipeline.Task, columns, size int, j *journal.Journal) {
	if m.page != nil {
		m.page.SetPrivacy(outcome.Planned(t.Resolved(columns), size, spentIn(j)))
	}
}

// learns shows on the page what a run has come to.
func (m *monitor) learns(of *model.Model, r *report.Run, j *journal.Journal) {
	if m.page != nil && of != nil {
		m.page.SetModel(outcome.Learned(of))
		m.page.SetPrivacy(outcome.Privacy(&of.Manifest, r.Warnings, spentIn(j)))
	}
}
