//go:build e2e && linux

// Package e2e runs members as their operators would. Each has its own network namespace, some
// behind NAT or a firewall, and the links have delay and loss and can be cut. It needs root,
// iproute2 and nftables: make e2e. Scenarios that need other programs are skipped without them.
//
// The scenarios:
//
//	internet_test.go  NAT, a firewall with one port, no relay, hole punching
//	proxy_test.go     nothing but an HTTP proxy (needs tinyproxy)
//	mapping_test.go   a router that maps ports by UPnP (needs miniupnpd)
//	ipv6_test.go      IPv6 alone, with a name, and with firewalls
//	clock_test.go     a member whose clock is two hours ahead
//	doctor_test.go    ten faults that doctor names
//	trouble_test.go   a partition, a slow member, a full disk, a member removed while away
//	soak_test.go      members that are killed all the time
//
// Scenarios wait, with a bound, for the members' output, or poll their status or doctor. Sleeps
// last as long as the scenario requires: the time for which members are parted, away, stopped
// or killed. COLLABDICT_E2E_AWAY and COLLABDICT_E2E_SOAK lengthen two of them.
//
// The links are switched in user space (hub_test.go), because not every kernel can delay
// packets. Start reading at network_test.go.
package e2e
