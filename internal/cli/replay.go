package cli

import (
	"context"
	"slices"
	"strconv"
	"strings"
)

// replayError is the error of a simulation, with the command line that repeats it.
type replayError struct {
	error
	seed uint64
	line string
}

func (e replayError) Unwrap() error { return e.error }

// replayable adds the command line that repeats it to an error of a simulation, unless it was
// interrupted.
func (a *app) replayable(ctx context.Context, err error, seed uint64) error {
	if ctx.Err() != nil {
		return err
	}
	args := a.args
	if !slices.ContainsFunc(args, func(s string) bool { return s == "--seed" || strings.HasPrefix(s, "--seed=") }) {
		args = append(slices.Clone(args), "--seed", strconv.FormatUint(seed, 10))
	}
	return replayError{err, seed, quoted("collabdict", args)}
}

// quoted returns a command line for a POSIX shell.
func quoted(name string, args []string) string {
	words := []string{name}
	for _, a := range args {
		if a == "" || strings.ContainsFunc(a, special) {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}

// special reports whether a character may have a special meaning in a shell.
func special(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		return false
	}
	return !strings.ContainsRune("-_=+./:,@%", r)
}
