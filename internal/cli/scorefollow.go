package cli

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/follow"
	"github.com/collabdict/collabdict/internal/run/scoring"
)

// lookAgain is the time after which a file that is followed is looked at again.
const lookAgain = 500 * time.Millisecond

// checkFollow reports what cannot be said with --follow, and makes the file standard input.
func (s *scoreFlags) checkFollow() error {
	if s.follow == "" {
		return nil
	}
	for _, c := range []struct {
		given      bool
		flag, hint string
	}{
		{len(s.data) > 0, "data", "name the file once, after --follow"},
		{s.out != "", "output", "write the lines to a file with >>"},
		{s.plots != "", "plots", "draw the file without --follow"},
	} {
		if c.given {
			return &flagError{c.flag, "contradicts --follow", c.hint}
		}
	}
	s.data = []string{"-"}
	if s.state != "" && filepath.Clean(s.state) == filepath.Clean(s.follow) {
		return &flagError{"state", "would overwrite the file to follow", "name another file"}
	}
	return another("state", s.state, s.follow)
}

// follow scores the rows that are appended to a file, until the context ends. That is no error.
func (a *app) follow(ctx context.Context, spec dataset.Spec, s *scoreFlags, lines *scoreLines, k *keptSeries) error {
	after := a.after
	if after == nil {
		after = time.After
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop() // ends what still reads after an error
	t := &follow.Tail{Path: s.follow, Wait: func() <-chan time.Time { return after(lookAgain) }, Tell: func(line string) { a.note("%s", line) }}
	defer t.Close()
	f := &followed{tail: t, series: k, at: k.file, after: after}
	lines.each = func(spec dataset.Spec, begin func([]string) error, of func(*scoring.Rows) error) (dataset.Gaps, error) {
		return f.each(ctx, spec, lines, begin, of)
	}
	out := a.out
	if s.events { // these are printed in place of rows
		out = io.Discard
	}
	err := a.writeScores(out, spec, lines)
	switch {
	case errors.Is(err, context.Canceled):
		return nil
	case errors.Is(err, follow.ErrForm):
		return &flagError{"follow", err.Error(), "name a file of CSV or JSON lines that grows"}
	}
	return err
}

// followed is a file that is followed while its rows are scored.
type followed struct {
	tail   *follow.Tail
	series *keptSeries
	at     *follow.Place // where to go on, nil for the beginning
	after  func(time.Duration) <-chan time.Time
}

// each scores the rows of the file, and of those that follow in its place. Later files have the columns of the
// first.
func (f *followed) each(ctx context.Context, spec dataset.Spec, lines *scoreLines, begin func([]string) error, of func(*scoring.Rows) error) (all dataset.Gaps, err error) {
	file, skip, err := f.tail.Open(ctx, f.at)
	for first := true; err == nil; {
		var some bool
		if some, err = file.Ready(); err != nil {
			return all, err
		}
		if some {
			err = f.file(ctx, spec, file, skip, func(carried []string) error {
				if !first {
					lines.found.Places = scoring.NewPlaces(carried, spec.Time)
					return nil
				}
				first, spec.Carry = false, append([]string{}, carried...)
				return begin(carried)
			}, of, lines)
			if err != nil {
				return all, err
			}
		}
		skip = 0
		file, err = f.tail.Next(ctx)
	}
	return all, err
}

// file scores the rows of one file, but for some at its beginning.
func (f *followed) file(ctx context.Context, spec dataset.Spec, file *follow.File, skip int, begin func([]string) error, of func(*scoring.Rows) error, lines *scoreLines) error {
	spec.Skip = skip
	named := func(text string) string { return strings.ReplaceAll(text, dataset.StandardInput, f.tail.Path) }
	tell := spec.Tell
	spec.Tell = func(line string) { tell(named(line)) }
	before := f.series.Rows - skip // of other files
	err := spec.Forward(ctx, file, func() <-chan time.Time { return f.after(silent) })
	if err == nil {
		_, err = lines.scorer.Each(spec, begin, func(r *scoring.Rows) error {
			if err := errors.Join(of(r), f.series.failed); err != nil {
				return err
			}
			return f.series.keep(file.Place(f.series.Rows - before))
		})
	}
	if bad, ok := errors.AsType[*dataset.Error](err); ok && bad.File == dataset.StandardInput {
		bad.File = f.tail.Path
	}
	return err
}
