package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/internal/config"
	"github.com/collabdict/collabdict/internal/run/scoring"
	"github.com/collabdict/collabdict/model"
)

func (s *scoredFlags) addAlarms(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.alarms, "alarms", "", "`FILE` of rules of alarms (default "+scoring.RulesFile+" beside the model, if it is there)")
}

// alarmsPath returns the file of rules, which need not exist.
func (s *scoredFlags) alarmsPath() string {
	if s.alarms != "" {
		return s.alarms
	}
	return filepath.Join(filepath.Dir(s.model), scoring.RulesFile)
}

// readRules reads the rules of alarms, and takes their threshold unless flags name another.
func (s *scoredFlags) readRules(m *model.Model) error {
	path := s.alarmsPath()
	rules, err := scoring.ReadRulesFile(path, m.DataColumns())
	if errors.Is(err, fs.ErrNotExist) && s.alarms == "" {
		return nil
	}
	if err != nil {
		return err
	}
	if w := rules.Webhook; w != nil && w.TokenFile != "" {
		if !filepath.IsAbs(w.TokenFile) {
			w.TokenFile = filepath.Join(filepath.Dir(path), w.TokenFile)
		}
		if _, err := os.ReadFile(w.TokenFile); err != nil {
			return &config.Error{File: path, Err: fmt.Errorf("webhook: token_file: %w", err), Hint: "name a file with a token"}
		}
	}
	s.rules = *rules
	// The threshold is one of the scores by default: those of --with have another scale.
	if rules.Threshold != nil && s.text == "" && s.share == 0 && s.with == "" {
		s.text, s.kept = fmt.Sprint(*rules.Threshold), true
	}
	return nil
}

// leaveKept leaves the threshold of the rules, for that of the model.
func (s *scoredFlags) leaveKept() { s.text, s.kept = "", false }
