package main

import (
	"bufio"
	"encoding/csv"
	"io"
	"strconv"

	"github.com/collabdict/collabdict/internal/atomicfile"
	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/model"
	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"
)

// scoredFlags name a model and the rows to hold against it.
type scoredFlags struct {
	dataFlags
	memoryFlags
	model string
}

func (s *scoredFlags) add(cmd *cobra.Command, what string) {
	f := cmd.Flags()
	f.StringVar(&s.model, "model", "", "model `FILE`")
	f.StringArrayVar(&s.data, "data", nil, "`FILE` of rows, .csv, .csv.gz, .parquet, .npy or .npz; may be repeated")
	s.memoryFlags.add(cmd)
	f.StringVar(&s.where, "where", "", what+" rows with `COLUMN=VALUE` only")
}

// load reads the model, and the rows that where keeps, in the columns of the
// model.
func (s *scoredFlags) load() (*model.Model, *dataset.Participant, error) {
	if s.model == "" {
		return nil, nil, &usageError{"--model is missing", "name a model.npz"}
	}
	if s.where == "" { // either flag names the rows
		s.where = s.testWhere
	}
	s.testWhere = ""
	spec, err := s.spec()
	if err != nil {
		return nil, nil, err
	}
	if err := s.hold(&spec); err != nil {
		return nil, nil, err
	}
	m, err := model.Read(s.model)
	if err != nil {
		return nil, nil, err
	}
	spec.Columns, spec.MinRows = m.Manifest.Columns, 1
	data, err := dataset.LoadOne(spec)
	if err != nil {
		return nil, nil, err
	}
	return m, &data.Participants[0], nil
}

func (a *app) score() *cobra.Command {
	var s scoredFlags
	var out string
	var explain bool
	cmd := &cobra.Command{
		Use: "score", Short: "Give every row an anomaly score, as CSV",
		Long: `score writes a CSV line a row: its number, its anomaly score (Eq. (19) of Idé et al.
2024), and 1 if the score is above the model's threshold. With --explain, a column
a variable says how far the row is from what the other variables predict of it.`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			m, p, err := s.load()
			if err != nil {
				return err
			}
			write := func(w io.Writer) error { return writeScores(w, m, p.Train, explain) }
			if out == "" {
				return write(a.out)
			}
			return atomicfile.Write(out, 0o644, write)
		},
	}
	s.add(cmd, "score")
	cmd.Flags().StringVarP(&out, "output", "o", "", "write to `FILE` instead of standard output")
	cmd.Flags().BoolVar(&explain, "explain", false, "add the contribution of each variable")
	return cmd
}

// writeScores writes the scores of rows in the units of the data.
func writeScores(out io.Writer, m *model.Model, rows dataset.Rows, explain bool) error {
	buffered := bufio.NewWriter(out)
	w := csv.NewWriter(buffered)
	head := []string{"row", "score", "anomaly"}
	if explain {
		head = append(head, m.Manifest.Columns...)
	}
	if err := w.Write(head); err != nil {
		return err
	}
	line := make([]string, len(head))
	err := dataset.Each(m.Scaling.Rows(rows), func(z *mat.Dense, from int) error {
		var contributions *mat.Dense
		if explain {
			contributions = m.Mixture.ContributionRows(z)
		}
		for i, score := range m.Mixture.Scores(nil, z) {
			line[0], line[1], line[2] = strconv.Itoa(from+i+1), decimal(score), "0"
			if !(score <= m.Manifest.Threshold) {
				line[2] = "1"
			}
			if explain {
				for j, c := range contributions.RawRowView(i) {
					line[3+j] = decimal(c)
				}
			}
			if err := w.Write(line); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return err
	}
	return buffered.Flush()
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'g', 8, 64) }
