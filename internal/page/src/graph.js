// Dependencies between sensors, drawn as lines in a circle of names.

import { svg } from './dom.js';

/**
 * @typedef {object} Edge
 * @property {string} a
 * @property {string} b
 * @property {number} partial_correlation - from −1 to 1
 */

/**
 * Returns a drawing of edges between the names that these join.
 *
 * @param {string} title - what it shows
 * @param {string[]} names - in their order around the circle
 * @param {Edge[]} edges
 * @returns {SVGElement}
 */
export function circle(title, names, edges) {
  const joined = names.filter((n) => edges.some((e) => e.a === n || e.b === n));
  const radius = Math.max(130, joined.length * 3), room = 110, size = 2 * (radius + room);
  const at = new Map(joined.map((n, i) => {
    const turn = 2 * Math.PI * i / joined.length - Math.PI / 2;
    return [n, { x: Math.cos(turn) * radius, y: Math.sin(turn) * radius, turn }];
  }));
  const round = (v) => v.toFixed(1);
  const strongest = Math.max(...edges.map((e) => Math.abs(e.partial_correlation)));
  const lines = edges.map((e) => {
    const a = at.get(e.a), b = at.get(e.b);
    return svg('path', {
      d: `M${round(a.x)} ${round(a.y)}Q${round(0.2 * (a.x + b.x))} ${round(0.2 * (a.y + b.y))} ${round(b.x)} ${round(b.y)}`,
      class: e.partial_correlation < 0 ? 'edge against' : 'edge',
      'stroke-width': round(0.6 + 4 * Math.abs(e.partial_correlation) / strongest),
    });
  });
  const labels = joined.map((n) => {
    const { x, y, turn } = at.get(n), left = Math.cos(turn) < -1e-9;
    const degrees = turn * 180 / Math.PI + (left ? 180 : 0);
    const text = n.length > 16 ? `${n.slice(0, 15)}…` : n;
    return svg('g', { transform: `translate(${round(x)} ${round(y)})` },
      svg('circle', { r: 3.5, class: 'node' }),
      svg('text', { transform: `rotate(${round(degrees)})`, x: left ? -9 : 9, dy: '0.32em', 'text-anchor': left ? 'end' : 'start' }, text));
  });
  return svg('svg', { class: 'graph', role: 'img', 'aria-label': title, viewBox: `${-size / 2} ${-size / 2} ${size} ${size}` }, ...lines, ...labels);
}
