// Package pipelinetest makes tasks for tests.
package pipelinetest

import (
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/run/pipeline"
)

// Task returns the complete task of an algorithm with options as "name=value"; those of
// the consensus begin with "consensus.".
func Task(t testing.TB, kind string, options ...string) *pipeline.Task {
	t.Helper()
	of := With(t, kind, options...)
	if err := of.Complete(); err != nil {
		t.Fatal(err)
	}
	return of
}

// With is Task of one that is not complete.
func With(t testing.TB, kind string, options ...string) *pipeline.Task {
	t.Helper()
	of, err := pipeline.Named(kind)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range options {
		name, text, _ := strings.Cut(o, "=")
		if err := of.Set(name, text); err != nil {
			t.Fatal(err)
		}
	}
	return of
}
