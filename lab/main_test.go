package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestCommandLine(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"", 2, "fedgem"},
		{"--help", 0, "the same command continues"},
		{"nothing --data-dir d --out o", 2, `got "nothing"`},
		{"fedgem", 2, "--data-dir: want the folder of the data"},
		{"--data-dir d fedgem", 2, "--out: want a folder"},
		{"fedgem --data-dir testdata --out o", 2, "the experiment fedgem needs "},
		{"fedgem bvae", 2, "Experiments:"},
		{"fedgem --what", 2, "flag provided but not defined: -what"},
	} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), strings.Fields(c.args), &out, &errs); code != c.code || !strings.Contains(errs.String(), c.want) || out.Len() > 0 {
			t.Errorf("lab %s: exit code %d, want %d; it said %q and %q, want %q", c.args, code, c.code, out.String(), errs.String(), c.want)
		}
	}
}
