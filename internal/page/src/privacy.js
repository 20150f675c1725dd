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
    const warned = ofPrivacy(), key = JSON.stringify([told.privacy, warned, told.run?.status.name, told.run?.port, !told.run?.outcome, told.ended]);
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
    el('p', { class: 'summary' }, verdict(of)),
    high ? el('p', { class: 'notice' }, el('strong', {}, say.serious(high))) : '',
    warned.length ? '' : el('p', {}, say.noWarnings),
    el('div', { class: 'pair' }, part(say.leaves, leaves(of)), part(say.stays, stays(of))),
    part(say.noise, ...noise(of.summary)),
    warned.length ? part(say.warnings(warned.length), list(warned, own())) : '',
    el('div', { class: 'pair' },
      of.collusions ? part(say.collusion, ...collusion(of.collusions, p)) : '',
      p?.mode ? part(say.protection, el('dl', {}, ...[
        [say.mode, p.mode],
        p.chunks ? [say.chunks, String(p.chunks)] : null,
        p.threshold ? [say.threshold, String(p.threshold)] : null,
      ].filter(Boolean).map(([k, v]) => el('div', {}, el('dt', {}, k), el('dd', {}, v))))) : '',
      of.spent.length ? part(say.spent,
        table(say.spent, [{ text: say.by }, { text: say.epsilon, number: true }, { text: say.delta, number: true }], of.spent.map((s) => [s.of, short(s.epsilon), short(s.delta)]))) : ''),
    of.told?.length ? part(say.told, points(of.told)) : '',
    part(say.outside, el('div', { class: 'prose outside' },
      table(say.outside, [{ text: say.what }, { text: say.tells }, { text: say.pass }], of.outside.map((o) => [
        el('span', {}, o.what, el('br'), el('span', { class: 'quiet' }, say.seen(o.place, o.by))), o.tells || say.none, say.passes[o.pass] ?? '–'])))),
  ].filter(Boolean);
}

// verdict says in a sentence whether differential privacy limits what others can learn.
function verdict(of) {
  const { noise: spends = [], simulated, blur } = of.summary, at = (by) => of.spent.find((s) => s.by === by);
  const runs = at('noise'), releases = at('release'), own = spends.map((s) => s.epsilon);
  const earlier = runs && !own.some((e) => Math.abs(e - runs.epsilon) <= 1e-6 * e);
  const head = simulated ? say.simulation(own.length > 0, blur) : own.length ? say.limited(own) : say.unlimited;
  return say.verdict(head, [earlier ? say.spentBy.noise(runs.epsilon) : '', releases ? say.spentBy.release(releases.epsilon) : ''].filter(Boolean));
}

// collusion shows what numbers of other members recover together.
function collusion(numbers, p) {
  const all = numbers[numbers.length - 1].others;
  return [
    el('div', { class: 'prose' }, table(say.collusion, [{ text: say.colluders }, { text: say.recovered, number: true }],
      numbers.map((c) => [say.colluding(c.others, c.others === all, c.others === p.colluders), c.breach === 1 ? say.always : c.breach === 0 ? say.never : short(c.breach, 2)]))),
    el('p', {}, say.allOthers(all)),
  ];
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
    s.sums?.length && s.blur ? el('li', {}, say.blur(s.simulated)) : null,
    released ? el('li', {}, el('strong', {}, say.released(released.epsilon, released.delta))) : null,
    ...(s.open?.length || s.sums?.length ? outsideOf(s).map(([head, texts]) => group(head, texts)) : [el('li', {}, say.unknown)]),
    s.simulated ? null : el('li', {}, say.encrypted));
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

// outsideOf returns what the network and the machine tell, by who sees it. A simulation has neither.
function outsideOf(s) {
  if (s.simulated) return [];
  const now = told.run && !told.ended && !told.finished && !told.run.outcome;
  return [
    [say.network, (s.network ?? []).map((n) => say.networkTells(n.what, n.tells))],
    [say.port, [...(s.port ?? []), !now ? say.portIf : told.run.port ? say.portAt(told.run.port) : say.noPort]],
  ];
}

function noise({ noise: spends = [], simulated }) {
  if (!spends.length) return [el('p', {}, say.noNoise)];
  const bounds = spends.map((s) => el('p', {}, say.bounded(s, simulated)));
  return simulated ? [el('p', {}, el('strong', {}, say.seeded)), ...bounds] : [...bounds, el('p', {}, say.means(Math.max(...spends.map((s) => s.epsilon))))];
}
