package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/config"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/partition"
	"github.com/collabdict/collabdict/internal/files/strict"
	"github.com/collabdict/collabdict/internal/journal"
	"github.com/collabdict/collabdict/internal/journal/store"
	"github.com/collabdict/collabdict/internal/mixtures/em"
	"github.com/collabdict/collabdict/internal/ops/operate"
	"github.com/collabdict/collabdict/internal/roster"
	"github.com/collabdict/collabdict/internal/run/launch"
	"github.com/collabdict/collabdict/internal/run/participant"
	"github.com/collabdict/collabdict/model"
	"github.com/collabdict/collabdict/node"
	"github.com/collabdict/collabdict/option"
)

// failure is an error of a command.
type failure struct {
	launch.Failure
	Seed   *uint64 `json:"seed,omitempty"`   // the seed of a simulation that failed
	Replay string  `json:"replay,omitempty"` // the command that repeats the simulation
}

// failureOf returns the class of an error, and what is printed of it.
func failureOf(ctx context.Context, err error) (class, failure) {
	c, hint := classify(ctx, err)
	var f failure
	if c == interrupted {
		f.Message = "interrupted"
	} else {
		f.Failure = placeOf(err)
		f.Message = err.Error()
	}
	f.Code, f.Hint = c.name, hint
	if again, ok := errors.AsType[replayError](err); ok {
		f.Seed, f.Replay = &again.seed, again.line
	}
	return c, f
}

// write writes the failure as one line of JSON.
func (f failure) write(w io.Writer) {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false) // a command line must be ready to paste
	_ = e.Encode(map[string]failure{"error": f})
}

// placeOf returns where an error is, and what was found there. Only typed errors say so.
func placeOf(err error) launch.Failure {
	if e, ok := errors.AsType[*launch.ChildError](err); ok {
		return e.Failure
	}
	var f launch.Failure
	addFile(&f, err)
	addOption(&f, err)
	addMembers(&f, err)
	return f
}

// addFile adds the file of an error, and the place in it.
func addFile(f *launch.Failure, err error) {
	when(err, func(e *fs.PathError) { f.File = e.Path })
	when(err, func(e *config.Error) { f.File = e.File })
	when(err, func(e *strict.Error) { f.Line = e.Line })
	when(err, func(e *model.Error) { f.File = e.File })
	when(err, func(e *dataset.Error) {
		f.File, f.Line, f.Row, f.Column, f.Got = e.File, e.Line, e.Row, e.Column, e.Got
	})
	when(err, func(e *partition.Error) { f.Column = e.Column })
	when(err, func(e *participant.OtherRowsError) { f.File = e.Dir })
	when(err, func(e *operate.InUseError) { f.File = e.Dir })
	when(err, func(e *store.DamageError) { f.File = e.Path })
	when(err, func(e *store.VersionError) {
		f.File, f.Got, f.Wanted = e.Path, strconv.FormatUint(uint64(e.Got), 10), strconv.Itoa(store.Version)
	})
	when(err, func(e *journal.OlderError) { f.File = filepath.Join(e.Dir, e.File) })
	when(err, func(e *journal.KeyError) { f.File, f.Got = e.Path, e.Got })
	when(err, func(e *journal.DamageError) { f.File = e.Path })
	when(err, func(e *journal.Damage) { f.Line = e.Line })
}

// addOption adds the flag, option or key of a file that is at fault.
func addOption(f *launch.Failure, err error) {
	when(err, func(e *option.Error) { f.Field, f.Got = e.Name, e.Got })
	when(err, func(e *flagError) { f.Field = e.flag })
	when(err, func(e *pflag.NotExistError) { f.Field = e.GetSpecifiedName() })
	when(err, func(e *pflag.InvalidValueError) { f.Field, f.Got = e.GetFlag().Name, e.GetValue() })
	when(err, func(e *em.ComponentsError) { f.Field, f.Got = "components", strconv.Itoa(e.Components) })
	when(err, func(e *node.ConfigError) { f.Field, f.Got, f.Wanted = e.Field, e.Got, e.Want })
}

// addMembers adds the members that an error is about.
func addMembers(f *launch.Failure, err error) {
	when(err, func(e *roster.SignatureError) { f.Members = slices.Concat(e.Unsigned, e.Other, e.Strangers) })
	when(err, func(e *node.DisagreementError) {
		f.Members, f.Field, f.Got, f.Wanted = []string{e.Peer}, e.Field, e.Theirs, e.Own
	})
	when(err, func(e *node.DuplicateNameError) { f.Members = []string{e.Name} })
	when(err, func(e *node.TooManyError) {
		f.Members, f.Got, f.Wanted = e.Found, strconv.Itoa(len(e.Found)), strconv.Itoa(e.Want)
	})
	when(err, func(e *node.JoinTimeoutError) {
		f.Members, f.Got, f.Wanted = e.Missing, strconv.Itoa(len(e.Present)), strconv.Itoa(e.Want)
	})
	when(err, func(e *consensus.LostError) { f.Members = e.Names })
	when(err, func(e *consensus.MemberError) { f.Members = []string{e.Name} })
	when(err, func(e *consensus.ParametersError) { f.Members = e.Names })
	when(err, func(e *node.StrangerError) { f.Members = []string{e.Peer} })
	when(err, func(e *node.RosterError) { f.Members = []string{e.Peer} })
	when(err, func(e *node.OverError) { f.Members = []string{e.Peer} })
	when(err, func(e *node.EndedError) { f.Members = []string{e.Name} })
}

// when calls add if err is, or wraps, an error of the type E.
func when[E error](err error, add func(e E)) {
	if e, ok := errors.AsType[E](err); ok {
		add(e)
	}
}

// is reports whether err is, or wraps, an error of the type E.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
