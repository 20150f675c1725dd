package cli

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/collabdict/collabdict/internal/config"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/model"
)

// adaptRows gives rows the column names and units of a model, as its owner's node.yaml beside
// the model says, and sets how CSV files are read.
func (a *app) adaptRows(spec *dataset.Spec, m *model.Model, file string) error {
	dir, own := filepath.Dir(file), &config.Node{}
	path := filepath.Join(dir, config.NodeFile)
	_, err := os.Stat(path)
	if !errors.Is(err, fs.ErrNotExist) {
		if own, err = config.ReadNode(dir); err != nil {
			return err
		}
		if err = own.CSV.Check(); err != nil {
			return &config.Error{File: path, Err: err, Hint: "correct the file"}
		}
	}
	spec.Rename, spec.CSV = own.Rename, own.CSV
	if spec.Time == "" && m.Manifest.Window > 0 { // gaps in time end windows, as in training
		spec.Time = own.TimeColumn
	}
	if spec.Units, err = own.ColumnUnits(m.Manifest.Units); err != nil {
		return &config.Error{File: path, Err: err, Hint: "correct the file; to score rows of another participant, copy the model to another folder"}
	}
	if len(spec.Rename) > 0 || slices.ContainsFunc(slices.Collect(maps.Values(spec.Units)), dataset.Unit.Differs) {
		a.note("columns are renamed and converted by %s", path)
	}
	return nil
}
