package participant

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/journal"
	"github.com/collabdict/collabdict/internal/journal/store"
	"github.com/collabdict/collabdict/internal/run/report"
)

// Ledger returns what has left a folder. For a run that was killed, it takes the totals from
// state.db. While a node holds that, or if it is damaged, it has what was known when the run began.
func Ledger(dir string) ([]journal.Record, error) {
	records, err := journal.Ledger(dir)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(records, func(r journal.Record) bool { return toCome(r) >= 0 }) {
		return records, nil
	}
	log, readable := logIn(dir)
	if !readable {
		return records, nil
	}
	for i, r := range records {
		if at := toCome(r); at >= 0 {
			if opened, err := totals(log, r.ID); err == nil {
				records[i].Entries = slices.Concat(r.Entries[:at], opened, r.Entries[at+1:])
			}
		}
	}
	return records, log.Close()
}

func logIn(dir string) (log *store.Store, readable bool) {
	if _, err := os.Stat(filepath.Join(dir, store.StateFile)); err != nil {
		return nil, false // Open would create it
	}
	log, err := store.Open(dir)
	return log, err == nil
}

// toCome returns the index of the placeholder for sums still to come, -1 if there is none.
func toCome(r journal.Record) int {
	return slices.IndexFunc(r.Entries, func(e report.Entry) bool { return e.What == sumsToCome })
}

// totals returns the entries of all totals opened in a run. The log does not have their
// content, only their number of values.
func totals(log *store.Store, run string) ([]report.Entry, error) {
	var id [32]byte
	if _, err := hex.Decode(id[:], []byte(run)); err != nil {
		return nil, err
	}
	st, err := log.Of(id)
	if err != nil {
		return nil, err
	}
	if st == nil {
		return nil, fmt.Errorf("run %s is not in the log", run)
	}
	var names []string
	for _, m := range st.Members {
		names = append(names, m.Name)
	}
	l := report.NewLedger(names, 0, "")
	if err := st.Each(func(d *consensus.Decision) error { l.Add(d); return nil }); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(l.Entries(report.Disclosures{}), func(e report.Entry) bool { return e.Kind != report.TotalEntry }), nil
}
