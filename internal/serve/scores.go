package serve

import (
	"context"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/sse"
)

const (
	// mostScores is the number of past rows, of all sources, that a new listener gets.
	mostScores = 20000
	// mostTold is the number of rows in a message.
	mostTold = 1000
)

// SourceScored has scores of successive rows of a source.
type SourceScored struct {
	Source    string   `json:"source" doc:"Name of the source"`
	Model     string   `json:"model" doc:"SHA-256 of the model's file"`
	Threshold *float64 `json:"threshold,omitempty" doc:"Score above which a row is an anomaly, unless that rolls"`
	Rows      []Row    `json:"rows" doc:"The rows, without cells that are no features"`
}

// SourceBegan says that a source has sent its first rows.
type SourceBegan struct {
	Source string `json:"source" doc:"Name of the source"`
}

// Source is a source whose series is in memory.
type Source struct {
	Source    string `json:"source" doc:"Its name"`
	Rows      int    `json:"rows" doc:"Rows since the server began"`
	Anomalies int    `json:"anomalies" doc:"Those above the threshold"`
}

type scoresInput struct {
	Last   int    `header:"Last-Event-ID" minimum:"0" doc:"Number of the last message that was received: those after it come first"`
	Source string `query:"source" maxLength:"200" doc:"Name of the source to tell about. Without it, only new sources are told"`
}

func (s *Server) addScores(api huma.API) {
	huma.Register(api, huma.Operation{
		OperationID: "sources", Method: http.MethodGet, Path: "/v1/sources", Summary: "List the sources",
	}, func(context.Context, *struct{}) (*struct{ Body []Source }, error) {
		return &struct{ Body []Source }{s.list()}, nil
	})
	sse.Register(api, huma.Operation{
		OperationID: "scores", Method: http.MethodGet, Path: scoresPath, Summary: "Listen to the scores of a source",
		Description: "Tells scores as server-sent events: scored for rows of the source, first the last ones, and began for each new source.",
	}, map[string]any{"scored": SourceScored{}, "began": SourceBegan{}, "alive": Alive{}}, func(ctx context.Context, in *scoresInput, send sse.Sender) {
		s.tell(ctx, s.scores, in.Last, send, func(data any) bool {
			of, rows := data.(SourceScored)
			return !rows || of.Source == in.Source
		})
	})
}

// list returns the sources in the order of their names.
func (s *Server) list() []Source {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := []Source{}
	for name, of := range s.sources {
		all = append(all, Source{name, of.counts.rows, of.counts.anomalies})
	}
	slices.SortFunc(all, func(a, b Source) int { return strings.Compare(a.Source, b.Source) })
	return all
}

// tellScores passes rows of a source on to those who listen.
func (a *answer) tellScores(rows []Row) {
	for part := range slices.Chunk(rows, mostTold) {
		told := SourceScored{Source: a.in.Source, Model: a.loaded.Digest, Threshold: a.loaded.fixed(), Rows: slices.Clone(part)}
		for i := range told.Rows {
			told.Rows[i].Carried = nil
		}
		a.server.scores.publish(told, len(part))
	}
}

// fixed returns the threshold, or nil if there is none or it rolls.
func (l *Loaded) fixed() *float64 {
	limits := l.Limits()
	if t := limits.Limit(); !limits.Rolls() && !math.IsNaN(t) {
		return &t
	}
	return nil
}
