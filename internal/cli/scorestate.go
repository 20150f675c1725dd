package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/follow"
	"github.com/collabdict/collabdict/internal/files"
	"github.com/collabdict/collabdict/internal/run/scoring"
	"github.com/collabdict/collabdict/internal/serve"
)

// keptSeries is a series that score continues from one call to the next.
type keptSeries struct {
	scoring.Series
	path  string        // of the state, "" if it is not kept
	model string        // digest of the model's file
	file  *follow.Place // where the state was left, nil for none
	// failed is the error of printing an event, nil if there was none.
	failed error
}

// holdState keeps other processes from the state in a file until release is called.
func holdState(path string) (release func(), err error) {
	if err := files.MkdirPrivate(filepath.Dir(path)); err != nil {
		return nil, err
	}
	lock := path + ".lock" // the file itself is replaced
	unlock, err := files.TryLock(lock)
	if errors.Is(err, files.ErrHeld) {
		return nil, &flagError{"state", path + " is in use by another process", "wait until that has ended, or name another file"}
	}
	if err != nil {
		return nil, err
	}
	return func() {
		_ = os.Remove(lock) // not after unlocking, when another process may hold it
		unlock()
	}, nil
}

// resume continues the series of the state in a file, if there is one.
func (k *keptSeries) resume(path string) error {
	k.path = path
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	const hint = "name another file, or remove it to begin anew"
	was, err := scoring.ParseState(text)
	if err == nil && was.Model != k.model {
		return &flagError{"state", path + " is of a series scored by another model", hint}
	}
	if err == nil {
		k.file = was.File
		err = k.Resume(was)
	}
	if err != nil {
		return &flagError{"state", fmt.Sprintf("%s: %v", path, err), hint}
	}
	return nil
}

// keep writes the state, if it is kept. at is where the rows of a file that is followed have ended.
func (k *keptSeries) keep(at *follow.Place) error {
	if k.path == "" {
		return nil
	}
	s := k.State(k.model)
	s.File = at
	return files.WriteJSON(k.path, s)
}

// hooked reports whether events are sent to a webhook: those of rows that come without end, and not those of a file
// that may be old.
func (s *scoreFlags) hooked(spec *dataset.Spec) bool {
	return s.rules.Webhook != nil && len(spec.Data) == 1 && spec.Input()
}

// scoreSeries scores rows that continue those of an earlier call, or will be continued. It returns events if these
// are to be printed.
func (a *app) scoreSeries(ctx context.Context, spec dataset.Spec, s *scoreFlags, lines *scoreLines) (*foundEvents, error) {
	b, err := os.ReadFile(s.model)
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256(b)
	k := &keptSeries{Series: lines.series(), model: hex.EncodeToString(digest[:])}
	k.Finder.Stream = !s.printsEvents(a, &spec) && s.plots == ""
	var hook *serve.Webhook
	if s.hooked(&spec) {
		hook = serve.NewWebhook(time.After, rand.Reader, a.note)
		defer hook.Close()
	}
	k.Finder.Watch = func(e scoring.Event, ended bool) {
		told := serve.NewTold(cmp.Or(s.follow, dataset.StandardInput), k.model, e, ended)
		hook.Send(lines.rules.Webhook, told)
		if s.follow != "" && s.events {
			k.failed = errors.Join(k.failed, json.NewEncoder(a.out).Encode(told))
		}
	}
	if s.state == "" { // nothing continues the event that goes on at the end
		defer k.Finder.End()
	}
	if s.state != "" {
		release, err := holdState(s.state)
		if err != nil {
			return nil, err
		}
		defer release()
		if err := k.resume(s.state); err != nil {
			return nil, err
		}
	}
	spec.Series = &k.Series.Series
	if s.follow != "" {
		return nil, a.follow(ctx, spec, s, lines, k)
	}
	found, err := a.readScored(ctx, spec, s, lines)
	// The lines of an interrupted stream are written, so that the series goes on after them. A file
	// of lines, and events, are then not written.
	interrupted := errors.Is(err, context.Canceled) && !s.printsEvents(a, &spec)
	if err != nil && !interrupted {
		return nil, err
	}
	if err := k.keep(nil); err != nil {
		return nil, err
	}
	return found, err
}
