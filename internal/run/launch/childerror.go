package launch

import (
	"errors"
	"os/exec"

	"github.com/collabdict/collabdict/internal/ops/operate"
)

// ChildError is the failure of a member's process, in its own words if it printed any.
type ChildError struct {
	Name   string
	Exit   int  // its exit code
	Killed bool // ended by a signal, without an error
	Failure
}

func (e *ChildError) Error() string { return e.Name + ": " + e.Message }

// Message is what a member's process tells its parent on standard output, one after the other: its
// states and, if it fails, its error. A result may follow, which is also in the folder.
type Message struct {
	Status *operate.Status `json:"status,omitempty"`
	Error  *Failure        `json:"error,omitempty"`
}

// Failure is the error of a process in its own words. Fields after Hint say where the error is, and
// what is wrong there, as far as the program knows it apart from the message.
type Failure struct {
	Code    string   `json:"code"`              // the name of the exit code, such as usage
	Message string   `json:"message"`           // what is wrong, and where
	Hint    string   `json:"hint,omitempty"`    // what to do
	Field   string   `json:"field,omitempty"`   // the option, flag or key at fault, such as rho
	File    string   `json:"file,omitempty"`    // the path of the file or folder
	Line    int      `json:"line,omitempty"`    // the line of the file, from 1
	Row     int      `json:"row,omitempty"`     // the row from 1, in files without lines
	Column  string   `json:"column,omitempty"`  // the name of the column of the rows
	Members []string `json:"members,omitempty"` // the names of the members concerned
	Got     string   `json:"got,omitempty"`     // what was found
	Wanted  string   `json:"wanted,omitempty"`  // what should be there
}

// childError turns the end of a process into an error: nil, its failure if it has told one, or how
// it was ended.
func childError(name string, err error, failed *Failure) error {
	if err == nil {
		return nil
	}
	e := &ChildError{Name: name, Exit: 1, Failure: Failure{Code: "internal", Message: "its process ended: " + err.Error()}}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() > 0 {
		e.Exit = exit.ExitCode()
	}
	e.Killed = exit != nil && exit.ExitCode() < 0
	if failed != nil {
		e.Failure = *failed
	}
	return e
}
