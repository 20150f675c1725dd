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
		child  *launch.ChildError
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
	case is[*config.Error](err):
		return usageFailure, ""
	case is[*store.DamageError](err), is[*store.VersionError](err), is[*journal.DamageError](err), is[*journal.OlderError](err), is[*journal.KeyError](err):
		return stateFailure, ""
	case is[*journal.CapError](err):
		return usageFailure, "use a smaller --radius if rows were clipped to it, a model of more rows or a larger --lambda0, or agree on a higher limit"
	case errors.As(err, &field):
		return usageFailure, cmp.Or(field.Hint, "correct --"+field.Name)
	case is[*em.ComponentsError](err):
		return usageFailure, "lower --components, or use more rows"
	case is[*gmm.SingularError](err):
		return dataFailure, "standardise the columns, lower --components, or use --covariance diag"
	case is[*privacy.LowError](err):
		return dataFailure, "lower --components, use --on-low-diversity skip-component, or leave out rows that are unlike all others"
	case is[*dataset.Error](err), is[*engine.Error](err), is[*partition.Error](err), is[*participant.OtherRowsError](err):
		return dataFailure, ""
	case is[*model.Error](err):
		return modelFailure, ""
	case is[*node.ConfigError](err), is[*operate.InUseError](err):
		return usageFailure, ""
	case is[*consensus.ParametersError](err), is[*node.DisagreementError](err), is[*node.DuplicateNameError](err), is[*node.TooManyError](err), is[*node.StrangerError](err), is[*node.RosterError](err):
		return disagreement, ""
	case is[*node.JoinTimeoutError](err), is[*node.OverError](err), is[*node.EndedError](err):
		return membersLost, ""
	case is[*consensus.LostError](err):
		return membersLost, "restart it, and run again with all members: after a run without it on the same rows, the others could compute its contribution"
	case is[*netsim.StuckError](err):
		return membersLost, "lower --quorum or --colluders, or let members come back (for=)"
	case is[*consensus.RemovedError](err):
		return membersLost, "the folder has the model of the last round; the others' agreement lists the members"
	case is[*consensus.MemberError](err):
		return membersLost, "see that member's log"
	case is[*fs.PathError](err):
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
	if a.json && !is[*printedError](err) {
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
