// The view of privacy: what the others can see of the member.

import { el, table } from './dom.js';
import { on, told } from './feed.js';
import { short } from './format.js';
import { words } from './messages.js';
import { part } from './patterns.js';

const say = words.privacy;

/** @type {import('./shell.js').View} */
export const privacy = { name: 'privacy', title: say.title, mount };

function mount(root) {
  const content = el('div', { class: 'content' });
  root.append(content);
  on('privacy', () => content.replaceChildren(...(told.privacy ? parts(told.privacy) : [el('p', { class: 'quiet' }, say.notYet)])));
  on('run', () => told.ended && !told.privacy && content.replaceChildren(el('p', {}, words.run.over)));
}

const list = (texts) => el('ul', {}, ...texts.map((t) => el('li', {}, t)));

function parts(of) {
  const p = of.protection;
  return [
    of.warnings?.length ? part(say.warnings, list(of.warnings)) : '',
    of.shown?.length ? part(say.shown, el('p', { class: 'quiet' }, say.shownNote), el('div', { class: 'prose uneven' }, table(say.shown, [{ text: say.how }, { text: say.what }], of.shown.map((s) => [s.how, s.what])))) : '',
    el('div', { class: 'pair' }, p?.mode ? part(say.protection, el('dl', {}, ...[
      [say.mode, p.mode],
      p.chunks ? [say.chunks, String(p.chunks)] : null,
      p.threshold ? [say.threshold, String(p.threshold)] : null,
      p.breach_predicted != null ? [say.breach(p.colluders ?? 0), short(p.breach_predicted, 2)] : null,
    ].filter(Boolean).map(([k, v]) => el('div', {}, el('dt', {}, k), el('dd', {}, v))))) : '',
    part(say.spent, of.spent.length
      ? table(say.spent, [{ text: say.by }, { text: say.epsilon, number: true }, { text: say.delta, number: true }], of.spent.map((s) => [s.of, short(s.epsilon), short(s.delta)]))
      : el('p', {}, say.nothing))),
    of.told?.length ? part(say.told, list(of.told)) : '',
    part(say.outside, el('div', { class: 'prose' },
      table(say.outside, [{ text: say.what }, { text: say.tells }], of.outside.map((o) => [
        el('span', {}, o.what, el('br'), el('span', { class: 'quiet' }, say.seen(o.place, o.by))), o.tells || say.none])))),
  ].filter(Boolean);
}
