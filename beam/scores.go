package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"gocloud.dev/blob"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/run/local"
	"github.com/collabdict/collabdict/internal/run/scoring"
	"github.com/collabdict/collabdict/model"
)

// A scoreOrder has what workers know of the scores to write. They count the rows of each split first, since rows are
// numbered over all objects.
type scoreOrder struct {
	Model, Local []byte // files; Local is nil for none
	Spec         dataset.Spec
	Carried      []string // columns, which the first object settles
	Limit        float64  // the threshold
	Named        bool     // rows have the name of their object
	Output       address  // folder of the parts
	Starts       []int    // number of rows before each split; nil to count

	loading sync.Once
	model   *model.Model
	failed  error
}

// loaded returns the model, which this worker loads once.
func (o *scoreOrder) loaded() (*model.Model, error) {
	o.loading.Do(func() {
		if o.model, o.failed = model.Read(bytes.NewReader(o.Model), int64(len(o.Model))); o.failed == nil && o.Local != nil {
			o.failed = o.model.ReadLocal(bytes.NewReader(o.Local), int64(len(o.Local)))
		}
	})
	return o.model, o.failed
}

// spec returns what to read of a split, after the rows of a series.
func (o *scoreOrder) spec(file string, rows *dataset.Bytes, after *dataset.Series) dataset.Spec {
	s := o.Spec
	s.Data, s.Piece, s.Series, s.Carry = []string{file}, rows, after, append([]string{}, o.Carried...)
	return s
}

// outputName is the name of a part of the scores. Names have the order of the numbers.
func outputName(number int) string { return fmt.Sprintf("part-%08d.csv", number) }

func recentName(number int) string { return fmt.Sprintf("recent-%06d", number) }

// countSplit counts the rows of a split, and keeps the last ones for windows that go on in the next split.
func (o *order) countSplit(ctx context.Context, number int) ([]byte, error) {
	var series dataset.Series
	err := o.Splits[number].local(ctx, func(file string, rows *dataset.Bytes) error {
		spec := o.Scores.spec(file, rows, &series)
		spec.Carry = []string{}
		_, err := dataset.Scan(spec, func([]string) error { return nil }, func(dataset.Block) error { return nil })
		return err
	})
	if err != nil {
		return nil, err
	}
	if o.Scores.Spec.Window > 0 {
		text, err := json.Marshal(series.Recent)
		if err != nil {
			return nil, err
		}
		if err := write(ctx, o.Index.Folder.in(recentName(number)), text); err != nil {
			return nil, err
		}
	}
	return encode(series.Rows)
}

// recent returns the rows before a split that belong to the window of its first row.
func (o *order) recent(ctx context.Context, number int) (rows []dataset.Cells, err error) {
	most := o.Scores.Spec.Window - 1
	for len(rows) < most && o.Splits[number].First > 0 {
		number--
		text, err := read(ctx, o.Index.Folder.in(recentName(number)))
		if err != nil {
			return nil, err
		}
		var before []dataset.Cells
		if err := json.Unmarshal(text, &before); err != nil {
			return nil, err
		}
		rows = append(before, rows...)
	}
	return rows[max(0, len(rows)-most):], nil
}

// scoreSplit writes the scores of a split as a part of the output.
func (o *order) scoreSplit(ctx context.Context, number int) ([]byte, error) {
	m, err := o.Scores.loaded()
	if err != nil {
		return nil, err
	}
	after := dataset.Series{Rows: o.Scores.Starts[number]}
	if o.Scores.Spec.Window > 0 {
		if after.Recent, err = o.recent(ctx, number); err != nil {
			return nil, err
		}
	}
	part, err := os.CreateTemp("", "collabdict-beam-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = errors.Join(part.Close(), os.Remove(part.Name())) }() // what the output needs is uploaded before
	out := bufio.NewWriterSize(part, 1<<16)
	lines := csv.NewWriter(out)
	if number == 0 {
		_ = lines.Write(scoring.Header(o.carried(), scoring.Columns)) // Error returns the error
	}
	var gaps dataset.Gaps
	split := o.Splits[number]
	err = split.local(ctx, func(file string, rows *dataset.Bytes) error {
		var line []string
		found, err := scoring.New(m, local.Fixed(o.Scores.Limit), false).Each(o.Scores.spec(file, rows, &after), func([]string) error { return nil }, func(r *scoring.Rows) error {
			for i := range r.Numbers {
				if o.Scores.Named {
					r.Carried[i] = append([]string{split.Object.name()}, r.Carried[i]...)
				}
				line = r.AppendLine(line[:0], i)
				if err := lines.Write(line); err != nil {
					return err
				}
			}
			return nil
		})
		gaps = found
		for _, text := range append([]*string{&gaps.First}, pointers(gaps.Aside)...) {
			*text = strings.ReplaceAll(*text, file, split.String())
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	lines.Flush()
	if err := errors.Join(lines.Error(), out.Flush()); err != nil {
		return nil, err
	}
	if err := upload(ctx, o.Scores.Output.in(outputName(number)), part); err != nil {
		return nil, err
	}
	return encode(gaps)
}

func pointers(texts []string) (all []*string) {
	for i := range texts {
		all = append(all, &texts[i])
	}
	return all
}

// carried returns the carried columns of the output.
func (o *order) carried() []string {
	if o.Scores.Named {
		return append([]string{dataset.FileColumn}, o.Scores.Carried...)
	}
	return o.Scores.Carried
}

// upload writes a file as an object, which appears as a whole.
func upload(ctx context.Context, to address, file *os.File) error {
	return try(ctx, to, func(b *blob.Bucket) error {
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return err
		}
		ctx, abort := context.WithCancel(ctx)
		defer abort()
		w, err := b.NewWriter(ctx, to.Key, private)
		if err != nil {
			return err
		}
		if _, err := io.Copy(w, file); err != nil {
			abort() // otherwise Close would make an object of what has been copied
			_ = w.Close()
			return err
		}
		return w.Close()
	})
}

// scored is what a run of scores tells its user.
type scored struct {
	gaps  dataset.Gaps
	rows  int
	parts int
}

// score writes the scores of the rows of some addresses as parts in a folder, by a model in a file or folder. note is
// called with what users should know of the model.
func (e *beamEngine) score(modelPath, output string, addresses []string, note func(string)) (*scored, error) {
	o := &scoreOrder{}
	if err := o.take(modelPath, note); err != nil {
		return nil, err
	}
	var err error
	if o.Output, err = parseFolder(output); err != nil {
		return nil, err
	}
	if there, err := names(e.ctx, o.Output); err != nil {
		return nil, err
	} else if len(there) > 0 {
		return nil, fmt.Errorf("%s: want an empty folder for the scores, got %d objects: remove them, or name another folder", o.Output, len(there))
	}
	size := *splitKB << 10
	if o.Spec.Time != "" { // steps of time in all rows before a row tell whether its window begins there
		size = wholeObjects
	}
	all, err := splits(e.ctx, addresses, size)
	if err != nil {
		return nil, err
	}
	o.Named = slices.ContainsFunc(all, func(s split) bool { return s.Object != all[0].Object })
	err = all[0].local(e.ctx, func(file string, rows *dataset.Bytes) (err error) {
		spec := o.spec(file, rows, nil)
		spec.Carry = nil
		o.Carried, err = dataset.Carried(spec)
		return err
	})
	if err != nil {
		return nil, err
	}
	work := order{Splits: all, Index: index{Folder: e.folder.in("rows")}, Scores: o}
	counts, err := e.do(work, len(all))
	if err != nil {
		return nil, err
	}
	out := &scored{parts: len(all)}
	for _, text := range counts {
		var n int
		if err := decode(text, &n); err != nil {
			return nil, err
		}
		o.Starts = append(o.Starts, out.rows)
		out.rows += n
	}
	results, err := e.do(work, len(all))
	if err != nil {
		return nil, err
	}
	for _, text := range results {
		var g dataset.Gaps
		if err := decode(text, &g); err != nil {
			return nil, err
		}
		out.gaps.Add(&g)
	}
	return out, nil
}

// take reads the model and what score uses beside it.
func (o *scoreOrder) take(path string, note func(string)) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, model.File)
	}
	var err error
	if o.Model, err = os.ReadFile(path); err != nil {
		return err
	}
	m, err := model.ReadFile(path)
	if err != nil {
		return err
	}
	switch {
	case m.Scorer() == nil:
		return fmt.Errorf("%s: want a model that gives scores, got one of kind %s: classify rows with collabdict score", path, m.Manifest.Kind)
	case m.Personal() != nil || !m.Complete():
		return fmt.Errorf("%s: want a model without a part of its own for each participant, got one of kind %s: score rows with collabdict score", path, m.Manifest.Kind)
	}
	if m.Manifest.Local {
		beside := filepath.Join(filepath.Dir(path), model.LocalFile)
		switch o.Local, err = os.ReadFile(beside); {
		case errors.Is(err, fs.ErrNotExist):
			note("no " + model.LocalFile + " beside the model: scores use the shared model only")
		case err != nil:
			return err
		default:
			if err := m.ReadLocalFile(beside); err != nil {
				return err
			}
		}
	}
	o.Spec = dataset.Spec{Columns: m.DataColumns(), Window: m.Manifest.Window, Missing: dataset.KeepMissing, Scored: true}
	if by, err := scoring.AdaptRows(&o.Spec, m, path); err != nil {
		return err
	} else if by != "" {
		note("columns are renamed and converted by " + by)
	}
	rules, err := scoring.ReadRulesFile(filepath.Join(filepath.Dir(path), scoring.RulesFile), m.DataColumns())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if o.Limit = m.Threshold(); err == nil && rules.Threshold != nil {
		o.Limit = *rules.Threshold
	}
	return nil
}
