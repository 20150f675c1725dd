//go:build e2e && linux

// Package e2e runs members as their operators would: each in a network namespace of its
// own, some behind NAT or a firewall, over links with delay and loss that can be cut. It
// needs root, iproute2 and nftables: make e2e.
//
// The links are switched in user space (hub_test.go), since not every kernel can delay
// packets. Start reading at network_test.go.
package e2e
