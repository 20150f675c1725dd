package launch

import (
	"errors"
	"os/exec"

	"github.com/collabdict/collabdict/internal/ops/operate"
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

// Message is what a member's process tells its parent on standard output, one after the other: its
// states and, if it fails, its error. A result may follow, which is also in the folder.
type Message struct {
	Status *operate.Status `json:"status,omitempty"`
	Error  *Failure        `json:"error,omitempty"`
}

// Failure is the error of a process in its own words.
type Failure struct {
	Code    string `json:"code"`    // its class
	Message string `json:"message"` // what is wrong
	Hint    string `json:"hint"`    // what to do
}

// childError turns the end of a process into an error: nil, its failure if it has told one, or how
// it was ended.
func childError(name string, err error, failed *Failure) error {
	if err == nil {
		return nil
	}
	e := &ChildError{Name: name, Class: "internal", Code: 1, Message: "its process ended: " + err.Error()}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() > 0 {
		e.Code = exit.ExitCode()
	}
	e.Killed = exit != nil && exit.ExitCode() < 0
	if failed != nil {
		e.Class, e.Message, e.Hint = failed.Code, failed.Message, failed.Hint
	}
	return e
}
