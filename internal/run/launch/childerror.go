package launch

import (
	"encoding/json"
	"errors"
	"os/exec"
)

// ChildError is the failure of a member's process, in its own words if it printed any.
type ChildError struct {
	Name    string
	Class   string // code of its error in JSON
	Code    int    // its exit code
	Killed  bool   // ended by a signal, without an error
	Message string
	Hint    string
}

func (e *ChildError) Error() string { return e.Name + ": " + e.Message }

// childError turns the end of a process into an error: nil, the error on its standard output,
// or how it was ended.
func childError(name string, err error, stdout []byte) error {
	if err == nil {
		return nil
	}
	e := &ChildError{Name: name, Class: "internal", Code: 1, Message: "its process ended: " + err.Error()}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() > 0 {
		e.Code = exit.ExitCode()
	}
	e.Killed = exit != nil && exit.ExitCode() < 0
	var said struct {
		Error struct{ Code, Message, Hint string }
	}
	if json.Unmarshal(stdout, &said) == nil && said.Error.Message != "" {
		e.Class, e.Message, e.Hint = said.Error.Code, said.Error.Message, said.Error.Hint
	}
	return e
}
