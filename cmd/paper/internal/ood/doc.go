// Package ood makes rows that are not of the distribution that a model has learned,
// as anomalies to be found: images turned, mirrored and enlarged, and noise (Zhang
// Pettersson et al. 2025, section 5.3).
//
// Start reading at [Manipulate].
package ood
