package serve

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/export"
	"github.com/collabdict/collabdict/internal/ops/web"
	"github.com/collabdict/collabdict/internal/page"
	"github.com/collabdict/collabdict/internal/run/local"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/internal/run/scoring"
	"github.com/collabdict/collabdict/model"
)

// Loaded is a model that is ready to score.
type Loaded struct {
	Model    *model.Model
	Spec     dataset.Spec            // how rows are read, but for where from
	Limits   func() *local.Threshold // of a series that begins
	Rules    *scoring.Rules          // of events
	Promised float64                 // share of rows like the own ones above the threshold
	Digest   string                  // SHA-256 of the model's file
	Written  time.Time               // when that was written

	explainer  *scoring.Explainer
	thresholds []Threshold
	components []report.Component
}

// Config is what a server needs.
type Config struct {
	Version string
	Load    func() (*Loaded, error) // reads the model
	// Folder keeps the series of sources, so that they go on after a crash; "" for none.
	Folder  string
	Sources int // series kept at a time
	Clients int // requests scored at a time
	// Idle is the time after which a request that sends nothing ends.
	Idle time.Duration
	// Done is closed when the server is to end: listeners are let go then. It may be nil.
	Done <-chan struct{}
	Now  func() time.Time
	// After returns a channel that receives after a while, as time.After does.
	After func(time.Duration) <-chan time.Time
	// Webhook sends events to where the model's rules say; nil for nowhere.
	Webhook *Webhook
}

// Server scores rows by the model that was loaded last. It is safe for concurrent use.
type Server struct {
	config  Config
	loaded  atomic.Pointer[Loaded]
	failed  atomic.Bool // the last load has failed
	loads   atomic.Int64
	mu      sync.Mutex
	sources map[string]*series
	unnamed *counts // of requests without a source
	used    int64   // uses of series so far
	events  *hub
	scores  *hub
	room    chan struct{} // a place for each request that is scored
}

// New returns a server that has loaded its model.
func New(c Config) (*Server, error) {
	s := &Server{config: c, sources: map[string]*series{}, unnamed: newCounts(), events: newHub(mostEvents), scores: newHub(mostScores), room: make(chan struct{}, c.Clients)}
	return s, s.load()
}

// Reload loads the model again. Requests that have begun keep theirs. After an error, so do the others.
func (s *Server) Reload() error {
	err := s.load()
	s.failed.Store(err != nil)
	if err == nil {
		s.loads.Add(1)
	}
	return err
}

func (s *Server) load() error {
	l, err := s.config.Load()
	if err != nil {
		return err
	}
	if l.Model.Scorer() == nil {
		return fmt.Errorf("model %s gives classes, and no scores", l.Model.Manifest.Kind)
	}
	own := *l
	own.explainer, own.thresholds, own.components = scoring.NewExplainer(own.Model), thresholds(own.Model), export.Components(own.Model)
	s.loaded.Store(&own)
	return nil
}

// Open are the paths that need no secret.
var Open = []string{"/healthz", "/readyz"}

// Handler returns the handler of all paths, those of the page among them. It needs a guard around it.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	c := huma.DefaultConfig("collabdict scores", s.config.Version)
	c.DocsPath, c.SchemasPath = "", "" // its page would load scripts from elsewhere
	c.CreateHooks = nil                // no links to schemas in answers
	c.Info.Description = "Scores rows by a model of collabdict. Send the header Authorization: Bearer TOKEN."
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{"token": {Type: "http", Scheme: "bearer"}}
	c.Security = []map[string][]string{{"token": {}}}
	api := humago.New(mux, c)
	s.addScore(api)
	s.addModel(api)
	s.addComponents(api)
	s.addEvents(api)
	s.addScores(api)
	web.AddFiles(mux, page.Serve())
	plain := func(path string, code int, text string) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.WriteHeader(code)
			fmt.Fprintln(w, text)
		})
	}
	plain("/healthz", http.StatusOK, "running")
	plain("/readyz", http.StatusOK, "a model is loaded")
	mux.Handle("GET /metrics", s.metrics())
	listeners := web.Limit(mostListeners, mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case eventsPath, scoresPath:
			listeners.ServeHTTP(w, r)
		default:
			mux.ServeHTTP(w, r)
		}
	})
}
