// Package metrics measures how well scores and clusters agree with labels.
//
// Labels say 1 for an anomaly, 0 or -1 for normal; higher scores should mean
// anomaly. A figure that the labels do not define (one class alone, labels that
// are classes) is reported as missing, never as a number.
//
// [Silhouette] wants no labels but the clusters themselves.
//
// Start reading at [ROCAUC].
package metrics
