package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/model"
)

// adapted is the result of adapt, with figures of the rows adapted to, which are better than those
// of other rows.
type adapted struct {
	Own         string             `json:"own"`              // the file of conditions
	Participant string             `json:"participant"`      // its name
	Rows        int                `json:"rows"`             // rows they were fitted to
	Before      *report.Evaluation `json:"before,omitempty"` // figures with conditions of 0
	After       *report.Evaluation `json:"after,omitempty"`  // figures with the fitted conditions

	Warnings []string `json:"warnings,omitempty"` // lines of text
}

func (a *app) adapt() *cobra.Command {
	var s scoredFlags
	var out string
	var steps int
	cmd := &cobra.Command{
		Use: "adapt [MODEL] [FILE]...", Short: "Fit a model with conditions to a participant that has not trained",
		Long: `adapt fits the conditions of a model to some rows of a participant that has not trained.
The shared model stays as it is, and no other participant has to be online. If each
participant scales its own columns, adapt scales them by the rows given.

For a classifier, the rows need labels; without --label, adapt takes the mean of all
participants' conditions. For an auto-encoder with conditions, the rows must be
normal and need no labels; they also set the threshold.`,
		Example: `  collabdict adapt --model model.npz --data new.csv --label class -o own.npz
  collabdict score --model model.npz --own own.npz --data more.csv`,
		RunE: func(cmd *cobra.Command, args []string) error {
			s.take(args)
			if out == "" {
				return &flagError{"output", "missing", "name a file for the conditions"}
			}
			m, spec, err := s.loadFor(a, false, map[string]string{"output": out})
			if err != nil {
				return err
			}
			data, err := readOne(cmd.Context(), &spec)
			if err != nil {
				return err
			}
			r, err := adaptTo(cmd.Context(), m, data.Participants[0], steps)
			if err != nil {
				return err
			}
			r.Own = out
			a.warn(r.Warnings)
			if err := model.WriteOwnFile(out, m); err != nil {
				return err
			}
			return a.print(r, r.text)
		},
	}
	s.add(cmd, "adapt to")
	cmd.Flags().StringVar(&s.label, "label", "", "for a classifier: `COLUMN` of classes, from 0")
	cmd.Flags().StringVarP(&out, "output", "o", "", "write the conditions to `FILE`")
	cmd.Flags().IntVar(&steps, "steps", 300, "`N` steps of gradient descent on all rows; for an auto-encoder, passes over all batches")
	a.addJSON(cmd)
	return cmd
}

func adaptTo(ctx context.Context, m *model.Model, p dataset.Participant, steps int) (r adapted, err error) {
	if r.Warnings, err = pipeline.Adapt(ctx, m, p, steps); err != nil {
		return r, err
	}
	r.Participant, r.Rows = m.Manifest.Participant, m.Manifest.Rows
	if r.Rows == 0 {
		return r, nil
	}
	conditions := m.Conditions()
	fitted := append([]float32(nil), conditions...)
	clear(conditions)
	before, err := pipeline.Evaluate(m, p)
	if err != nil {
		return r, err
	}
	copy(conditions, fitted)
	after, err := pipeline.Evaluate(m, p)
	r.Before, r.After = &before, &after
	return r, err
}

func (r adapted) text(w io.Writer) {
	if r.After == nil {
		fmt.Fprintf(w, "%s: the mean of all participants' conditions\n", r.Own)
		return
	}
	fmt.Fprintf(w, "%s: fitted to %s of %s; figures on these rows:\n", r.Own, count(r.Rows, "row"), r.Participant)
	if r.After.Loglik.Applies {
		fmt.Fprintf(w, "loglik  %s (%s with conditions of 0)\n", r.After.Loglik, r.Before.Loglik)
		return
	}
	fmt.Fprintf(w, "accuracy       %s (%s with conditions of 0)\n", r.After.Accuracy, r.Before.Accuracy)
	fmt.Fprintf(w, "cross-entropy  %s (%s with conditions of 0)\n", r.After.CrossEntropy, r.Before.CrossEntropy)
}
