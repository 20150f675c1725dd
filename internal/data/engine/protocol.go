// Package engine runs jobs over rows by another program, where the rows are: an engine. The program reads
// requests from its standard input and writes answers to its standard output, one after the other, each
// encoded by package gob. Only what jobs return comes to this process, and no secret of a run goes to the
// engine.
//
// Start reading at [Load]; the other side is [Serve].
package engine

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
)

// Version is that of requests and answers. Both sides must have the same.
const Version = 1

// A Reading says which rows of files to read, as a [dataset.Spec] does.
type Reading struct {
	Version int
	Data    []string // addresses of objects, or of all objects whose names begin so
	Label   string
	Anomaly string
	Where   string
	Rename  map[string]string
	Units   map[string]dataset.Unit
	Ignore  []string
	Columns []string // nil for all with numbers
	Missing string
	CSV     dataset.CSV
	// First asks for the columns of the first piece of the rows alone. No other is read.
	First bool
}

// Read are rows that an engine has read.
type Read struct {
	Columns []string
	Rows    int
	// Begins holds the numbers of rows at which an object begins, ascending from 0.
	Begins []int
	// Digest covers all values in their order.
	Digest []byte
}

// A Job is work over the rows that follow by steps.
type Job struct {
	Steps []lanes.Step
	Name  string
	Args  []byte
	Lanes int // number of lanes of the rows made
}

// A request has one of its fields.
type request struct {
	Reading *Reading
	Job     *Job
}

type answer struct {
	Problem string // "" for none
	Read    *Read
	Results [][]byte // of all lanes
}

// A Runner has rows and runs jobs over them.
type Runner interface {
	Read(r Reading) (*Read, error)
	Run(j Job) ([][]byte, error)
}

// Serve answers requests until they end. Then it calls ended, also while a request is being answered: nobody
// waits for its answer.
func Serve(by Runner, in io.Reader, out io.Writer, ended func()) error {
	to, requests := gob.NewEncoder(out), make(chan request)
	var over atomic.Bool
	var failed error // valid once requests is closed
	go func() {
		defer close(requests)
		for from := gob.NewDecoder(in); ; {
			var r request
			if err := from.Decode(&r); err != nil {
				if !errors.Is(err, io.EOF) {
					failed = err
				}
				over.Store(true)
				ended()
				return
			}
			requests <- r
		}
	}()
	for r := range requests {
		a := answerBy(by, r)
		if over.Load() {
			continue
		}
		if err := to.Encode(a); err != nil {
			return err
		}
	}
	return failed
}

func answerBy(by Runner, r request) (a answer) {
	var err error
	switch {
	case r.Reading != nil && r.Reading.Version != Version:
		err = fmt.Errorf("the program asks by version %d of requests, this engine answers version %d: use the same release of both", r.Reading.Version, Version)
	case r.Reading != nil:
		a.Read, err = by.Read(*r.Reading)
	case r.Job != nil:
		a.Results, err = by.Run(*r.Job)
	default:
		err = errors.New("the request is empty")
	}
	if err != nil {
		return answer{Problem: err.Error()}
	}
	return a
}
