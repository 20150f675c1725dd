package operate

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Handler serves /status and /metrics from the status that whole returns at each request, and
// /healthz and /readyz from brief: probes are frequent, and need neither Spent nor Process.
func Handler(brief, whole func() *Status) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		begin(w, "text/plain; charset=utf-8", http.StatusOK)
		_, _ = io.WriteString(w, "/status\n/metrics\n/healthz\n/readyz\n")
	})
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, _ *http.Request) {
		begin(w, "application/json", http.StatusOK)
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		_ = e.Encode(whole()) // the client may be gone
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { answer(w, brief().Healthy) })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) { answer(w, brief().Ready) })
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		all := prometheus.NewPedanticRegistry()
		all.MustRegister(collector{whole()})
		promhttp.HandlerFor(all, promhttp.HandlerOpts{}).ServeHTTP(w, r)
	})
	return mux
}

func begin(w http.ResponseWriter, kind string, code int) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(code)
}

// answer answers 200 if of returns true, otherwise 503, with the state of the process.
func answer(w http.ResponseWriter, of func() (bool, string)) {
	holds, what := of()
	code := http.StatusOK
	if !holds {
		code = http.StatusServiceUnavailable
	}
	begin(w, "text/plain; charset=utf-8", code)
	fmt.Fprintln(w, what)
}
