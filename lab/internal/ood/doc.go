// Package ood creates rows outside the distribution that a model has learned, as anomalies to
// detect: images turned, mirrored and enlarged, and noise (Zhang Pettersson et al. 2025,
// section 5.3).
//
// Start reading at [Manipulate].
package ood
