package together

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/collabdict/collabdict/internal/data/npz"
	"github.com/collabdict/collabdict/internal/files"
	"github.com/collabdict/collabdict/lab/internal/study"
)

// file returns the name of a fold's file, without an extension.
func (f fold) file() string {
	return strings.NewReplacer("/", "-", " ", "_", "=", "-").Replace(f.String())
}

// write writes the rows of a fold for baselines.py: train and test of each participant whose
// test rows have both classes, numbered from 0, and the labels of the test rows.
func (d *dealer) write(study string, f fold) error {
	dir := d.l.Out(study + ".folds")
	path := filepath.Join(dir, f.file()+".npz")
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	all, err := d.deal(f)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return files.Write(path, 0o644, func(w io.Writer) error {
		z, n := npz.NewWriter(w), 0
		for _, h := range first(all, f.size) {
			if !h.both() {
				continue
			}
			err := errors.Join(put(z, fmt.Sprintf("train%d", n), h.train), put(z, fmt.Sprintf("test%d", n), h.test),
				npz.Put(z, fmt.Sprintf("labels%d", n), npz.Array[float64]{Shape: []int{len(h.test)}, Data: labels(h.test)}))
			if err != nil {
				return err
			}
			n++
		}
		return z.Close()
	})
}

func put(z *npz.Writer, name string, of []row) error {
	x := matrix(of).RawMatrix()
	return npz.Put(z, name, npz.Array[float64]{Shape: []int{x.Rows, x.Cols}, Data: x.Data})
}

// baselines are the methods of baselines.py, each on the rows of a participant alone.
var baselines = []string{"kNN", "IF", "LW", "GMM-BIC"}

// readBaselines adds the results of baselines.py for the folds of a folder, if there are any.
func (r *results) readBaselines(dir string) error {
	path := filepath.Join(dir, "baselines.json")
	raw, err := os.ReadFile(filepath.Clean(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var byFile map[string]map[string]outcome
	if err := json.Unmarshal(raw, &byFile); err != nil {
		return study.Wrong(fmt.Sprintf("%s: %v; run baselines.py again", path, err))
	}
	for _, f := range r.folds {
		for _, method := range baselines {
			if o, ok := byFile[f.file()][method]; ok {
				r.add(f, "", method, o)
			}
		}
	}
	r.outside = true
	return nil
}
