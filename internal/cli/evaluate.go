package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/internal/run/report"
)

// evaluated is the result of evaluate.
type evaluated struct {
	report.Evaluation
	Warnings []string `json:"warnings,omitempty"` // lines of text
}

func (a *app) evaluate() *cobra.Command {
	var s scoredFlags
	var memory memoryFlags
	cmd := &cobra.Command{
		Use: "evaluate [MODEL] [FILE]...", Short: "Measure a model on labelled rows",
		RunE: func(cmd *cobra.Command, args []string) error {
			s.take(args)
			m, spec, err := s.load(a)
			if err == nil && m.Classifier() != nil && s.label == "" {
				err = &flagError{"label", "missing, but figures of a classifier need the classes of rows", "name the column of classes"}
			}
			if err == nil {
				err = memory.hold(&spec)
			}
			if err == nil {
				err = a.complete(m, &s)
			}
			if err != nil {
				return err
			}
			spec.Anomalies = m.Classifier() == nil && m.Clusterer() == nil // of clusters, labels may be classes
			spec.Folder = filepath.Dir(s.model)
			data, err := readOne(cmd.Context(), &spec)
			if err != nil {
				return err
			}
			limits, err := s.threshold(m)
			if err != nil {
				return err
			}
			a.noteGaps(&data.Gaps)
			var e evaluated
			if e.Evaluation, err = pipeline.EvaluateBy(m, data.Participants[0], limits); err != nil {
				return err
			}
			if data.Participants[0].ClassLabels && m.Classifier() == nil {
				e.Warnings = append(e.Warnings, areClasses+figuresOfClasses(m.Manifest.Kind, m.Components() > 0)+"; the first is at "+data.FirstClass)
			}
			a.warn(e.Warnings)
			return a.print(e, e.text)
		},
	}
	s.add(cmd, "measure on")
	s.addScoring(cmd)
	memory.add(cmd)
	cmd.Flags().StringVar(&s.label, "label", "", "`COLUMN` with 1 for anomalies, 0 or -1 for normal rows; other values are classes. For a classifier: the classes, numbered from 0")
	cmd.Flags().StringVar(&s.anomaly, "anomaly", "", anomalyHelp)
	a.addJSON(cmd)
	return cmd
}

func (e evaluated) text(w io.Writer) {
	type namedFigure struct {
		name string
		report.Figure
	}
	figures := []namedFigure{
		{"loglik", e.Loglik},
		{"accuracy", e.Accuracy},
		{"cross-entropy", e.CrossEntropy},
		{"ROC-AUC", e.ROCAUC},
		{"PR-AUC", e.PRAUC},
		{"false alarms", e.FalseAlarms},
		{"detected", e.Detected},
		{"ARI", e.ARI},
		{"silhouette", e.Silhouette},
	}
	for class, r := range e.Recall {
		figures = append(figures, namedFigure{fmt.Sprintf("recall of %d", class), r})
	}
	figures = slices.DeleteFunc(figures, func(f namedFigure) bool { return !f.Applies })
	width := len("ROC-AUC ")
	for _, f := range figures {
		width = max(width, len(f.name))
	}
	fmt.Fprintf(w, "%-*s %d\n", width, "rows", e.Rows)
	for _, f := range figures {
		fmt.Fprintf(w, "%-*s %s\n", width, f.name, f.Figure)
	}
}
