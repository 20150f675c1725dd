package cli

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/internal/run/local"
	"github.com/collabdict/collabdict/model"
)

const (
	ofModel    = "model"    // --threshold model
	rollingBy  = "rolling:" // --threshold rolling:N
	mostScores = 10_000_000 // in a window
)

// thresholdFlags say which rows are anomalies.
type thresholdFlags struct {
	text  string  // --threshold
	share float64 // --false-alarm, 0 for that of the model
}

func (t *thresholdFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&t.text, "threshold", "", "`THRESHOLD` above which a row is an anomaly: model, a number, or for streams that drift rolling:N, from the N scores before the row (default that of alarms.yaml, otherwise the model's)")
	cmd.Flags().Func("false-alarm", "the threshold that at most this `SHARE` of rows like the own ones lies above (default that of the training)", func(text string) error {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !(v > 0 && v < 1) {
			return errors.New("want a share above 0 and below 1")
		}
		t.share = v
		return nil
	})
}

// ofModel reports whether the threshold is the model's.
func (t *thresholdFlags) ofModel() bool { return t.text == "" || t.text == ofModel }

// named says of a table what the thresholds in it are.
func (t *thresholdFlags) named() string {
	switch {
	case !t.ofModel():
		return "--threshold"
	case t.share != 0:
		return "the thresholds for --false-alarm"
	}
	return "the models' thresholds"
}

// threshold returns the threshold for rows scored by a model.
func (t *thresholdFlags) threshold(m *model.Model) (*local.Threshold, error) {
	bad := func(hint, format string, a ...any) error {
		return &flagError{"threshold", fmt.Sprintf(format, a...), hint}
	}
	share := m.Manifest.FalseAlarm
	if t.share != 0 {
		share = t.share
	}
	switch {
	case t.ofModel() && t.share != 0:
		limit, err := limitFor(m, share)
		return local.Fixed(limit), err
	case t.ofModel():
		return local.Fixed(m.Threshold()), nil
	case m.Scorer() == nil:
		return nil, bad("leave it out", "model %s gives no scores", m.Manifest.Kind)
	}
	if count, ok := strings.CutPrefix(t.text, rollingBy); ok {
		if !(share > 0 && share < 1) {
			return nil, bad("give a number", "the model has no share of false alarms, which %sN needs", rollingBy)
		}
		least := local.Fewest(share)
		n, err := strconv.Atoi(count)
		if err != nil || n < least || n > mostScores {
			return nil, bad("", "want rolling:N with N from %d (for a share of false alarms of %g) to %d, got %q", least, share, mostScores, t.text)
		}
		return local.Rolling(n, share, m.Threshold()), nil
	}
	if t.share != 0 {
		return nil, bad("leave one out", "contradicts --false-alarm")
	}
	v, err := strconv.ParseFloat(t.text, 64)
	if err != nil || math.IsNaN(v) {
		return nil, bad("", "want %s, a number or %sN, got %q", ofModel, rollingBy, t.text)
	}
	return local.Fixed(v), nil
}

// promise returns the share of rows like the own ones that the threshold promises to exceed at most, 0
// for a number that the user gave.
func (t *thresholdFlags) promise(m *model.Model) float64 {
	switch {
	case t.share != 0:
		return t.share
	case t.ofModel():
		return promised(m)
	case strings.HasPrefix(t.text, rollingBy):
		return m.Manifest.FalseAlarm
	}
	return 0
}

// limitFor returns the threshold for a share of false alarms.
func limitFor(m *model.Model, share float64) (float64, error) {
	limit, enough, ok := m.ThresholdFor(share)
	switch {
	case !ok:
		return 0, &flagError{"false-alarm", "a threshold for another share needs " + model.LocalFile + " beside the model", "use --threshold SCORE; collabdict thresholds lists scores"}
	case !enough:
		n := len(m.Local.Scores[0])
		return 0, &flagError{"false-alarm", fmt.Sprintf("want at least 1/%d, the least share that %s can promise, got %g", n+1, count(n, "own row"), share), "for fewer alarms use --threshold SCORE; collabdict thresholds lists scores"}
	}
	return limit, nil
}

// promised returns the share of false alarms that a model's threshold promises.
func promised(m *model.Model) float64 {
	if h := m.Manifest.HeldOut; h != nil && h.Promised > 0 {
		return h.Promised
	}
	return m.Manifest.FalseAlarm
}
