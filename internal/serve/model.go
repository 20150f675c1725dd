package serve

import (
	"context"
	"math"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// Model describes the model that scores.
type Model struct {
	Digest      string   `json:"digest" doc:"SHA-256 of the model's file"`
	Trained     string   `json:"trained" doc:"When that was written, in RFC 3339"`
	Kind        string   `json:"kind" doc:"The algorithm"`
	Participant string   `json:"participant" doc:"Whose folder it is"`
	Scores      string   `json:"scores" doc:"blend, shared or alone"`
	Rows        int      `json:"rows" doc:"Rows of all participants that it was trained on"`
	OwnRows     int      `json:"own_rows" doc:"Rows of this participant with which scores are compared; 0 if there are none"`
	Components  int      `json:"components,omitempty" doc:"Patterns of a mixture"`
	Window      int      `json:"window,omitempty" doc:"Rows of a window, for a model of time series"`
	Columns     []Column `json:"columns"`
	Threshold   *float64 `json:"threshold,omitempty" doc:"Score above which a row is an anomaly, unless that rolls"`
	Promised    float64  `json:"false_alarms_promised,omitempty" doc:"Share of rows like the own ones that is above the threshold at most"`
}

// Column is a sensor.
type Column struct {
	Name string `json:"name"`
	Unit string `json:"unit,omitempty"`
}

func (s *Server) addModel(api huma.API) {
	huma.Register(api, huma.Operation{
		OperationID: "model", Method: http.MethodGet, Path: "/v1/model", Summary: "Describe the model",
	}, func(context.Context, *struct{}) (*struct{ Body Model }, error) {
		return &struct{ Body Model }{s.loaded.Load().describe()}, nil
	})
}

func (l *Loaded) describe() Model {
	m := l.Model
	d := Model{
		Digest: l.Digest, Trained: l.Written.UTC().Format(time.RFC3339), Kind: m.Manifest.Kind, Participant: m.Manifest.Participant,
		Scores: m.ScoredBy(), Rows: m.Manifest.TotalRows, Components: m.Components(), Window: m.Manifest.Window, Promised: l.Promised,
	}
	if m.Local != nil {
		d.OwnRows, _ = m.Local.Nearest.Rows().Dims()
	}
	for _, name := range m.DataColumns() {
		d.Columns = append(d.Columns, Column{name, m.Manifest.Units[name]})
	}
	if limits := l.Limits(); !limits.Rolls() && !math.IsNaN(limits.Limit()) {
		t := limits.Limit()
		d.Threshold = &t
	}
	return d
}
