package scoring

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

// RulesFile has the rules of alarms for the model beside it.
const RulesFile = "alarms.yaml"

// AdaptRows gives rows the column names and units of a model, as its owner's node.yaml beside the model in a file
// says, and sets how CSV files are read. It returns the path of node.yaml if columns are renamed or converted.
func AdaptRows(spec *dataset.Spec, m *model.Model, file string) (by string, err error) {
	dir, own := filepath.Dir(file), &config.Node{}
	path := filepath.Join(dir, config.NodeFile)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		if own, err = config.ReadNode(dir); err != nil {
			return "", err
		}
		if err = own.CSV.Check(); err != nil {
			return "", &config.Error{File: path, Err: err, Hint: "correct the file"}
		}
	}
	spec.Rename, spec.CSV = own.Rename, own.CSV
	if spec.Time == "" && m.Manifest.Window > 0 { // gaps in time end windows, as in training
		spec.Time = own.TimeColumn
	}
	if spec.Units, err = own.ColumnUnits(m.Manifest.Units); err != nil {
		return "", &config.Error{File: path, Err: err, Hint: "correct the file; to score rows of another participant, copy the model to another folder"}
	}
	if len(spec.Rename) > 0 || slices.ContainsFunc(slices.Collect(maps.Values(spec.Units)), dataset.Unit.Differs) {
		by = path
	}
	return by, nil
}

// ReadRulesFile reads the rules in a file, for rows of some columns.
func ReadRulesFile(path string, columns []string) (*Rules, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	rules, err := readRules(text, columns)
	if err != nil {
		return nil, &config.Error{File: path, Err: err, Hint: "correct the file"}
	}
	return rules, nil
}
