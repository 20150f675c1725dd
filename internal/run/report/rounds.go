package report

import (
	"encoding/csv"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/collabdict/collabdict/internal/files"
)

// RoundsFile is the name of the file of rounds in a results folder.
const RoundsFile = "rounds.csv"

// WriteRoundsFile writes rounds into RoundsFile in a folder.
func WriteRoundsFile(dir string, rows []RoundRow) error {
	return files.Write(filepath.Join(dir, RoundsFile), 0o600, func(w io.Writer) error { return writeRounds(w, rows) })
}

// RoundRow has the figures of a round.
type RoundRow struct {
	Round     int
	Objective Figure
	Members   int      // number of members in the round's sum
	Missing   []string // the others
	Traffic   *Traffic // nil outside simulations
}

// Traffic holds the messages that all participants of a simulation sent in a round, and the time
// when its last call was decided.
type Traffic struct {
	Messages, Bytes int64
	Error           float64 // largest ‖own − adopted‖₂ / ‖adopted‖₂ of a sum
	Virtual         float64 // seconds since the start of the run
}

// RoundRows returns the rounds of a result, from its views and the participant with the longest
// history.
func (r *Run) RoundRows() []RoundRow {
	var history []Round
	for _, p := range r.Participants {
		if len(p.History) > len(history) {
			history = p.History
		}
	}
	var rows []RoundRow
	view := 0
	for _, h := range history {
		row := RoundRow{Round: h.Round, Objective: Of(h.Objective)}
		for view+1 < len(r.Views) && r.Views[view+1].Round <= h.Round {
			view++
		}
		if len(r.Views) > 0 {
			v := r.Views[view]
			row.Members = len(v.Members)
			for _, m := range v.Missing {
				row.Missing = append(row.Missing, m.Name)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// writeRounds writes rounds as CSV with a header. Cells without a value are empty.
func writeRounds(w io.Writer, rows []RoundRow) error {
	c := csv.NewWriter(w) // remembers its first error
	_ = c.Write([]string{"round", "objective", "members", "missing", "missing_names", "messages", "bytes_sent", "error", "virtual_seconds"})
	for _, r := range rows {
		cells := []string{strconv.Itoa(r.Round), "", strconv.Itoa(r.Members), strconv.Itoa(len(r.Missing)), strings.Join(r.Missing, ";"), "", "", "", ""}
		if r.Objective.Defined {
			cells[1] = number(r.Objective.Value)
		}
		if t := r.Traffic; t != nil {
			cells[5], cells[6] = strconv.FormatInt(t.Messages, 10), strconv.FormatInt(t.Bytes, 10)
			cells[7], cells[8] = number(t.Error), number(t.Virtual)
		}
		_ = c.Write(cells)
	}
	c.Flush()
	return c.Error()
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
