package node

import (
	"context"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/consensus"
)

// askEvery is the time between two questions about lost members, in heartbeats.
const askEvery = 10

// ask says hello while members are lost. It asks the connected members in turn for the present
// addresses of the lost ones. While the run is paused it also asks the lost members: they may
// have removed this one while it was cut off, and no longer send it anything.
func (n *Node) ask(ctx context.Context) {
	ticker := time.NewTicker(askEvery * n.heartbeat)
	defer ticker.Stop()
	for turn := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-n.loop.inbox.stopped:
			return
		case <-ticker.C:
		}
		s, all := n.loop.status.Load().machine, n.members.Load()
		lost := ranksOf(s.Lost)
		if len(lost) == 0 {
			continue
		}
		var away, here []peer.ID
		for id, rank := range all.Ranks {
			if lost[rank] {
				away = append(away, id)
			} else if rank != n.self {
				here = append(here, id)
			}
		}
		if len(here) > 0 && len(all.Ranks) <= consensus.SmallRoster { // the answers name all members
			slices.Sort(here)
			n.rendezvous.Ask(ctx, here[turn%len(here):][:1])
		}
		if turn++; s.Paused {
			n.rendezvous.Ask(ctx, away)
		}
	}
}

// removed ends this member's part, because the others have removed it.
func (n *Node) removed() {
	n.loop.background.Start(func() {
		_ = n.loop.do(context.Background(), func() error {
			n.loop.expel()
			return nil
		})
	})
}

// expel ends the run of this member. All calls return the reason from now on.
func (l *loop) expel() {
	if l.expelled != nil || l.machine.State() >= consensus.Finished {
		return
	}
	l.expelled = &consensus.RemovedError{Revision: l.members.Load().Params.Revision + 1}
	l.log.Warn("the other members have removed this one while it was away", "reason", l.expelled)
	l.step(consensus.Abort{Reason: l.expelled.Error()})
}
