package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/config"
	"github.com/collabdict/collabdict/internal/files/strict"
	"github.com/collabdict/collabdict/internal/run/pipeline"
)

// setRanges sets the agreed ranges of a task.
func (t *taskFlags) setRanges(k *pipeline.Task) error {
	for _, other := range []struct {
		name  string
		given bool
	}{
		{"standardise", k.Shared.Find("standardise").Given() && k.Standardise != algorithm.Agreed},
		{"normalise", k.Shared.Find("normalise").Given() && k.Normalise != pipeline.MinMax},
	} {
		if other.given {
			return &flagError{"ranges", fmt.Sprintf("contradicts --%s: agreed ranges fix the scaling of columns", other.name), "leave one out"}
		}
	}
	ranges, err := readRanges(t.ranges)
	if err != nil {
		return err
	}
	k.Ranges = ranges
	return nil
}

// readRanges parses LOW,HIGH, or reads a file.
func readRanges(s string) (pipeline.Ranges, error) {
	if low, high, ok := strings.Cut(s, ","); ok {
		l, notLow := strconv.ParseFloat(low, 64)
		h, notHigh := strconv.ParseFloat(high, 64)
		if notLow == nil && notHigh == nil {
			return pipeline.Ranges{pipeline.EveryColumn: {l, h}}, nil
		}
	}
	b, err := os.ReadFile(s)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &flagError{"ranges", fmt.Sprintf("want LOW,HIGH or a file, got %q", s), ""}
	}
	if err != nil {
		return nil, &flagError{"ranges", err.Error(), ""}
	}
	var ranges pipeline.Ranges
	if err := strict.YAML(bytes.NewReader(b), &ranges); err != nil {
		return nil, &config.Error{File: s, Err: err, Hint: "write one line per column, for example temp_1: [0, 120]"}
	}
	return ranges, nil
}
