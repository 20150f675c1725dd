// The view of the model that a run has learned.

import { el } from './dom.js';
import { on, told } from './feed.js';
import { count, percent, short } from './format.js';
import { words } from './messages.js';
import { facts, part, patterns } from './patterns.js';

const say = words.model;

/** @type {import('./shell.js').View} */
export const learned = { name: 'model', title: say.title, mount };

function mount(root) {
  const content = el('div', { class: 'content' });
  root.append(content);
  on('model', () => told.model && content.replaceChildren(...parts(told.model)));
  on('run', () => told.model || content.replaceChildren(el('p', {}, told.ended ? say.noModel : say.notYet)));
}

function parts(of) {
  const held = of.held_out;
  return [
    facts([
      [say.participant, of.participant],
      [say.about, of.about],
      of.threshold == null ? null : [say.threshold, say.promised(of.threshold, held?.false_alarms_promised)],
      of.verdict ? [say.verdict, of.verdict] : null,
      held?.together != null && held.alone != null ? [say.heldOut(held.rows), say.losses(held.together, held.alone)] : null,
      held?.false_alarms_measured != null ? [say.measured, percent(held.false_alarms_measured)] : null,
    ]),
    of.warnings?.length ? part(say.warnings, el('ul', {}, ...of.warnings.map((w) => el('li', {}, w)))) : '',
    ...patterns(of.components ?? [], of.columns, of.units ?? {}, of.least_weight ?? 0),
  ].filter(Boolean);
}
