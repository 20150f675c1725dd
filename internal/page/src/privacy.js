// The view of privacy: what leaves the member, and what the others can see.

import { el, table } from './dom.js';
import { on, told } from './feed.js';
import { capital, short } from './format.js';
import { words } from './messages.js';
import { part } from './patterns.js';
import { list, ofPrivacy, serious } from './warnings.js';

const say = words.privacy;

/** @type {import('./shell.js').View} */
export const privacy = { name: 'privacy', title: say.title, mount };

function mount(root) {
  const content = el('div', { class: 'content' });
  root.append(content);
  let drawn;
  const draw = () => {
    const warned = ofPrivacy(), key = JSON.stringify([told.privacy, warned, told.run?.status.name, told.ended]);
    if (key === drawn) return;
    drawn = key;
    content.replaceChildren(...(told.privacy ? parts(told.privacy, warned) : [el('p', { class: 'quiet' }, told.ended ? say.unknown : say.notYet)]));
  };
  on('privacy', draw);
  on('run', draw);
}

const points = (texts) => el('ul', {}, ...texts.map((t) => el('li', {}, t)));

function parts(of, warned) {
  const p = of.protection, high = serious(warned);
  return [
    high ? el('p', { class: 'notice' }, el('strong', {}, say.serious(high))) : '',
    breach(of) === 1 && !warned.some((w) => w.kind === 'unhidden') ? el('p', { class: 'notice' }, el('strong', {}, say.exposed)) : '',
    el('div', { class: 'pair' }, part(say.leaves, leaves(of)), part(say.stays, stays(of))),
    part(say.noise, ...noise(of.summary.noise ?? [], of.summary.seeded)),
    warned.length ? part(say.warnings(warned.length), list(warned, own())) : '',
    of.shown?.length ? part(say.shown, el('p', { class: 'quiet' }, say.shownNote), el('div', { class: 'prose uneven' }, table(say.shown, [{ text: say.how }, { text: say.what }], of.shown.map((s) => [s.how, s.what])))) : '',
    el('div', { class: 'pair' }, p?.mode ? part(say.protection, el('dl', {}, ...[
      [say.mode, p.mode],
      p.chunks ? [say.chunks, String(p.chunks)] : null,
      p.threshold ? [say.threshold, String(p.threshold)] : null,
      p.breach_predicted != null ? [say.breach(p.colluders ?? 0), short(p.breach_predicted, 2)] : null,
    ].filter(Boolean).map(([k, v]) => el('div', {}, el('dt', {}, k), el('dd', {}, v))))) : '',
    of.spent.length ? part(say.spent,
      table(say.spent, [{ text: say.by }, { text: say.epsilon, number: true }, { text: say.delta, number: true }], of.spent.map((s) => [s.of, short(s.epsilon), short(s.delta)]))) : ''),
    of.told?.length ? part(say.told, points(of.told)) : '',
    part(say.outside, el('div', { class: 'prose' },
      table(say.outside, [{ text: say.what }, { text: say.tells }], of.outside.map((o) => [
        el('span', {}, o.what, el('br'), el('span', { class: 'quiet' }, say.seen(o.place, o.by))), o.tells || say.none])))),
  ].filter(Boolean);
}

const breach = (of) => of.protection?.breach_predicted;
const unlikely = 1e-6; // the probability of finding a part above which it is said to leave, as for the warning
const own = () => told.run?.status.name ?? told.model?.participant;

// differed reports whether sums, or components, have told something of this member alone.
const differed = () => ofPrivacy().some((w) => (['known', 'estimated', 'lone_rows'].includes(w.kind) && w.members?.includes(own())) || (w.kind === 'lone_rows' && !w.members));
const hidden = (of) => breach(of) != null && breach(of) <= unlikely && !differed();

function leaves(of) {
  const s = of.summary, p = breach(of), released = of.spent.find((b) => b.by === 'release');
  const group = (head, texts) => (texts?.length ? el('li', {}, el('strong', {}, head), points(texts.map(capital))) : null);
  return el('ul', { class: 'short' },
    group(say.open(s.most), s.open),
    group(say.sums(s.least, s.most), s.sums),
    s.sums?.length && p > unlikely ? el('li', {}, el('strong', {}, p < 1 ? say.likely(p, of.protection.colluders ?? 0) : say.bare(s.most))) : null,
    differed() ? el('li', {}, el('strong', {}, say.differed)) : null,
    s.values ? el('li', {}, el('strong', {}, say.values)) : null,
    released ? el('li', {}, el('strong', {}, say.released(released.epsilon, released.delta))) : null,
    s.open?.length || s.sums?.length ? group(say.network, s.network?.map((n) => say.networkTells(n.what, n.tells))) : el('li', {}, say.unknown));
}

function stays(of) {
  const s = of.summary;
  return el('ul', { class: 'short' },
    s.values ? null : el('li', {}, say.rows),
    s.sums?.length && hidden(of) ? el('li', {}, say.part(breach(of), of.protection.colluders ?? 0)) : null,
    s.sums?.length && hidden(of) && !s.open?.length ? el('li', {}, say.alone) : null,
    s.secret?.length ? el('li', {}, say.secret(s.secret)) : null,
    el('li', {}, say.rest));
}

const noise = (spends, seeded) => (spends.length
  ? [...spends.map((s) => el('p', {}, say.bounded(s))), el('p', {}, seeded ? el('strong', {}, say.seeded) : say.means(Math.max(...spends.map((s) => s.epsilon))))]
  : [el('p', {}, say.noNoise)]);
