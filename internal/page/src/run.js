// The view of a run: its members, rounds and events.

import { Curve } from './curve.js';
import { el, renew, table } from './dom.js';
import { on, told } from './feed.js';
import { bytes, capital, clock, count, duration, moment, short } from './format.js';
import { ring } from './graph.js';
import { words } from './messages.js';
import { announce } from './shell.js';
import { complete, exposed, notable, list as warningList, ofPrivacy, ofRun, serious } from './warnings.js';

const say = words.run;
const mostListed = 500; // rounds in the table
const mostPrivate = 2; // warnings about privacy at the top
const mostPlain = 20; // members from which on they can be searched
const fine = ['summed', 'here'];
const gone = ['lost', 'out', 'away'];

/** @type {import('./shell.js').View} */
export const run = { name: 'run', title: say.title, mount: (root) => { const r = new Run(root); return () => r.draw(); } };

class Run {
  constructor(root) {
    this.root = root;
    this.wait = el('p', { class: 'quiet' }, words.loading);
    this.over = el('div', { class: 'notice', hidden: true });
    this.outcome = el('div', { class: 'outcome', hidden: true });
    this.find = el('input', { type: 'search', id: 'find', input: () => { this.states(told.run); announce(this.found.textContent, true); } });
    this.found = el('p', { class: 'quiet' });
    this.finder = el('div', { class: 'finder', hidden: true }, el('label', { for: 'find' }, say.find), this.find, this.found);
    this.private = el('div', { hidden: true });
    this.doing = el('p', { class: 'summary' });
    this.absent = el('p', { class: 'absent', hidden: true });
    this.back = el('p', { class: 'quiet', hidden: true });
    this.facts = el('dl');
    this.ring = el('figure');
    this.members = el('div');
    this.events = el('div');
    this.warnings = el('div', { class: 'warned' });
    this.curves = say.curves.map((c) => ({ ...c, ...this.curve(c) }));
    this.rounds = el('details', { class: 'listed', toggle: () => this.list() }, el('summary', {}, say.rounds), el('div'));
    this.content = el('div', { class: 'content', hidden: true },
      el('section', {}, this.outcome, this.over, this.private, this.doing, this.absent, this.back, this.facts),
      this.warnings,
      el('div', { class: 'pair' },
        el('section', {}, el('h2', {}, say.members), this.ring),
        el('section', {}, el('h2', {}, say.table), this.finder, this.members)),
      el('section', {}, el('h2', {}, say.course), el('div', { class: 'curves' }, ...this.curves.map((c) => c.figure)), this.rounds),
      el('section', {}, el('h2', {}, say.events), this.events));
    root.append(this.wait, this.content);
    on('run', () => this.draw());
    on('privacy', () => this.draw());
    on('waits', () => told.run && !this.root.hidden && this.states(told.run));
  }

  curve({ title, unit }) {
    const note = el('p', { class: 'quiet' });
    const host = el('div', { class: 'chart small', role: 'img' });
    const last = el('p', { class: 'quiet' });
    return { host, last, written: note, figure: el('figure', {}, el('figcaption', {}, el('h3', {}, title), note, last), host), plot: new Curve(host, say.round, unit === 'bytes' ? bytes : short, unit === 'count') };
  }

  draw() {
    const now = told.run;
    if (told.kept) this.wait.textContent = say.none;
    else if (told.late) this.wait.textContent = say.nothing;
    if (!now || this.root.hidden) return;
    this.wait.hidden = true;
    this.content.hidden = false;
    const { status } = now, ended = status.phase === 'ended';
    this.over.hidden = !told.ended || told.finished;
    if (told.ended) this.over.replaceChildren(el('p', {}, say.over), ...(now.folder && ['planned', undefined].includes(now.outcome?.ended) ? [el('p', {}, say.viewed), el('pre', { tabindex: 0 }, `collabdict view ${quoted(now.folder)}`)] : []));
    this.states(now);
    this.facts.replaceChildren(...facts(now, ended || !!now.outcome).map(([k, v]) => el('div', {}, el('dt', {}, k), el('dd', {}, v))));
    this.ended(now.outcome);
    this.warned(status);
    this.course();
    this.list();
    renew(this.events, told.events.length ? table(say.events, [{ text: say.time }, { text: say.after, number: true }, { text: say.event }],
      [...told.events].reverse().map((e) => [e.at ? el('time', { datetime: e.at }, clock(e.at)) : '–', count(e.round), e.kind === 'begun' ? say.phases[e.text] ?? e.text : e.kind === 'known' ? el('strong', {}, say.known(e.text)) : e.text])) : el('p', {}, say.noEvents));
  }

  // ended shows how the run has ended, and what to do next.
  ended(o) {
    this.outcome.hidden = !o;
    if (!o) return;
    const rounds = o.rounds || told.run.status.round, folder = o.folder && quoted(o.folder);
    const lines = {
      planned: () => [o.why ? say.leftOut(o.why) : '', o.converged ? say.converged : rounds > 1 ? say.lastRound(o.settled, o.last_gain) : ''],
      stopped: () => [folder ? say.saved : '', say.resumes],
    }[o.ended]?.() ?? [folder ? say.saved : '', told.run.log ? say.causeIn(told.run.log) : say.cause];
    const head = { planned: () => say.succeeded(o.members, o.all, rounds, o.converged), stopped: () => say.stopped(rounds) }[o.ended]?.() ?? say.failed(o.why);
    this.outcome.className = `outcome ${o.ended}`;
    this.outcome.replaceChildren(el('p', { class: 'summary' }, head), ...lines.filter(Boolean).map((l) => el('p', {}, l)),
      ...(folder ? [el('p', {}, say.next), el('pre', { tabindex: 0, 'aria-label': say.next }, say.commands(folder))] : []));
  }

  // warned shows the warnings that hold, and apart from these those that are solved.
  warned(status) {
    const { open, solved } = ofRun(), own = ofPrivacy(), kept = status.warned?.length ?? 0;
    const key = JSON.stringify([open, solved, own, status.warnings, told.run.outcome]);
    if (key === this.shown) return;
    this.shown = key;
    const private_ = notable(own);
    this.private.hidden = !private_.length;
    this.private.className = serious(own) ? 'notice' : 'outcome';
    renew(this.private, el('p', {}, el('strong', {}, say.private(private_.length, serious(own)))), warningList(private_.slice(0, mostPrivate), status.name),
      el('p', {}, el('a', { href: '#privacy', 'data-key': 'private' }, say.toPrivacy(private_.length > mostPrivate))));
    const parts = [];
    if (open.length) parts.push(el('h2', {}, say.warnings(open.length)), warningList(open, status.name));
    if (status.warnings > kept) parts.push(el('p', { class: 'quiet' }, say.earlier(kept, status.warnings, told.run.log)));
    if (solved.length) parts.push(el('details', { open: !!this.warnings.querySelector('details')?.open }, el('summary', { 'data-key': 'solved' }, say.solved(solved.length)), warningList(solved, status.name)));
    this.warnings.hidden = !parts.length;
    renew(this.warnings, ...parts);
  }

  // states shows where each member stands.
  states(now) {
    if (!now) return;
    const over = told.ended || now.status.phase === 'ended' || !!now.outcome; // then nobody is waited for
    const members = (now.members ?? []).map((m) => (over ? { ...m, waited: undefined } : m)), at = over ? Date.parse(now.status.at) : Date.now();
    const left = (m) => told.events.findLast((e) => e.kind === 'left' && e.member === m.name)?.at;
    const begun = (m) => m.waited ?? (fine.includes(m.state) ? undefined : left(m));
    const span = (m) => [clock(begun(m)), duration(Math.max(1, Math.floor((at - Date.parse(begun(m))) / 1000)) * 1e9)];
    const since = (m) => (begun(m) ? say.since(...span(m)) : '');
    const missed = members.filter((m) => !fine.includes(m.state) || m.waited);
    this.doing.hidden = !!now.outcome;
    this.doing.textContent = told.ended && !told.finished ? say.stood(now.doing) : capital(now.doing);
    this.doing.classList.toggle('ill', !now.healthy);
    this.absent.hidden = !missed.length;
    this.absent.replaceChildren(el('strong', {}, say.missed(missed.length, members.length)), ' ',
      missed.slice(0, 20).map((m) => (m.waited ? say.waited(m.name, since(m)) : say.who(m.name, say.states[m.state] ?? m.state, since(m)))).join('; '),
      missed.length > 20 ? say.more(missed.length - 20) : '', '.', ...shownOf(missed.filter((m) => gone.includes(m.state))));
    const back = members.filter((m) => fine.includes(m.state) && left(m));
    this.back.hidden = !back.length;
    this.back.replaceChildren(say.back(back.map((m) => m.name)), ...shownOf(back));
    const there = new Set(members.filter((m) => fine.includes(m.state)).map((m) => m.name));
    const edges = (now.status.node?.edges ?? []).filter((e) => there.has(e.a) && there.has(e.b)); // those of the last sum may have members that are lost since
    const key = JSON.stringify([edges, members.map((m) => [m.name, m.state, m.via, !!m.waited])]);
    if (key !== this.drawn) {
      this.drawn = key;
      this.ring.replaceChildren(...(members.length ? [ring(say.ring(members, edges, missed.length), members, edges), legend(members, edges)] : [el('p', {}, say.alone)]));
    }
    const wanted = this.find.value.trim().toLowerCase();
    const sorted = [...missed, ...members.filter((m) => !missed.includes(m))]
      .filter((m) => !wanted || m.name.toLowerCase().includes(wanted) || (m.waited ? say.states.waited : say.states[m.state] ?? m.state).includes(wanted));
    this.finder.hidden = members.length <= mostPlain;
    this.found.textContent = say.found(sorted.length, members.length);
    const columns = [
      { text: say.member, of: (m) => (m.own ? say.own(m.name) : m.name) },
      { text: say.state, of: (m) => el('span', { class: `state ${m.waited ? 'waited' : m.state}` }, `${say.states[m.state] ?? m.state}${m.reason ? `: ${m.reason}` : ''}`) },
      { text: say.sinceWhen, has: begun, of: (m) => say.at(...span(m)) },
      { text: say.via, if: 'via', of: (m) => m.via },
      { text: say.peer, if: 'peer', of: (m) => el('code', { class: 'digest', title: m.peer }, m.peer.slice(-8)) },
    ].map((c) => ({ has: (m) => (c.if ? m[c.if] : true), ...c })).filter((c) => members.some(c.has));
    renew(this.members, members.length ? table(say.table, columns, sorted.map((m) => columns.map((c) => (c.has(m) ? c.of(m) : '–')))) : el('p', {}, say.alone));
  }

  course() {
    const x = told.rounds.map((r) => r.round);
    for (const c of this.curves) {
      const y = told.rounds.map((r) => (c.of(r) ?? null));
      const known = y.filter((v) => v != null), any = known.length > 0 && (c.always || known.some((v) => v !== 0));
      c.figure.hidden = !any;
      if (!any) continue;
      const last = known[known.length - 1], write = c.unit === 'bytes' ? bytes : short;
      c.written.textContent = c.note(told.rounds[told.rounds.length - 1]);
      c.last.textContent = say.last(write(last));
      c.host.setAttribute('aria-label', say.described(c.title, known.length, write(known[0]), write(last)));
      c.plot.show(x, y);
    }
  }

  list() {
    if (!this.rounds.open) return;
    const shown = told.rounds.slice(-mostListed).reverse();
    renew(this.rounds.querySelector('div'),
      el('p', { class: 'quiet' }, say.listed(shown.length, told.rounds.length)),
      table(say.rounds, [{ text: say.round, number: true }, { text: say.time }, ...say.curves.map((c) => ({ text: c.title, number: true }))],
        shown.map((r) => [count(r.round), r.at ? clock(r.at) : '–', ...say.curves.map((c) => (c.of(r) == null ? '–' : c.unit === 'bytes' ? bytes(c.of(r)) : short(c.of(r), 6)))])));
  }
}

// shownOf says whether anything of the rows of members is known by their loss or return.
function shownOf(members) {
  const known = new Set(members.map((m) => m.name).filter((name) => exposed(name).length)), calm = members.filter((m) => !known.has(m.name));
  return [calm.length && complete() ? ` ${say.nothingKnown(calm.map((m) => m.name).slice(0, mostPlain), calm.length)}` : '', known.size ? ' ' : '', known.size ? el('strong', {}, say.somethingKnown([...known])) : ''];
}

const quoted = (path) => (/^[\w./~-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);

function facts(now, ended) {
  const { status } = now, { node } = status, rounds = told.rounds, last = rounds[rounds.length - 1];
  const sums = (now.members ?? []).filter((m) => m.state === 'summed').length;
  return [
    [say.done, status.rounds && !ended ? say.ofRounds(status.round, status.rounds) : count(status.round)],
    !now.members?.length ? null : [say.sums, say.ofMembers(sums, now.members.length)],
    ended || told.ended ? null : [say.finish, now.left ? say.left(duration(now.left), clock(Date.parse(status.at) + now.left / 1e6)) : say.unknown],
    node?.last_took ? [say.took, duration(node.last_took)] : null,
    node?.traffic?.bytes_sent ? [say.sent, say.messages(bytes(node.traffic.bytes_sent), node.traffic.messages_sent)] : null,
    node?.traffic?.bytes_received ? [say.received, say.messages(bytes(node.traffic.bytes_received), node.traffic.messages_received)] : null,
    last?.virtual ? [say.virtual, duration(last.virtual)] : null,
    [say.model, status.model],
    status.run ? [say.id, el('code', { class: 'digest', title: status.run }, status.run.slice(0, 16))] : null,
    status.began && !status.began.startsWith('0001') ? [say.began, el('time', { datetime: status.began }, moment(status.began))] : null,
  ].filter((f) => f && f[1]);
}

function legend(members, edges) {
  const states = [...new Set(members.map((m) => (m.waited ? 'waited' : m.state)))];
  const parts = states.map((s) => el('li', { class: `state ${s}` }, say.legend(say.states[s] ?? s, say.meanings[s] ?? '')));
  if (told.run.status.phase === 'ended') parts.push(el('li', { class: 'quiet' }, say.noEdges));
  if (edges.length) parts.push(el('li', { class: 'key edges' }, say.exchange(edges.length)));
  if (members.some((m) => m.via)) parts.push(el('li', { class: 'key relays' }, say.relay));
  return el('figcaption', {}, el('ul', { class: 'legend' }, ...parts));
}
