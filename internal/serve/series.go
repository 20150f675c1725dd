package serve

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/files"
	"github.com/collabdict/collabdict/internal/run/scoring"
)

// series is the series of a source.
type series struct {
	scoring.Series
	server *Server
	source string // "" for a request of its own
	loaded *Loaded
	saved  []byte // the state on disk

	turn chan struct{} // holds the request that scores
	used int64         // when it was used last, in uses of all series

	counts *counts
}

// counts are the figures of a source in metrics, since the server began.
type counts struct {
	rows, anomalies int
	missing, guilty map[string]int // cells without a number, and anomalies by sensor at fault
}

func newCounts() *counts { return &counts{missing: map[string]int{}, guilty: map[string]int{}} }

func (c *counts) copy() counts {
	return counts{c.rows, c.anomalies, maps.Clone(c.missing), maps.Clone(c.guilty)}
}

// busyError reports that another request of a source is scored.
type busyError struct{ source string }

func (e *busyError) Error() string {
	return fmt.Sprintf("source: another request scores rows of %q, and the rows of a source have an order: send one request after the other", e.source)
}

// take returns the series of a source for one request, until release is called. It scores by the model that was
// loaded last. It is an error if another request of the source is scored.
func (s *Server) take(source string) (of *series, release func(), err error) {
	if source == "" {
		of := s.begin("", s.loaded.Load())
		of.counts = s.unnamed
		return of, func() {}, nil
	}
	s.mu.Lock()
	of = s.sources[source]
	if of == nil {
		of = s.begin(source, s.loaded.Load())
		if err := of.resume(); err != nil {
			s.mu.Unlock()
			return nil, nil, err
		}
		s.forget()
		s.sources[source] = of
		s.scores.publish(SourceBegan{source}, 1)
	}
	s.used++
	of.used = s.used
	busy := false
	select { // before others may forget the series
	case of.turn <- struct{}{}:
	default:
		busy = true
	}
	s.mu.Unlock()
	if busy {
		return nil, nil, &busyError{source}
	}
	// A model that was loaded before its turn may be older than that of the request before.
	if l := s.loaded.Load(); of.loaded != l {
		of.change(l)
	}
	return of, func() { <-of.turn }, nil
}

// forget makes room for a series: it drops the one that was used longest ago, unless all are in use. What
// is on disk stays.
func (s *Server) forget() {
	for len(s.sources) >= s.config.Sources {
		oldest := ""
		for name, of := range s.sources {
			if len(of.turn) == 0 && (oldest == "" || of.used < s.sources[oldest].used) {
				oldest = name
			}
		}
		if oldest == "" {
			return
		}
		delete(s.sources, oldest)
	}
}

// begin returns a series without rows.
func (s *Server) begin(source string, l *Loaded) *series {
	of := &series{server: s, source: source, turn: make(chan struct{}, 1), counts: newCounts()}
	of.use(l)
	return of
}

// use begins to score by a model.
func (of *series) use(l *Loaded) {
	of.loaded = l
	of.Scorer = scoring.New(l.Model, l.Limits(), false)
	of.Finder = scoring.NewFinder(of.Scorer, l.explainer, l.Rules, l.Promised, scoring.NewPlaces(nil, ""))
	of.Finder.Stream, of.Finder.Continued = true, true
	of.Finder.Watch = func(e scoring.Event, ended bool) {
		told := NewTold(of.source, l.Digest, e, ended)
		if ended {
			of.server.events.publish(EventEnded{told}, 1)
		} else {
			of.server.events.publish(EventBegan{told}, 1)
		}
		of.server.config.Webhook.Send(l.Rules.Webhook, told)
	}
}

// change scores by a new model from now on. Windows go on if it has the same columns. An event that goes on
// ends, and a rolling threshold begins anew.
func (of *series) change(l *Loaded) {
	if l.Spec.Window != of.loaded.Spec.Window || len(l.Spec.Columns) != len(of.loaded.Spec.Columns) {
		of.Series.Series = dataset.Series{Rows: of.Rows}
	}
	of.Finder.End()
	of.use(l)
}

// count counts scored rows, their missing cells, and the sensors at fault in explained anomalies.
func (of *series) count(r *scoring.Rows, names []string, why *scoring.Explained) {
	var guilty []string
	for i, verdict := range r.Verdicts {
		if verdict == scoring.Anomalous {
			guilty = append(guilty, why.Guilty(i)...)
		}
	}
	of.server.mu.Lock()
	defer of.server.mu.Unlock()
	n := of.counts
	for i := range r.Scores {
		n.rows++
		if r.Verdicts[i] == scoring.Anomalous {
			n.anomalies++
		}
		for j, name := range names {
			if math.IsNaN(r.X.At(i, j)) {
				n.missing[name]++
			}
		}
	}
	for _, name := range guilty {
		n.guilty[name]++
	}
}

// file returns the path of the series' state.
func (of *series) file() string {
	sum := sha256.Sum256([]byte(of.source))
	return filepath.Join(of.server.config.Folder, hex.EncodeToString(sum[:16])+".json")
}

// keep writes the state to disk, if it has changed.
func (of *series) keep() error {
	if of.source == "" || of.server.config.Folder == "" {
		return nil
	}
	s := of.State(of.loaded.Digest)
	s.Source = of.source
	if s.Bare() { // numbers of rows alone are not worth a write for each request
		s.Rows.Rows = 0
	}
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if string(text) == string(of.saved) {
		return nil
	}
	if err := files.WriteJSON(of.file(), s); err != nil {
		return err
	}
	of.saved = text
	return nil
}

// resume continues the series where its state on disk has ended, if there is one of the same model.
func (of *series) resume() error {
	if of.server.config.Folder == "" {
		return nil
	}
	text, err := os.ReadFile(of.file())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	was, err := scoring.ParseState(text)
	if err == nil && was.Model != of.loaded.Digest {
		return nil
	}
	if err == nil {
		err = of.Resume(was)
	}
	if err != nil {
		return fmt.Errorf("%s: %w: remove it to begin anew", of.file(), err)
	}
	return nil
}
