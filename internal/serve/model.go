package serve

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/collabdict/collabdict/internal/algorithms"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/internal/run/scoring"
	"github.com/collabdict/collabdict/model"
)

// Model describes the model that scores.
type Model struct {
	Digest      string   `json:"digest" doc:"SHA-256 of the model's file"`
	Trained     string   `json:"trained" doc:"When that was written, in RFC 3339"`
	Kind        string   `json:"kind" doc:"The algorithm"`
	About       string   `json:"about,omitempty" doc:"What the algorithm learns"`
	Participant string   `json:"participant" doc:"Whose folder it is"`
	Scores      string   `json:"scores" doc:"blend, shared or alone"`
	Rows        int      `json:"rows" doc:"Rows of all participants that it was trained on"`
	OwnRows     int      `json:"own_rows" doc:"Rows of this participant with which scores are compared; 0 if there are none"`
	Components  int      `json:"components,omitempty" doc:"Patterns of a mixture"`
	Window      int      `json:"window,omitempty" doc:"Rows of a window, for a model of time series"`
	Columns     []Column `json:"columns"`
	Threshold   *float64 `json:"threshold,omitempty" doc:"Score above which a row is an anomaly, unless that rolls"`
	Promised    float64  `json:"false_alarms_promised,omitempty" doc:"Share of rows like the own ones that is above the threshold at most"`
	// Verdict is absent unless the participant compared both.
	Verdict string `json:"verdict,omitempty" doc:"Whether scores find more with the other participants than alone, in a sentence"`
	// Found is absent unless the participant had labelled faults to test on.
	Found *Found `json:"found,omitempty" doc:"How many labelled faulty rows, on which it was not trained, the model finds"`
	// Thresholds follow from the scores of the own rows.
	Thresholds []Threshold `json:"thresholds,omitempty" doc:"Thresholds to choose from, the lowest first; absent without own rows"`
	Events     EventRules  `json:"events" doc:"How anomalies are joined to events"`
}

// Components are the components of a mixture.
type Components struct {
	Columns    []string           `json:"columns" doc:"The columns of the means"`
	Components []report.Component `json:"components" doc:"Each with its weight, its mean in units, and direct dependencies, the strongest first; none for another model"`
}

// Found says how many of a participant's labelled faulty rows have scores above a threshold.
type Found struct {
	Faulty      int     `json:"faulty" doc:"Labelled faulty rows, on which it was not trained"`
	Found       int     `json:"found" doc:"Those of them that score above the threshold"`
	FalseAlarms float64 `json:"false_alarms" doc:"Share of normal rows above that threshold"`
}

// Threshold is a threshold with its promise.
type Threshold struct {
	Promised  float64 `json:"false_alarms_promised" doc:"Share of rows like the own ones that is above it at most"`
	Threshold float64 `json:"threshold" doc:"In nats"`
}

// EventRules say when anomalies of successive rows are an event.
type EventRules struct {
	Anomalies int `json:"anomalies" doc:"Anomalies that make an event"`
	Of        int `json:"of" doc:"Successive rows that these are among"`
	Gap       int `json:"gap" doc:"Normal rows that two anomalies of an event may have between them"`
	// Further reports whether anomalies may be left out, too.
	Further bool `json:"further,omitempty" doc:"Whether rules of sensors or maintenance leave out anomalies"`
}

// shares are the shares of false alarms that thresholds are shown for, from frequent to rare.
var shares = []float64{0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001}

// thresholds returns the thresholds that the own rows suffice for, without those that promise less than
// an equal one.
func thresholds(m *model.Model) (all []Threshold) {
	for _, share := range shares {
		limit, enough, ok := m.ThresholdFor(share)
		if !ok || !enough {
			break
		}
		if n := len(all); n > 0 && all[n-1].Threshold == limit {
			all = all[:n-1]
		}
		all = append(all, Threshold{share, limit})
	}
	return all
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

func (s *Server) addComponents(api huma.API) {
	huma.Register(api, huma.Operation{
		OperationID: "components", Method: http.MethodGet, Path: "/v1/components", Summary: "Describe the components of a mixture",
	}, func(context.Context, *struct{}) (*struct{ Body Components }, error) {
		l := s.loaded.Load()
		return &struct{ Body Components }{Components{Columns: l.Model.Manifest.Columns, Components: l.components}}, nil
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
	if k, known := algorithms.Lookup(m.Manifest.Kind); known {
		d.About = k.About
	}
	for _, name := range m.DataColumns() {
		d.Columns = append(d.Columns, Column{name, m.Manifest.Units[name]})
	}
	if h := m.Manifest.HeldOut; h != nil && h.Verdict != nil {
		d.Verdict = h.Verdict.Sentence()
		if v := h.Verdict; v.By == report.ByFaults {
			d.Found = &Found{v.Rows, v.FoundTogether, report.FoundAt}
		}
	}
	d.Threshold, d.Thresholds = l.fixed(), l.thresholds
	d.Events = EventRules{
		Anomalies: max(1, l.Rules.Anomalies), Of: max(1, l.Rules.Of), Gap: scoring.Between,
		Further: len(l.Rules.Sensors)+len(l.Rules.Maintenance) > 0,
	}
	if l.Rules.Gap != nil {
		d.Events.Gap = *l.Rules.Gap
	}
	return d
}
