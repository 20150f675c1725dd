package transport

import (
	"strings"
	"sync/atomic"
	"time"

	"github.com/libp2p/go-libp2p/core/metrics"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/protocol"
)

// Traffic counts what a node has sent and received since its start. Bytes are those of all its
// streams, without the overhead of transport and encryption. Messages are those of the
// protocol: one per receiver on the data plane, and one per publication on the control plane.
type Traffic struct {
	BytesSent        uint64 `json:"bytes_sent"`        // bytes of all streams
	BytesReceived    uint64 `json:"bytes_received"`    // bytes of all streams
	DataBytesSent    uint64 `json:"data_bytes_sent"`   // part of BytesSent, on the data plane
	MessagesSent     uint64 `json:"messages_sent"`     // messages of the protocol
	MessagesReceived uint64 `json:"messages_received"` // messages of the protocol
}

// A counter counts for libp2p, whose own counter keeps a goroutine for the rest of the process.
type counter struct {
	bytesOut, bytesIn, dataOut, messagesOut, messagesIn atomic.Uint64
}

var _ metrics.Reporter = (*counter)(nil)

func (t *counter) snapshot() Traffic {
	return Traffic{
		BytesSent: t.bytesOut.Load(), BytesReceived: t.bytesIn.Load(), DataBytesSent: t.dataOut.Load(),
		MessagesSent: t.messagesOut.Load(), MessagesReceived: t.messagesIn.Load(),
	}
}

func (t *counter) LogSentMessageStream(n int64, p protocol.ID, _ peer.ID) {
	t.bytesOut.Add(uint64(n))
	if strings.HasSuffix(string(p), dataSuffix) {
		t.dataOut.Add(uint64(n))
	}
}

func (t *counter) LogRecvMessageStream(n int64, _ protocol.ID, _ peer.ID) { t.bytesIn.Add(uint64(n)) }

// libp2p's totals are ignored: the counts per stream have them.
func (t *counter) LogSentMessage(int64)                              {}
func (t *counter) LogRecvMessage(int64)                              {}
func (t *counter) GetBandwidthForPeer(peer.ID) (s metrics.Stats)     { return s }
func (t *counter) GetBandwidthForProtocol(protocol.ID) metrics.Stats { return metrics.Stats{} }
func (t *counter) GetBandwidthByPeer() map[peer.ID]metrics.Stats     { return nil }
func (t *counter) GetBandwidthByProtocol() map[protocol.ID]metrics.Stats {
	return nil
}

func (t *counter) GetBandwidthTotals() metrics.Stats {
	return metrics.Stats{TotalIn: int64(t.bytesIn.Load()), TotalOut: int64(t.bytesOut.Load())}
}

func (t *counter) Reset()             {}
func (t *counter) TrimIdle(time.Time) {}
