package serve

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// One row a request.
func BenchmarkRow(b *testing.B) {
	s, _ := serverOf(b, loadedModel(b, 0, "x"), nil)
	h := s.Handler()
	b.ResetTimer()
	for b.Loop() {
		r := httptest.NewRequest(http.MethodPost, "/v1/score?source=v", strings.NewReader(`{"a": 1, "b": 0}`))
		r.Header.Set("Content-Type", "application/json")
		h.ServeHTTP(httptest.NewRecorder(), r)
	}
}

// Many rows a request.
func BenchmarkCSV(b *testing.B) {
	_, h := serverOf(b, loadedModel(b, 0, "x"), nil)
	const rows = 100_000
	body := "a,b\n" + strings.Repeat("0.104206,0.123671\n", rows)
	b.ResetTimer()
	for b.Loop() {
		if code, _ := send(b, h, "?explain=none", "text/csv", body); code != http.StatusOK {
			b.Fatal(code)
		}
	}
	b.ReportMetric(float64(rows*b.N)/b.Elapsed().Seconds(), "rows/s")
}
