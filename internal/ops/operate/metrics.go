package operate

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"
)

// metric is one kind of metric, with its values in a status.
type metric struct {
	desc   *prometheus.Desc
	kind   prometheus.ValueType
	values func(s *Status, emit func(v float64, labels ...string))
}

func gauge(name, help string, values func(s *Status, emit func(v float64, labels ...string)), labels ...string) metric {
	return metric{prometheus.NewDesc("collabdict_"+name, help, labels, nil), prometheus.GaugeValue, values}
}

func counter(name, help string, value func(s *Status) float64) metric {
	return metric{prometheus.NewDesc("collabdict_"+name, help, nil, nil), prometheus.CounterValue, one(value)}
}

// one emits a single value without labels.
func one(value func(s *Status) float64) func(*Status, func(float64, ...string)) {
	return func(s *Status, emit func(float64, ...string)) { emit(value(s)) }
}

// ofNode emits a single value once the node has begun to join.
func ofNode(value func(s *Status) float64) func(*Status, func(float64, ...string)) {
	return func(s *Status, emit func(float64, ...string)) {
		if s.Node != nil {
			emit(value(s))
		}
	}
}

func yes(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

var metrics = []metric{
	gauge("build_info", "Always 1; the label is the release of the program.", func(s *Status, emit func(float64, ...string)) {
		emit(1, s.Release)
	}, "release"),
	gauge("start_timestamp_seconds", "Start time of the process, in Unix time.", one(func(s *Status) float64 { return float64(s.Began.UnixMilli()) / 1e3 })),
	gauge("phase", "1 for the phase of the process: loading, joining, running or saving.", func(s *Status, emit func(float64, ...string)) {
		for _, p := range Phases {
			emit(yes(p == s.Phase), string(p))
		}
	}, "phase"),
	gauge("healthy", "1 while this member contributes, or prepares to.", one(func(s *Status) float64 {
		healthy, _ := s.Healthy()
		return yes(healthy)
	})),
	gauge("ready", "1 once this member has joined the others.", one(func(s *Status) float64 {
		ready, _ := s.Ready()
		return yes(ready)
	})),
	gauge("round", "The last round that this member has completed.", one(func(s *Status) float64 { return float64(s.Round) })),
	gauge("rounds_limit", "The largest number of rounds; absent while unknown.", func(s *Status, emit func(float64, ...string)) {
		if s.Rounds > 0 {
			emit(float64(s.Rounds))
		}
	}),
	gauge("round_duration_seconds", "The median duration of the last rounds; absent while unknown.", func(s *Status, emit func(float64, ...string)) {
		if s.Pace > 0 {
			emit(s.Pace.Seconds())
		}
	}),
	gauge("remaining_seconds", "The longest time that the remaining rounds take, at the pace of the last ones; absent while unknown.", func(s *Status, emit func(float64, ...string)) {
		if left, known := s.Left(); known {
			emit(left.Seconds())
		}
	}),
	gauge("slot", "The number of the slot under way.", ofNode(func(s *Status) float64 { return float64(s.Node.Slot) })),
	gauge("state", "1, with the state of the consensus as the label.", func(s *Status, emit func(float64, ...string)) {
		if s.Node != nil {
			emit(1, s.Node.State)
		}
	}, "state"),
	counter("ballots_total", "Ballots beyond the first of each slot that this process has seen.", func(s *Status) float64 { return ofTraffic(s, func() uint64 { return s.Node.Ballots }) }),
	gauge("members_wanted", "The number of members of the run.", ofNode(func(s *Status) float64 { return float64(s.Node.Want) })),
	gauge("members_present", "The number of members that are present, this one included.", ofNode(func(s *Status) float64 { return float64(s.Present()) })),
	gauge("members_needed", "The number of members without which the run pauses.", ofNode(func(s *Status) float64 { return float64(s.Node.Least) })),
	gauge("paused", "1 while too few members are present for a sum, or the members have agreed to pause.", ofNode(func(s *Status) float64 { return yes(s.Node.Paused) })),
	gauge("paused_by_agreement", "1 while the members have agreed to pause.", ofNode(func(s *Status) float64 { return yes(s.Node.PausedBy > 0) })),
	gauge("member_waiting_seconds", "How long the run has waited for a member; absent for members that are not waited for.", func(s *Status, emit func(float64, ...string)) {
		if s.Node != nil {
			for _, w := range s.Node.Waiting {
				emit(w.For.Seconds(), w.Name)
			}
		}
	}, "member"),
	gauge("last_sum_duration_seconds", "The duration of the last collective.", ofNode(func(s *Status) float64 { return s.Node.LastTook.Seconds() })),
	counter("sent_bytes_total", "Bytes sent to other members.", func(s *Status) float64 { return ofTraffic(s, func() uint64 { return s.Node.Traffic.BytesSent }) }),
	counter("received_bytes_total", "Bytes received from other members.", func(s *Status) float64 { return ofTraffic(s, func() uint64 { return s.Node.Traffic.BytesReceived }) }),
	counter("sent_messages_total", "Messages sent to other members.", func(s *Status) float64 { return ofTraffic(s, func() uint64 { return s.Node.Traffic.MessagesSent }) }),
	counter("received_messages_total", "Messages received from other members.", func(s *Status) float64 {
		return ofTraffic(s, func() uint64 { return s.Node.Traffic.MessagesReceived })
	}),
	counter("warnings_total", "Warnings of the node, such as those of lost members.", func(s *Status) float64 { return float64(s.NodeWarns) }),
	gauge("privacy_epsilon", "Differential privacy spent by all noise in runs, or by all releases, of the folder; the label is delta.", func(s *Status, emit func(float64, ...string)) {
		for _, p := range s.Spent {
			emit(p.Epsilon, string(p.By), number(p.Delta))
		}
	}, "by", "delta"),
	gauge("goroutines", "Goroutines of the process.", one(func(s *Status) float64 { return float64(s.Process.Goroutines) })),
	gauge("heap_bytes", "Bytes of live and dead objects on the heap; only on the socket in the folder.", func(s *Status, emit func(float64, ...string)) {
		if s.Process.HeapBytes > 0 {
			emit(float64(s.Process.HeapBytes))
		}
	}),
	gauge("state_file_bytes", "The size of state.db.", one(func(s *Status) float64 { return float64(s.Process.StateBytes) })),
}

// ofTraffic returns a counter of the node, 0 before there is a node.
func ofTraffic(s *Status, count func() uint64) float64 {
	if s.Node == nil {
		return 0
	}
	return float64(count())
}

// Present returns the number of members present, this one included.
func (s *Status) Present() int {
	n := s.Node
	if n == nil {
		return 0
	}
	if s.Phase == Joining || s.Phase == Loading {
		return len(n.Present)
	}
	here := n.Want
	for _, a := range n.Absent {
		if a.Lost {
			here--
		}
	}
	return max(0, here)
}

// collector exports the metrics of one status to Prometheus.
type collector struct{ status *Status }

func (collector) Describe(to chan<- *prometheus.Desc) {
	for _, m := range metrics {
		to <- m.desc
	}
}

func (c collector) Collect(to chan<- prometheus.Metric) {
	for _, m := range metrics {
		m.values(c.status, func(v float64, labels ...string) {
			for i, l := range labels {
				labels[i] = strings.ToValidUTF8(l, "�") // invalid UTF-8 would panic
			}
			to <- prometheus.MustNewConstMetric(m.desc, m.kind, v, labels...)
		})
	}
}
