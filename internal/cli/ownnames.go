package cli

import (
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/run/scoring"
	"github.com/collabdict/collabdict/model"
)

// adaptRows is [scoring.AdaptRows] with a note.
func (a *app) adaptRows(spec *dataset.Spec, m *model.Model, file string) error {
	by, err := scoring.AdaptRows(spec, m, file)
	if by != "" {
		a.note("columns are renamed and converted by %s", by)
	}
	return err
}
