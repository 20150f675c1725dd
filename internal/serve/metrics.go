package serve

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics serves numbers of rows by source, in the form that Prometheus reads.
func (s *Server) metrics() http.Handler {
	all := prometheus.NewPedanticRegistry()
	all.MustRegister(collector{s})
	return promhttp.HandlerFor(all, promhttp.HandlerOpts{})
}

type collector struct{ *Server }

const prefix = "collabdict_serve_"

var (
	rowsMetric      = prometheus.NewDesc(prefix+"rows_total", "Rows scored; the source is empty for requests without one.", []string{"source"}, nil)
	anomaliesMetric = prometheus.NewDesc(prefix+"anomalies_total", "Rows whose score is above the threshold.", []string{"source"}, nil)
	missingMetric   = prometheus.NewDesc(prefix+"missing_cells_total", "Cells without a number.", []string{"source", "sensor"}, nil)
	guiltyMetric    = prometheus.NewDesc(prefix+"sensor_anomalies_total", "Anomalies that a sensor is at fault in; those of requests with explain=none are not counted.", []string{"source", "sensor"}, nil)
	promisedMetric  = prometheus.NewDesc(prefix+"false_alarms_promised", "Share of rows like the own ones that is above the threshold at most.", nil, nil)
	modelMetric     = prometheus.NewDesc(prefix+"model_written_seconds", "When the model's file was written.", []string{"digest"}, nil)
	loadsMetric     = prometheus.NewDesc(prefix+"model_loads_total", "Models loaded since the start.", nil, nil)
	failedMetric    = prometheus.NewDesc(prefix+"model_load_failed", "1 while the model in the folder cannot be loaded, so that the one before scores on.", nil, nil)
	sentMetric      = prometheus.NewDesc(prefix+"webhook_events_total", "Events that the webhook has taken.", nil, nil)
	triesMetric     = prometheus.NewDesc(prefix+"webhook_failures_total", "Tries to send an event that have failed.", nil, nil)
	lostMetric      = prometheus.NewDesc(prefix+"webhook_lost_total", "Events that the webhook has not taken, and that are sent no more.", nil, nil)
	waitingMetric   = prometheus.NewDesc(prefix+"webhook_waiting", "Events that wait to be sent.", nil, nil)
	requestsMetric  = prometheus.NewDesc(prefix+"requests", "Requests that are scored.", nil, nil)
)

// Describe implements prometheus.Collector.
func (c collector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{rowsMetric, anomaliesMetric, missingMetric, guiltyMetric, promisedMetric, modelMetric, loadsMetric, failedMetric, requestsMetric, sentMetric, triesMetric, lostMetric, waitingMetric} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (c collector) Collect(to chan<- prometheus.Metric) {
	number := func(d *prometheus.Desc, kind prometheus.ValueType, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, kind, v, labels...)
	}
	l := c.loaded.Load()
	number(promisedMetric, prometheus.GaugeValue, l.Promised)
	number(modelMetric, prometheus.GaugeValue, float64(l.Written.Unix()), l.Digest)
	number(loadsMetric, prometheus.CounterValue, float64(c.loads.Load()))
	failed := 0.0
	if c.failed.Load() {
		failed = 1
	}
	number(failedMetric, prometheus.GaugeValue, failed)
	number(requestsMetric, prometheus.GaugeValue, float64(len(c.room)))
	if w := c.config.Webhook; w != nil {
		number(sentMetric, prometheus.CounterValue, float64(w.sent.Load()))
		number(triesMetric, prometheus.CounterValue, float64(w.failures.Load()))
		number(lostMetric, prometheus.CounterValue, float64(w.lost.Load()))
		number(waitingMetric, prometheus.GaugeValue, float64(len(w.queue)))
	}
	for source, of := range c.counts() {
		number(rowsMetric, prometheus.CounterValue, float64(of.rows), source)
		number(anomaliesMetric, prometheus.CounterValue, float64(of.anomalies), source)
		for sensor, n := range of.missing {
			number(missingMetric, prometheus.CounterValue, float64(n), source, sensor)
		}
		for sensor, n := range of.guilty {
			number(guiltyMetric, prometheus.CounterValue, float64(n), source, sensor)
		}
	}
}

// counts returns copies of what was counted, by source: who reads metrics may be slow, and requests must not wait.
func (s *Server) counts() map[string]counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]counts{}
	for source, of := range s.sources {
		all[source] = of.counts.copy()
	}
	if s.unnamed.rows > 0 {
		all[""] = s.unnamed.copy()
	}
	return all
}
