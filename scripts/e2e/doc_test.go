//go:build e2e && linux

// Package e2e runs members as their operators would: each in a network namespace of its
// own, some behind NAT or a firewall, over links with delay and loss that can be cut. It
// needs root, iproute2 and nftables: make e2e.
//
// The scenarios:
//
//	internet_test.go  NAT, a firewall with one port, no relay, hole punching
//	doctor_test.go    ten faults that doctor names
//	trouble_test.go   a partition, a slow member, a full disk, a member removed while away
//	soak_test.go      members that are killed all the time
//
// Scenarios wait for what members print or doctor finds, with a bound. The sleeps that there
// are last as long as a scenario is about: for how long members are parted, away, stopped or
// killed. COLLABDICT_E2E_AWAY and COLLABDICT_E2E_SOAK make two of them longer.
//
// The links are switched in user space (hub_test.go), since not every kernel can delay
// packets. Start reading at network_test.go.
package e2e
