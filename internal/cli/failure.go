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
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		f.File = e.Path
	}
	if e, ok := errors.AsType[*config.Error](err); ok {
		f.File = e.File
	}
	if e, ok := errors.AsType[*strict.Error](err); ok {
		f.Line = e.Line
	}
	if e, ok := errors.AsType[*model.Error](err); ok {
		f.File = e.File
	}
	if e, ok := errors.AsType[*dataset.Error](err); ok {
		f.File, f.Line, f.Row, f.Column, f.Got = e.File, e.Line, e.Row, e.Column, e.Got
	}
	if e, ok := errors.AsType[*partition.Error](err); ok {
		f.Column = e.Column
	}
	if e, ok := errors.AsType[*participant.OtherRowsError](err); ok {
		f.File = e.Dir
	}
	if e, ok := errors.AsType[*operate.InUseError](err); ok {
		f.File = e.Dir
	}
	if e, ok := errors.AsType[*store.DamageError](err); ok {
		f.File = e.Path
	}
	if e, ok := errors.AsType[*store.VersionError](err); ok {
		f.File, f.Got, f.Wanted = e.Path, strconv.FormatUint(uint64(e.Got), 10), strconv.Itoa(store.Version)
	}
	if e, ok := errors.AsType[*journal.OlderError](err); ok {
		f.File = filepath.Join(e.Dir, e.File)
	}
	if e, ok := errors.AsType[*journal.KeyError](err); ok {
		f.File, f.Got = e.Path, e.Got
	}
	if e, ok := errors.AsType[*journal.DamageError](err); ok {
		f.File = e.Path
	}
	if e, ok := errors.AsType[*journal.Damage](err); ok {
		f.Line = e.Line
	}
}

// addOption adds the flag, option or key of a file that is at fault.
func addOption(f *launch.Failure, err error) {
	if e, ok := errors.AsType[*option.Error](err); ok {
		f.Field, f.Got = e.Name, e.Got
	}
	if e, ok := errors.AsType[*flagError](err); ok {
		f.Field = e.flag
	}
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok {
		f.Field = e.GetSpecifiedName()
	}
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		f.Field, f.Got = e.GetFlag().Name, e.GetValue()
	}
	if e, ok := errors.AsType[*em.ComponentsError](err); ok {
		f.Field, f.Got = "components", strconv.Itoa(e.Components)
	}
	if e, ok := errors.AsType[*node.ConfigError](err); ok {
		f.Field, f.Got, f.Wanted = e.Field, e.Got, e.Want
	}
}

// addMembers adds the members that an error is about.
func addMembers(f *launch.Failure, err error) {
	if e, ok := errors.AsType[*roster.SignatureError](err); ok {
		f.Members = slices.Concat(e.Unsigned, e.Other, e.Strangers)
	}
	if e, ok := errors.AsType[*node.DisagreementError](err); ok {
		f.Members, f.Field, f.Got, f.Wanted = []string{e.Peer}, e.Field, e.Theirs, e.Own
	}
	if e, ok := errors.AsType[*node.DuplicateNameError](err); ok {
		f.Members = []string{e.Name}
	}
	if e, ok := errors.AsType[*node.TooManyError](err); ok {
		f.Members, f.Got, f.Wanted = e.Found, strconv.Itoa(len(e.Found)), strconv.Itoa(e.Want)
	}
	if e, ok := errors.AsType[*node.JoinTimeoutError](err); ok {
		f.Members, f.Got, f.Wanted = e.Missing, strconv.Itoa(len(e.Present)), strconv.Itoa(e.Want)
	}
	if e, ok := errors.AsType[*consensus.LostError](err); ok {
		f.Members = e.Names
	}
	if e, ok := errors.AsType[*consensus.MemberError](err); ok {
		f.Members = []string{e.Name}
	}
	if e, ok := errors.AsType[*consensus.ParametersError](err); ok {
		f.Members = e.Names
	}
	if e, ok := errors.AsType[*node.StrangerError](err); ok {
		f.Members = []string{e.Peer}
	}
	if e, ok := errors.AsType[*node.RosterError](err); ok {
		f.Members = []string{e.Peer}
	}
	if e, ok := errors.AsType[*node.OverError](err); ok {
		f.Members = []string{e.Peer}
	}
	if e, ok := errors.AsType[*node.EndedError](err); ok {
		f.Members = []string{e.Name}
	}
}
