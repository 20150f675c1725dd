package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/collabdict/collabdict/internal/strictyaml"
	"github.com/collabdict/collabdict/internal/task"
	"github.com/spf13/cobra"
)

// setRanges sets the agreed ranges of a task.
func (t *taskFlags) setRanges(cmd *cobra.Command, k *task.Task) error {
	for _, other := range []struct {
		name string
		fits bool
	}{
		{"standardise", t.standardise == string(task.Agreed)},
		{"no-standardise", false},
		{"normalise", t.normalise == string(task.MinMax)},
	} {
		if cmd.Flags().Changed(other.name) && !other.fits {
			return &usageError{fmt.Sprintf("--ranges and --%s contradict each other: agreed ranges fix the scaling of columns", other.name), "leave one out"}
		}
	}
	ranges, err := readRanges(t.ranges)
	if err != nil {
		return err
	}
	k.Standardise, k.Normalise, k.Ranges = task.Agreed, task.MinMax, ranges
	return nil
}

// readRanges reads LOW,HIGH, or a file.
func readRanges(s string) (task.Ranges, error) {
	if low, high, ok := strings.Cut(s, ","); ok {
		l, notLow := strconv.ParseFloat(low, 64)
		h, notHigh := strconv.ParseFloat(high, 64)
		if notLow == nil && notHigh == nil {
			return task.Ranges{task.EveryColumn: {l, h}}, nil
		}
	}
	b, err := os.ReadFile(s)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &usageError{fmt.Sprintf("--ranges: want LOW,HIGH or a file, got %q", s), ""}
	}
	if err != nil {
		return nil, &usageError{"--ranges: " + err.Error(), ""}
	}
	var ranges task.Ranges
	if err := strictyaml.Decode(bytes.NewReader(b), &ranges); err != nil {
		return nil, &usageError{fmt.Sprintf("--ranges: %s: %v", s, err), "write a line per column, for example temp_1: [0, 120]"}
	}
	return ranges, nil
}
