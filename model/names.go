package model

import (
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/run/local"
	"github.com/collabdict/collabdict/internal/run/report"
)

// How rows become the coordinates trained on.
type (
	Scaling    = rows.Scaling    // shifts and scales of columns
	Projection = rows.Projection // principal axes
)

// The parts of a [Local].
type (
	Ensemble    = local.Ensemble
	Calibration = local.Calibration
	Nearest     = local.Nearest
)

// The parts of a [Manifest] and of a [Ledger], as in the JSON objects that commands print.
type (
	Axes       = report.PCA // the principal axes
	HeldOut    = report.HeldOut
	Judged     = report.Judged
	Figure     = report.Figure
	View       = report.View
	Protection = report.Protection
	Diversity  = report.Diversity
	Round      = report.Round
	Weighting  = report.Weighting
	LoneChange = report.LoneChange
	Entry      = report.Entry
	Cap        = report.Cap
)
