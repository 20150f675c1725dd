package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/collabdict/collabdict/internal/config"
	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/model"
)

// adaptRows gives rows the names and units of a model as its owner's rows got them in training,
// where node.yaml is beside the model.
func (a *app) adaptRows(spec *dataset.Spec, m *model.Model, file string) error {
	dir := filepath.Dir(file)
	path := filepath.Join(dir, config.NodeFile)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	own, err := config.ReadNode(dir)
	if err != nil {
		return err
	}
	spec.Rename = own.Rename
	if spec.Convert, err = own.Conversions(m.Manifest.Units); err != nil {
		return &config.Error{File: path, Msg: err.Error(), Hint: "correct the file, or copy the model to another folder if these rows are none of its owner's"}
	}
	if len(spec.Rename)+len(spec.Convert) > 0 {
		a.note("columns are renamed and converted as %s says", path)
	}
	return nil
}
