package bench

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/node"
)

// SumReport is what one private sum took. Figures of a node are means over the
// nodes.
type SumReport struct {
	// Seconds by the wall clock, from the call at all nodes at once until the last of
	// them has the total.
	Seconds float64 `json:"sum_seconds"`
	Rounds  int     `json:"rounds"` // of the session
	// Bytes is all that a node has sent in that time on all its streams: vectors,
	// seeds and votes, gossip that it has passed on, and the frames around them; not
	// the encryption, nor the headers of the transport. DataBytes are those sent
	// point to point.
	Bytes     float64 `json:"bytes_per_node"`
	DataBytes float64 `json:"data_bytes_per_node"`
	Messages  float64 `json:"messages_per_node"`
	// Predicted are the bytes of vectors that a node sends by the plan of the session,
	// and PredictedRatio is Bytes over them.
	Predicted      float64 `json:"predicted_bytes"`
	PredictedRatio float64 `json:"predicted_ratio"`
	// RingBytes is the least that a member sends of vectors in the clear, by a ring
	// all-reduce: 2m(n-1)/n words of 8 bytes. RingRatio is Bytes over it.
	RingBytes float64 `json:"ring_bytes"`
	RingRatio float64 `json:"ring_ratio"`
	// Memory is the most that the heap has grown by during the sum, what waits for the
	// collector included, by node; Vectors is the same in vectors of 8 bytes per value.
	// The caller's own vector is not in it.
	Memory  float64 `json:"memory_per_node"`
	Vectors float64 `json:"memory_vectors"`
	// Resident is the most that the system counted for the process during the sum, over
	// what that was before; 0 where the system does not tell.
	Resident        float64 `json:"resident_per_node,omitempty"`
	ResidentVectors float64 `json:"resident_vectors,omitempty"`
	MaxError        float64 `json:"max_error"` // the largest error of a value of the total, where bounds are 1
}

// ended is how a node's call has ended.
type ended struct {
	total []float64
	err   error
}

// measureSum makes the sum, for which a node is predicted to send so many bytes.
func measureSum(ctx context.Context, c Consensus, predicted float64) (*SumReport, error) {
	nodes, err := start(ctx, c)
	if err != nil {
		return nil, err
	}
	defer closeAll(nodes)
	x := draw(c.Nodes, c.Values)
	before := traffic(nodes)
	debug.FreeOSMemory() // what measuring arithmetic has left is not taken again for nothing
	resident := beginResident()
	heap := watchHeap()
	began := time.Now()
	ends := each(nodes, func(i int, n *node.Node) ended {
		total, err := n.Sum(ctx, x[i], []collabdict.Block{{Len: c.Values, Bound: 1}})
		return ended{total, err}
	})
	r := &SumReport{Seconds: time.Since(began).Seconds(), Predicted: predicted}
	after := traffic(nodes)
	r.enter(c, before, after)
	r.enterMemory(c, heap.end(), resident())
	for _, n := range nodes { // one that was slow may have been told the result
		r.Rounds = max(r.Rounds, n.Status().LastIterations)
	}
	totals := make([][]float64, len(ends))
	for i, e := range ends {
		if e.err != nil {
			return nil, fmt.Errorf("%s: %w", nameOf(i), e.err)
		}
		totals[i] = e.total
	}
	if in := nodes[0].Size(); in < c.Nodes {
		return nil, fmt.Errorf("the sum was decided with %d of %d nodes in it, the others were too slow: measure on a machine that has less to do, or with fewer nodes", in, c.Nodes)
	}
	if r.MaxError, err = check(x, totals, c.largestError()); err != nil {
		return nil, err
	}
	return r, finish(ctx, nodes)
}

// enter works out what a node sent.
func (r *SumReport) enter(c Consensus, before, after node.Traffic) {
	size, vector := float64(c.Nodes), float64(8*c.Values)
	r.Bytes = float64(after.BytesSent-before.BytesSent) / size
	r.DataBytes = float64(after.DataBytesSent-before.DataBytesSent) / size
	r.Messages = float64(after.MessagesSent-before.MessagesSent) / size
	r.RingBytes = 2 * vector * (size - 1) / size
	r.RingRatio = r.Bytes / r.RingBytes
	r.PredictedRatio = r.Bytes / r.Predicted
}

// enterMemory works out what a node held.
func (r *SumReport) enterMemory(c Consensus, heap, resident float64) {
	size, vector := float64(c.Nodes), float64(8*c.Values)
	r.Memory, r.Resident = heap/size, resident/size
	r.Vectors, r.ResidentVectors = r.Memory/vector, r.Resident/vector
}

// traffic adds up what nodes have sent so far.
func traffic(nodes []*node.Node) (sum node.Traffic) {
	for _, n := range nodes {
		t := n.Traffic()
		sum.BytesSent += t.BytesSent
		sum.DataBytesSent += t.DataBytesSent
		sum.MessagesSent += t.MessagesSent
	}
	return sum
}
