// Package metrics measures how well scores and clusters agree with labels.
//
// Label 1 marks an anomaly, 0 or -1 a normal row; anomalies should have higher scores. A figure
// that the labels do not define (one class only, or labels that are classes) is reported as
// missing, never as a number.
//
// [Silhouette] needs no labels except the clusters.
//
// Start reading at [ROCAUC].
package metrics
