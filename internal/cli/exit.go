package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/config"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/engine"
	"github.com/collabdict/collabdict/internal/data/partition"
	"github.com/collabdict/collabdict/internal/files"
	"github.com/collabdict/collabdict/internal/journal"
	"github.com/collabdict/collabdict/internal/journal/store"
	"github.com/collabdict/collabdict/internal/mixtures/em"
	"github.com/collabdict/collabdict/internal/ops/operate"
	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/internal/run/launch"
	"github.com/collabdict/collabdict/internal/run/participant"
	"github.com/collabdict/collabdict/model"
	"github.com/collabdict/collabdict/netsim"
	"github.com/collabdict/collabdict/node"
	"github.com/collabdict/collabdict/option"
)

// usageError is an unusable command line.
type usageError struct {
	error
	hint string
}

func (e *usageError) Unwrap() error { return e.error }

// flagError is a flag that cannot be used.
type flagError struct{ flag, msg, hint string }

func (e *flagError) Error() string { return "--" + e.flag + ": " + e.msg }

// printedError is the failure of a command that has already printed its result to standard
// output. Its class is that of the error inside, unless it has one itself.
type printedError struct {
	error
	class class
}

func (e *printedError) Unwrap() error { return e.error }

// class is a kind of failure: its name in JSON and its exit code.
type class struct {
	name string
	code int
}

var (
	internalFailure = class{"internal", 1}
	usageFailure    = class{"usage", 2}
	dataFailure     = class{"data", 3}
	modelFailure    = class{"model", 4}
	disagreement    = class{"disagreement", 5}
	membersLost     = class{"members-lost", 6}
	diskFull        = class{"disk-full", 7}
	stateFailure    = class{"state", 8}
	interrupted     = class{"interrupted", 130}
)

// classify returns the class of an error, and a hint what to do.
func classify(ctx context.Context, err error) (class, string) {
	var (
		usage  *usageError
		flag   *flagError
		field  *option.Error
		many   *em.ComponentsError
		flat   *gmm.SingularError
		low    *privacy.LowError
		data   *dataset.Error
		remote *engine.Error
		split  *partition.Error
		rows   *participant.OtherRowsError
		file   *model.Error
		conf   *config.Error
		setup  *node.ConfigError
		differ *node.DisagreementError
		double *node.DuplicateNameError
		extra  *node.TooManyError
		alien  *node.StrangerError
		roster *node.RosterError
		over   *node.OverError
		ended  *node.EndedError
		late   *node.JoinTimeoutError
		lost   *consensus.LostError
		gone   *consensus.RemovedError
		stuck  *netsim.StuckError
		member *consensus.MemberError
		unlike *consensus.ParametersError
		child  *launch.ChildError
		broken *store.DamageError
		older  *store.VersionError
		record *journal.DamageError
		before *journal.OlderError
		rowKey *journal.KeyError
		beyond *journal.CapError
		held   *operate.InUseError
		path   *fs.PathError
		result *printedError
	)
	switch {
	case errors.As(err, &result) && result.class != (class{}):
		return result.class, ""
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return interrupted, ""
	case files.IsFull(err):
		return diskFull, "free space on that disk and repeat the command: nothing written is lost, and an unfinished run is resumed"
	case errors.As(err, &usage):
		return usageFailure, usage.hint
	case errors.As(err, &flag):
		return usageFailure, flag.hint
	case errors.As(err, &conf):
		return usageFailure, ""
	case errors.As(err, &broken), errors.As(err, &older), errors.As(err, &record), errors.As(err, &before), errors.As(err, &rowKey):
		return stateFailure, ""
	case errors.As(err, &beyond):
		return usageFailure, "use a smaller --radius if rows were clipped to it, a model of more rows or a larger --lambda0, or agree on a higher limit"
	case errors.As(err, &field):
		return usageFailure, cmp.Or(field.Hint, "correct --"+field.Name)
	case errors.As(err, &many):
		return usageFailure, "lower --components, or use more rows"
	case errors.As(err, &flat):
		return dataFailure, "standardise the columns, lower --components, or use --covariance diag"
	case errors.As(err, &low):
		return dataFailure, "lower --components, use --on-low-diversity skip-component, or leave out rows that are unlike all others"
	case errors.As(err, &data), errors.As(err, &remote), errors.As(err, &split), errors.As(err, &rows):
		return dataFailure, ""
	case errors.As(err, &file):
		return modelFailure, ""
	case errors.As(err, &setup), errors.As(err, &held):
		return usageFailure, ""
	case errors.As(err, &unlike), errors.As(err, &differ), errors.As(err, &double), errors.As(err, &extra), errors.As(err, &alien), errors.As(err, &roster):
		return disagreement, ""
	case errors.As(err, &late), errors.As(err, &over), errors.As(err, &ended):
		return membersLost, ""
	case errors.As(err, &lost):
		return membersLost, "restart it, and run again with all members: after a run without it on the same rows, the others could compute its contribution"
	case errors.As(err, &stuck):
		return membersLost, "lower --quorum or --colluders, or let members come back (for=)"
	case errors.As(err, &gone):
		return membersLost, "the folder has the model of the last round; the others' agreement lists the members"
	case errors.As(err, &member):
		return membersLost, "see that member's log"
	case errors.As(err, &path):
		return usageFailure, "choose another path, or change its permissions"
	case errors.As(err, &child) && child.Killed:
		return membersLost, "restart it with collabdict run --dir and its folder"
	case errors.As(err, &child):
		return class{child.Failure.Code, child.Exit}, child.Hint
	}
	return internalFailure, ""
}

// fail prints an error, and returns the exit code of its class and what was printed.
func (a *app) fail(ctx context.Context, err error) (int, failure) {
	c, f := failureOf(ctx, err)
	var printed *printedError
	if a.json && !errors.As(err, &printed) {
		f.write(a.out)
	}
	fmt.Fprintf(a.err, "error: %s\n", f.Message)
	if f.Hint != "" {
		fmt.Fprintf(a.err, "  %s\n", f.Hint)
	}
	if f.Seed != nil {
		fmt.Fprintf(a.err, "  seed %d; to repeat it: %s\n", *f.Seed, f.Replay)
	}
	return c.code, f
}
