package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/collabdict/collabdict/internal/run/local"
	"github.com/collabdict/collabdict/model"
)

const (
	ofModel    = "model"    // --threshold model
	rollingBy  = "rolling:" // --threshold rolling:N
	mostScores = 10_000_000 // in a window
)

// thresholdOf parses a threshold for rows scored by a model.
func thresholdOf(text string, m *model.Model) (*local.Threshold, error) {
	bad := func(hint, format string, a ...any) error {
		return &flagError{"threshold", fmt.Sprintf(format, a...), hint}
	}
	if text == ofModel {
		return local.Fixed(m.Threshold()), nil
	}
	if m.Scorer() == nil {
		return nil, bad("leave it out", "model %s gives no scores", m.Manifest.Kind)
	}
	if count, ok := strings.CutPrefix(text, rollingBy); ok {
		share := m.Manifest.FalseAlarm
		if !(share > 0 && share < 1) {
			return nil, bad("give a number", "the model has no share of false alarms, which %sN needs", rollingBy)
		}
		least := local.Fewest(share)
		n, err := strconv.Atoi(count)
		if err != nil || n < least || n > mostScores {
			return nil, bad("", "want rolling:N with N from %d (for a share of false alarms of %g) to %d, got %q", least, share, mostScores, text)
		}
		return local.Rolling(n, share, m.Threshold()), nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) {
		return nil, bad("", "want %s, a number or %sN, got %q", ofModel, rollingBy, text)
	}
	return local.Fixed(v), nil
}
