package outcome

import (
	"fmt"
	"math"
	"strings"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/export"
	"github.com/collabdict/collabdict/internal/ops/operate"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/model"
)

// About describes the kind of a model, its participant and the rows that it comes from.
func About(m *model.Model) string {
	d := &m.Manifest
	var what string
	switch of := m.Learned.(type) {
	case algorithm.Coder:
		what = fmt.Sprintf("%d latent dimensions", of.Latent())
	case algorithm.Classifier:
		what = fmt.Sprintf("a classifier of %d classes", of.Classes())
	case algorithm.Dictionary:
		what = count(len(of.Weights()), "component")
	default:
		what = count(0, "component")
	}
	return fmt.Sprintf("%s of %s: %s over %s, trained on %s (%d of its own) by %s",
		d.Kind, d.Participant, what, count(len(d.Columns), "column"), count(d.TotalRows, "row"), d.Rows, members(d.Views))
}

func members(views []report.View) string {
	if len(views) == 0 {
		return "it alone"
	}
	last := views[len(views)-1]
	if last.Count > 0 {
		return count(last.Count, "participant")
	}
	return strings.Join(last.Members, ", ")
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Learned returns what a page shows of a model. The model has the private parts that are known.
func Learned(m *model.Model) *operate.Learned {
	of := &m.Manifest
	l := &operate.Learned{
		Kind: of.Kind, Participant: of.Participant, About: About(m), Columns: of.Columns, Units: of.Units,
		Components: export.Components(m), HeldOut: of.HeldOut, Warnings: of.Warnings,
	}
	if of.HeldOut != nil && of.HeldOut.Verdict != nil {
		l.Verdict = of.HeldOut.Verdict.Sentence()
	}
	if x, err := export.MixtureOf(m, true); err == nil { // other models have no components
		l.LeastWeight = x.LeastWeight
	}
	if limit := m.Threshold(); !math.IsNaN(limit) && !math.IsInf(limit, 0) {
		l.Threshold = limit
	}
	return l
}
