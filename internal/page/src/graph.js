// Lines in a circle of names: dependencies between sensors, and members that exchange vectors.

import { svg } from './dom.js';

/**
 * @typedef {object} Edge
 * @property {string} a
 * @property {string} b
 * @property {number} partial_correlation - from −1 to 1
 */

const round = (v) => v.toFixed(1);

// places returns where names are around a circle, which has room beside it, and above and below it.
function places(names, radius, beside, above) {
  const at = new Map(names.map((n, i) => {
    const turn = 2 * Math.PI * i / names.length - Math.PI / 2;
    return [n, { x: Math.cos(turn) * radius, y: Math.sin(turn) * radius, turn }];
  }));
  const x = radius + beside, all = [...at.values()].map((p) => p.y);
  const top = Math.min(...all) - above, bottom = Math.max(...all) + above;
  return { at, box: `${round(-x)} ${round(top)} ${round(2 * x)} ${round(bottom - top)}` };
}

function label(name, { turn }, off) {
  const left = Math.cos(turn) < -1e-9, degrees = turn * 180 / Math.PI + (left ? 180 : 0);
  return svg('text', { transform: `rotate(${round(degrees)})`, x: left ? -off : off, dy: '0.32em', 'text-anchor': left ? 'end' : 'start' }, shortened(name));
}

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
  const { at, box } = places(joined, Math.max(130, joined.length * 3), 110, 110);
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
    const place = at.get(n);
    return svg('g', { transform: `translate(${round(place.x)} ${round(place.y)})` }, svg('circle', { r: 3.5, class: 'node' }), label(n, place, 9));
  });
  return svg('svg', { class: 'graph', role: 'img', 'aria-label': title, viewBox: box }, ...lines, ...labels);
}

const mostLabels = 40; // members with their names beside them
const mostLevel = 16; // members whose names are level, as there is room

// level returns a name outside of the circle, beside its place, or above or below it at the top or the bottom.
function level(name, { turn }) {
  const x = Math.cos(turn), y = Math.sin(turn), side = Math.abs(x) < 0.15 ? 'middle' : x < 0 ? 'end' : 'start';
  return svg('text', { x: round(side === 'middle' ? 0 : 14 * Math.sign(x)), y: round(side === 'middle' ? 18 * y : 6 * y), dy: '0.32em', 'text-anchor': side }, shortened(name));
}

const shortened = (name) => (name.length > 16 ? `${name.slice(0, 15)}…` : name);

/**
 * Returns a drawing of members, the pairs that exchange vectors, and those that others relay.
 *
 * @param {string} title - what it shows
 * @param {{name: string, state: string, own?: boolean, via?: string, waited?: string}[]} members
 * @param {{a: string, b: string}[]} edges
 * @returns {SVGElement}
 */
export function ring(title, members, edges) {
  const n = members.length, few = n <= mostLevel, labelled = n <= mostLabels, many = n > 60;
  const { at, box } = places(members.map((m) => m.name), few ? 90 : Math.max(130, n * 3), labelled ? 120 : 20, few ? 28 : labelled ? 110 : 20);
  const line = (a, b, kind) => (at.has(a) && at.has(b)
    ? svg('line', { class: kind, x1: round(at.get(a).x), y1: round(at.get(a).y), x2: round(at.get(b).x), y2: round(at.get(b).y) }) : null);
  const nodes = members.map((m) => {
    const place = at.get(m.name), state = m.waited ? 'waited' : m.state;
    return svg('g', { class: `member ${state}${m.own ? ' own' : ''}`, transform: `translate(${round(place.x)} ${round(place.y)})` },
      mark(state, many ? (state === 'summed' ? 6 : 14) : 7), labelled && (few ? level(m.name, place) : label(m.name, place, 16)));
  });
  return svg('svg', { class: `graph ring${many ? ' many' : ''}`, role: 'img', 'aria-label': title, viewBox: box },
    ...edges.map((e) => line(e.a, e.b, 'exchange')), ...members.filter((m) => m.via).map((m) => line(m.name, m.via, 'relay')),
    ...nodes.filter((_, i) => members[i].state === 'summed' && !members[i].waited), ...nodes.filter((_, i) => members[i].state !== 'summed' || members[i].waited));
}

// mark returns the sign of a state: a disc, a ring, a square or a cross, so that color is not needed.
function mark(state, r) {
  if (state === 'out' || state === 'waited') return svg('rect', { x: -r, y: -r, width: 2 * r, height: 2 * r });
  if (state === 'lost' || state === 'away') return svg('g', {}, svg('circle', { r: r + 2, class: 'ground' }), svg('path', { d: `M${-r} ${-r}L${r} ${r}M${-r} ${r}L${r} ${-r}` }));
  return svg('circle', { r });
}
