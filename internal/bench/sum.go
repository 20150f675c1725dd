package bench

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/node"
)

// SumReport is the cost of one private sum. Figures per node are means over the nodes.
type SumReport struct {
	// Seconds is the elapsed time from the call at all nodes until the last of them has the
	// total.
	Seconds float64 `json:"sum_seconds"`
	Rounds  int     `json:"rounds"` // steps of the session
	// Bytes is the number of bytes that a node sends in that time on all its streams: vectors,
	// seeds, votes and forwarded gossip, with their frames. Encryption and the headers of the
	// transport are not counted.
	Bytes     float64 `json:"bytes_per_node"`
	DataBytes float64 `json:"data_bytes_per_node"` // bytes sent point to point
	Messages  float64 `json:"messages_per_node"`   // messages sent per node
	// Predicted is the number of bytes of vectors that a node sends by the plan of the session.
	Predicted      float64 `json:"predicted_bytes"`
	PredictedRatio float64 `json:"predicted_ratio"` // the ratio of Bytes to Predicted
	// RingBytes is the least number of bytes that a member sends for vectors in the clear, by a
	// ring all-reduce: 2m(n-1)/n words of 8 bytes.
	RingBytes float64 `json:"ring_bytes"`
	RingRatio float64 `json:"ring_ratio"` // the ratio of Bytes to RingBytes
	// Memory is the largest growth of the heap during the sum per node, including garbage, without
	// the caller's own vector.
	Memory  float64 `json:"memory_per_node"`
	Vectors float64 `json:"memory_vectors"` // the same in vectors of 8 bytes per value
	// Resident is the largest growth of the process's resident memory during the sum per node, if
	// the system reports it.
	Resident        float64 `json:"resident_per_node,omitempty"`
	ResidentVectors float64 `json:"resident_vectors,omitempty"` // the same in vectors of 8 bytes per value
	MaxError        float64 `json:"max_error"`                  // largest error of a value of the total, where bounds are 1
}

// ended is the result of a node's call.
type ended struct {
	total []float64
	err   error
}

// measureSum runs the sum; predicted is the number of bytes of a node by the plan.
func measureSum(ctx context.Context, c Consensus, predicted float64) (*SumReport, error) {
	nodes, err := start(ctx, c)
	if err != nil {
		return nil, err
	}
	defer closeAll(nodes)
	x := draw(c.Nodes, c.Values)
	before := traffic(nodes)
	debug.FreeOSMemory() // so that memory left from measuring arithmetic does not hide the growth
	resident := beginResident()
	heap := watchHeap()
	began := time.Now()
	ends := each(nodes, func(i int, n *node.Node) ended {
		total, err := n.Sum(ctx, collabdict.Summand{Values: x[i], Blocks: []collabdict.Block{{Len: c.Values, Bound: 1}}})
		return ended{total, err}
	})
	r := &SumReport{Seconds: time.Since(began).Seconds(), Predicted: predicted}
	after := traffic(nodes)
	r.enter(c, before, after)
	r.enterMemory(c, heap.end(), resident())
	for _, n := range nodes { // a slow node may have received the result from others
		r.Rounds = max(r.Rounds, n.Status().LastIterations)
	}
	totals := make([][]float64, len(ends))
	for i, e := range ends {
		if e.err != nil {
			return nil, fmt.Errorf("%s: %w", nameOf(i), e.err)
		}
		totals[i] = e.total
	}
	if in := nodes[0].Membership().Size; in < c.Nodes {
		return nil, fmt.Errorf("the sum was decided with %d of %d nodes, because the others were too slow: measure on an idle machine, or with fewer nodes", in, c.Nodes)
	}
	if r.MaxError, err = check(x, totals, c.largestError()); err != nil {
		return nil, err
	}
	return r, finish(ctx, nodes)
}

// enter computes the bytes that a node sends.
func (r *SumReport) enter(c Consensus, before, after node.Traffic) {
	size, vector := float64(c.Nodes), float64(8*c.Values)
	r.Bytes = float64(after.BytesSent-before.BytesSent) / size
	r.DataBytes = float64(after.DataBytesSent-before.DataBytesSent) / size
	r.Messages = float64(after.MessagesSent-before.MessagesSent) / size
	r.RingBytes = 2 * vector * (size - 1) / size
	r.RingRatio = r.Bytes / r.RingBytes
	r.PredictedRatio = r.Bytes / r.Predicted
}

// enterMemory computes the memory that a node uses.
func (r *SumReport) enterMemory(c Consensus, heap, resident float64) {
	size, vector := float64(c.Nodes), float64(8*c.Values)
	r.Memory, r.Resident = heap/size, resident/size
	r.Vectors, r.ResidentVectors = r.Memory/vector, r.Resident/vector
}

// traffic returns the total traffic of the nodes so far.
func traffic(nodes []*node.Node) (sum node.Traffic) {
	for _, n := range nodes {
		t := n.Traffic()
		sum.BytesSent += t.BytesSent
		sum.DataBytesSent += t.DataBytesSent
		sum.MessagesSent += t.MessagesSent
	}
	return sum
}
