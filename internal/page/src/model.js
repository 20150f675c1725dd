// The view of the model: what was learned.

import { get } from './api.js';
import { el, table } from './dom.js';
import { count, percent, short } from './format.js';
import { circle } from './graph.js';
import { words } from './messages.js';
import { announce, trouble } from './shell.js';

const say = words.model;
const mostEdges = 30; // that are drawn and listed
const far = 1.5; // standard deviations of the patterns' means from which on one is marked

/** @type {import('./shell.js').View} */
export const model = { name: 'model', title: say.title, mount };

function mount(root) {
  const content = el('div', { class: 'content' }, el('p', { class: 'quiet' }, words.loading));
  root.append(content);
  return () => fill(content); // the server may have another model by now
}

async function fill(content) {
  for (;;) {
    try {
      const [of, mixture] = await Promise.all([get('/v1/model'), get('/v1/components')]);
      trouble('');
      content.replaceChildren(facts(of), ...patterns(mixture, of));
      return;
    } catch (e) {
      trouble(e.message);
      await new Promise((then) => setTimeout(then, 3000));
    }
  }
}

const part = (title, ...children) => el('section', {}, el('h2', {}, title), ...children);

function facts(of) {
  const lines = [
    [say.participant, of.participant],
    [say.kind, of.kind],
    [say.by, say.scores[of.scores] ?? of.scores],
    [say.threshold, of.threshold == null ? say.rolls : say.promised(of.threshold, of.false_alarms_promised)],
    [say.rows, count(of.rows)],
    [say.ownRows, of.own_rows ? count(of.own_rows) : say.noOwn],
    of.window ? [say.window, say.windowRows(of.window)] : null,
    of.verdict ? [say.verdict, of.verdict] : null,
    [say.trained, el('time', { datetime: of.trained }, new Date(of.trained).toLocaleString())],
    [say.digest, el('code', { class: 'digest' }, of.digest)],
  ].filter(Boolean);
  return part(say.facts, el('dl', {}, ...lines.map(([k, v]) => el('div', {}, el('dt', {}, k), el('dd', {}, v)))));
}

function thresholds(of) {
  if (!of.thresholds?.length) return '';
  return part(say.thresholds, el('p', { class: 'quiet' }, say.thresholdsNote),
    table(say.thresholds, [{ text: say.falseAlarms }, { text: say.share, number: true }, { text: say.nats, number: true }],
      of.thresholds.map((t) => [`1 in ${count(Math.round(1 / t.false_alarms_promised))}`, percent(t.false_alarms_promised), short(t.threshold)])));
}

function patterns(mixture, of) {
  const all = (mixture.components ?? []).map((c, i) => ({ ...c, k: i + 1 })).sort((a, b) => b.weight - a.weight);
  if (!all.length) return [thresholds(of), part(say.patterns, el('p', {}, say.noPatterns))];
  const units = Object.fromEntries(of.columns.map((c) => [c.name, c.unit]));
  const edge = (e) => `${e.a} ~ ${e.b} ${short(e.partial_correlation, 2)}`;
  const weights = part(say.patterns, el('p', { class: 'quiet' }, say.patternsNote(all.length)),
    table(say.patterns, [{ text: say.which }, { text: say.weight, number: true }, { text: say.edges, number: true }, { text: say.strongest }],
      all.map((c) => [say.pattern(c.k),
        el('span', { class: 'share' }, el('progress', { max: 1, value: c.weight, 'aria-hidden': 'true' }), percent(c.weight)),
        count(c.edges.length), c.edges.slice(0, 3).map(edge).join(', ') || '–'])));
  return [el('div', { class: 'pair' }, weights, thresholds(of)), means(all, mixture.columns, units), dependencies(all, mixture.columns)];
}

function means(all, columns, units) {
  return part(say.means, el('p', { class: 'quiet' }, say.meansNote),
    table(say.means, [{ text: say.column }, ...all.map((c) => ({ text: say.pattern(c.k), number: true }))],
      columns.map((name, j) => {
        const middle = all.reduce((s, c) => s + c.weight * c.mean[j], 0);
        const spread = Math.sqrt(all.reduce((s, c) => s + c.weight * (c.mean[j] - middle) ** 2, 0));
        return [units[name] ? `${name} (${units[name]})` : name, ...all.map((c) => {
          const off = spread > 0 ? (c.mean[j] - middle) / spread : 0;
          const mark = off > far ? '▲ ' : off < -far ? '▼ ' : '';
          return el('span', { class: mark ? 'far' : null }, mark, short(c.mean[j]));
        })];
      })));
}

function dependencies(all, columns) {
  const shown = el('div', { class: 'pair' });
  const choice = el('select', { id: 'pattern', change: () => announce(show(), true) }, ...all.map((c, i) => el('option', { value: i }, `${say.pattern(c.k)} (${percent(c.weight)})`)));
  const show = () => {
    const { k, edges } = all[Number(choice.value)];
    if (!edges.length) {
      shown.replaceChildren(el('p', {}, say.noEdges));
      return say.noEdges;
    }
    const few = edges.slice(0, mostEdges);
    const names = [...new Set([...columns, ...few.flatMap((e) => [e.a, e.b])])];
    shown.replaceChildren(
      el('figure', {}, circle(say.graph(k, few.length), names, few)),
      el('div', {},
        few.length < edges.length ? el('p', { class: 'quiet' }, say.cut(few.length, edges.length)) : '',
        table(say.dependencies, [{ text: say.first }, { text: say.second }, { text: say.correlation, number: true }],
          few.map((e) => [e.a, e.b, short(e.partial_correlation, 3)]))));
    return say.graph(k, few.length);
  };
  show();
  return part(say.dependencies, el('p', { class: 'quiet' }, say.dependenciesNote),
    el('p', { class: 'chooser' }, el('label', { for: 'pattern' }, say.which), choice), shown);
}
