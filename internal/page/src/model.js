// The view of the model: what was learned.

import { get } from './api.js';
import { el, table } from './dom.js';
import { count, even, moment, percent } from './format.js';
import { words } from './messages.js';
import { facts, part, patterns } from './patterns.js';
import { trouble } from './shell.js';

const say = words.model;

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
      content.replaceChildren(origin(of), ...patterns(mixture.components ?? [], mixture.columns, unitsOf(of), 0, thresholds(of)));
      return;
    } catch (e) {
      trouble(e.message);
      await new Promise((then) => setTimeout(then, 3000));
    }
  }
}

const unitsOf = (of) => Object.fromEntries(of.columns.map((c) => [c.name, c.unit]));

function origin(of) {
  return facts([
    [say.participant, of.participant],
    [say.kind, of.about ? `${of.kind}: ${of.about}` : of.kind],
    [say.by, say.scores[of.scores] ?? of.scores],
    [say.threshold, of.threshold == null ? say.rolls : say.promised(of.threshold, of.false_alarms_promised)],
    [say.rows, count(of.rows)],
    [say.ownRows, of.own_rows ? count(of.own_rows) : say.noOwn],
    of.window ? [say.window, say.windowRows(of.window)] : null,
    of.found ? [say.finds, words.scores.finds(of.found)] : null,
    of.verdict ? [say.verdict, say.sentence(of.verdict)] : null,
    [say.trained, el('time', { datetime: of.trained }, moment(of.trained))],
    [say.digest, el('details', {}, el('summary', {}, el('code', { class: 'digest' }, `${of.digest.slice(0, 12)}…`)), el('code', { class: 'digest' }, of.digest))],
  ]);
}

function thresholds(of) {
  if (!of.thresholds?.length) return '';
  const shares = of.thresholds.map((t) => t.false_alarms_promised), written = even(of.thresholds.map((t) => t.threshold));
  return part(say.thresholds, el('p', { class: 'quiet' }, say.thresholdsNote),
    table(say.thresholds, [{ text: say.falseAlarms }, { text: say.share, number: true }, { text: say.nats, number: true }],
      shares.map((share, i) => [`1 in ${count(Math.round(1 / share))}`, percent(share), written[i]])));
}
