package cli

import (
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/run/scoring"
	"github.com/collabdict/collabdict/model"
)

// localBeside returns the path of the participant's local part.
func localBeside(modelFile string) string {
	return filepath.Join(filepath.Dir(modelFile), model.LocalFile)
}

// complete gives a model the parts of the participant beside it, if there are any, and notes
// which scores apply.
func (a *app) complete(m *model.Model, s *scoredFlags) error {
	if err := a.completeOwn(m, s.model, s.own); err != nil {
		return err
	}
	if err := a.completeLocal(m, s); err != nil {
		return err
	}
	if s.with == "" {
		return nil
	}
	if err := m.With(s.with); err != nil {
		return &flagError{"with", err.Error(), ""}
	}
	return nil
}

// completeLocal gives a model the local part beside it, if scores may use that.
func (a *app) completeLocal(m *model.Model, s *scoredFlags) error {
	if !m.Manifest.Local || math.IsNaN(m.Threshold()) { // conditions of 0 have no threshold
		return nil
	}
	file := localBeside(s.model)
	if _, err := os.Stat(file); err != nil {
		if s.with == "" {
			a.note("no %s beside the model: scores use the shared model only", model.LocalFile)
		}
		return nil // --with reports what is missing
	}
	if s.own != "" && !sameFile(s.own, ownBeside(s.model)) {
		if s.with != model.Shared {
			a.note("%s is for the conditions in %s: scores use the shared model only", file, ownBeside(s.model))
		}
		return nil
	}
	if err := m.ReadLocalFile(file); err != nil && s.with != model.Shared { // whose scores do not need it
		return err
	}
	return nil
}

// sameFile reports whether two paths lead to one file.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// localPart describes a participant's local part.
type localPart struct {
	File       string  `json:"file"`       // its path
	Rows       int     `json:"rows"`       // rows among which the nearest are searched
	Alone      bool    `json:"alone"`      // reports whether there is a model of the own rows alone
	Calibrated int     `json:"calibrated"` // rows that calibrate the surprises
	Threshold  float64 `json:"threshold"`  // that of the blend
}

// describeLocal returns the description of the local part for inspect, nil if there is none or
// it belongs to another own part.
func describeLocal(m *model.Model, own *ownPart, modelFile string) (*localPart, error) {
	file := localBeside(modelFile)
	if _, err := os.Stat(file); err != nil || !m.Manifest.Local || m.Personal() != nil && (own == nil || !sameFile(own.File, ownBeside(modelFile))) {
		return nil, nil //nolint:nilerr // there is none
	}
	if err := m.ReadLocalFile(file); err != nil {
		return nil, err
	}
	rows, _ := m.Local.Nearest.Rows().Dims()
	return &localPart{file, rows, m.Local.Alone != nil, m.Local.Calibrations[0].Len(), m.Threshold()}, nil
}

func (l *localPart) String() string {
	parts := "a model of the own rows alone and "
	if !l.Alone {
		parts = ""
	}
	return fmt.Sprintf("%s: %s%s, calibrated on %s", l.File, parts, count(l.Rows, "row"), count(l.Calibrated, "row"))
}

// adaptRows is [scoring.AdaptRows] with a note.
func (a *app) adaptRows(spec *dataset.Spec, m *model.Model, file string) error {
	by, err := scoring.AdaptRows(spec, m, file)
	if by != "" {
		a.note("columns are renamed and converted by %s", by)
	}
	return err
}
