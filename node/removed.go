package node

import (
	"context"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/consensus"
)

// askEvery is the time between two questions to members that are lost, in heartbeats.
const askEvery = 10

// ask asks the members that are lost, while the run is paused, whether they have removed
// this one: it may have been cut off, and they do not speak to it any more.
func (n *Node) ask(ctx context.Context) {
	ticker := time.NewTicker(askEvery * n.heartbeat)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-n.loop.inbox.stopped:
			return
		case <-ticker.C:
		}
		if s := n.loop.status.Load().machine; s.Paused {
			var lost []peer.ID
			for _, m := range s.Lost {
				lost = append(lost, n.members.Load().All[m.Member].ID)
			}
			n.rendezvous.Ask(ctx, lost)
		}
	}
}

// removed ends this member's part: the others have removed it.
func (n *Node) removed() {
	n.loop.background.Start(func() {
		_, _ = n.loop.ask(context.Background(), &request{do: func() (*consensus.Decision, error) {
			n.loop.expel()
			return nil, nil
		}})
	})
}

// expel ends the run here. What a call returns from now on is why.
func (l *loop) expel() {
	if l.expelled != nil || l.machine.State() >= consensus.Finished {
		return
	}
	l.expelled = &consensus.RemovedError{Revision: l.members.Load().Params.Revision + 1}
	l.log.Warn("the others have removed this member while it was away", "reason", l.expelled)
	l.step(consensus.Abort{Reason: l.expelled.Error()})
}
