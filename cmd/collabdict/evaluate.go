package main

import (
	"fmt"
	"io"

	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/report"
	"github.com/collabdict/collabdict/internal/task"
	"github.com/spf13/cobra"
)

func (a *app) evaluate() *cobra.Command {
	var s scoredFlags
	var memory memoryFlags
	cmd := &cobra.Command{
		Use: "evaluate", Short: "Measure a model on labelled rows",
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			m, spec, err := s.load()
			if err == nil {
				err = memory.hold(&spec)
			}
			if err != nil {
				return err
			}
			data, err := dataset.LoadOne(spec)
			if err != nil {
				return err
			}
			e, err := task.Evaluate(m, data.Participants[0])
			if err != nil {
				return err
			}
			return a.print(e, func(w io.Writer) { evaluationText(w, e) })
		},
	}
	s.add(cmd, "measure on")
	memory.add(cmd)
	cmd.Flags().StringVar(&s.label, "label", "", "`COLUMN` with 1 for anomalies, 0 or -1 for normal rows; other values are classes")
	cmd.Flags().StringVar(&s.testWhere, "test-where", "", "the same as --where, with the words of training")
	a.addJSON(cmd)
	return cmd
}

func evaluationText(w io.Writer, e report.Evaluation) {
	width := len("ROC-AUC ")
	if e.Silhouette.Applies {
		width = len("silhouette")
	}
	fmt.Fprintf(w, "%-*s %d\n%-*s %s\n", width, "rows", e.Rows, width, "loglik", e.Loglik)
	for _, f := range []struct {
		name string
		v    report.Figure
	}{{"ROC-AUC", e.ROCAUC}, {"PR-AUC", e.PRAUC}, {"ARI", e.ARI}, {"silhouette", e.Silhouette}} {
		if f.v.Applies {
			fmt.Fprintf(w, "%-*s %s\n", width, f.name, f.v)
		}
	}
}
