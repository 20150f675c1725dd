// The view of scores: those of a file, or of a source as its rows come.

import { Lost, ask, get, lines, listen } from './api.js';
import { Chart, Values } from './chart.js';
import { el, renew, table } from './dom.js';
import { ending, join } from './events.js';
import { count, even, iso, seconds, short } from './format.js';
import { words } from './messages.js';
import { announce, name as nameOwner, trouble } from './shell.js';

const say = words.scores;
const mostLive = 20000; // rows of a source that are kept
const infinite = 1e300; // stands for no number in JSON, and is drawn a little above the others
const mostEvents = 200; // that are listed
const mostListed = 500; // rows in the table
const settled = 200; // milliseconds after which a threshold is no longer moved
const mostSensors = 5; // of a row
const mostNamed = 3; // sensors of the headline
const around = 30; // rows before and after an event whose values are shown
const mostAround = 200; // rows whose values are shown
const mostColumns = 60; // that are listed at once
const little = 0.01; // share of a sensor that does not matter
const mostFactor = 10; // from which on what is expected is too near to 0 for a factor to say much

/** @type {import('./shell.js').View} */
export const scores = { name: 'scores', title: say.title, mount: (root) => { new Scores(root); } };

class Scores {
  constructor(root) {
    this.root = root;
    this.model = null;
    this.asked = ''; // digest of the model that was asked for last
    this.clear();
    this.build();
    this.load();
  }

  // clear forgets all rows.
  clear() {
    clearTimeout(this.later); // it asks about rows that are gone
    this.rows = []; // as the server sent them
    this.numbers = [];
    this.values = [];
    this.events = [];
    this.above = [];
    this.chosen = null;
    this.traced = ''; // the event and the sensor whose values are shown
    this.what = ''; // the file or the source
    this.file = null;
    this.records = null; // of the file, the header first
    this.stop?.();
    this.stop = null;
  }

  build() {
    this.input = el('input', { type: 'file', id: 'file', accept: '.csv,text/csv', class: 'hidden', change: () => this.input.files[0] && this.open(this.input.files[0]) });
    this.sources = el('select', { id: 'source', disabled: true, 'aria-describedby': 'source-note', change: () => this.watch(this.sources.value) });
    this.message = el('div', { class: 'notice', role: 'alert', hidden: true });
    this.headline = el('p', { class: 'summary' });
    this.summary = el('p');
    this.reach = el('p');
    this.part = el('p', { class: 'quiet' });
    this.empty = el('div', { class: 'empty' });
    this.host = el('div', { class: 'chart', role: 'img' });
    this.pointed = el('p', { class: 'pointed', 'aria-hidden': 'true' });
    this.chart = new Chart(this.host, { y: say.score, threshold: short }, (i) => this.choose(i), (i) => this.point(i), () => this.look());
    this.slider = el('input', { type: 'range', id: 'threshold', min: 0, max: 1000, step: 1, 'aria-describedby': 'promise', input: () => this.slide() });
    this.exact = el('input', { type: 'number', id: 'exact', step: 'any', change: () => this.exact.value !== '' && this.limit(Number(this.exact.value)) });
    this.promise = el('p', { id: 'promise' });
    this.restore = el('button', { type: 'button', click: () => this.limit(this.given()) });
    this.list = el('div');
    this.why = el('div');
    this.courseTitle = el('h3');
    this.courseHost = el('div', { class: 'chart small', role: 'img' });
    this.courseTable = el('div');
    this.course = el('figure', { hidden: true }, this.courseTitle, this.courseHost,
      el('ul', { class: 'keys quiet', 'aria-label': say.keys }, el('li', { class: 'key-got' }, say.got), el('li', { class: 'key-expected' }, say.expected), el('li', { class: 'key-event' }, say.key.event)),
      el('details', {}, el('summary', {}, say.courseTable), this.courseTable));
    this.courses = new Values(this.courseHost);
    this.order = el('select', { id: 'order', change: () => this.tabulate() }, ...Object.entries(say.orders).map(([value, text]) => el('option', { value }, text)));
    this.listed = el('details', { class: 'listed', toggle: () => this.tabulate() }, el('summary', {}, say.listed),
      el('p', { class: 'chooser' }, el('label', { for: 'order' }, say.order), this.order), el('div'));
    const button = (text, then) => el('button', { type: 'button', click: then }, text);
    this.happened = el('section', { class: 'events' }, el('h2', {}, say.events), this.list);
    this.figure = el('figure', {},
      el('figcaption', {}, el('p', { class: 'quiet' }, say.meaning, ' ', el('span', { class: 'by-mouse' }, say.byMouse), el('span', { class: 'by-touch' }, say.byTouch)),
        el('div', { class: 'part' }, this.part, button(say.all, () => this.chart.zoom()))),
      this.host,
      el('ul', { class: 'keys quiet', 'aria-label': say.keys }, ...['anomaly', 'event', 'threshold', 'gap'].map((k) => el('li', { class: `key-${k}` }, say.key[k]))),
      el('div', { class: 'under' },
        el('div', { class: 'buttons', role: 'group', 'aria-label': say.view },
          button(say.closer, () => this.chart.move(0.5, 0)), button(say.wider, () => this.chart.move(2, 0)),
          button(say.earlier, () => this.chart.move(1, -0.5)), button(say.later, () => this.chart.move(1, 0.5))),
        this.pointed));
    this.content = el('div', { class: 'content', hidden: true },
      el('div', { class: 'told' }, this.headline, this.summary, this.reach),
      this.figure,
      el('section', {},
        el('h2', {}, say.why),
        el('div', { class: 'buttons' }, button(say.previous, () => this.step(-1)), button(say.next, () => this.step(1))),
        el('div', { class: 'pair' }, this.why, this.course)),
      el('section', { class: 'limit' },
        el('h2', {}, el('label', { for: 'threshold' }, say.threshold)),
        el('p', { class: 'quiet' }, say.thresholdNote),
        el('div', {}, this.slider, el('div', { class: 'ends quiet', 'aria-hidden': 'true' }, el('span', {}, say.more), el('span', {}, say.fewer))),
        el('div', { class: 'exact' }, el('label', { for: 'exact' }, say.exactly), this.exact, this.restore),
        this.promise,
        el('p', {}, el('a', { href: '#model' }, say.others))),
      this.listed);
    this.root.append(
      el('div', { class: 'toolbar' },
        el('div', { class: 'chooser' }, this.input, el('label', { for: 'file', class: 'button' }, say.choose), el('span', { class: 'quiet by-mouse' }, say.drop)),
        el('div', { class: 'chooser' }, el('label', { for: 'source' }, say.live), this.sources, el('span', { class: 'quiet', id: 'source-note' }, say.sourceNote))),
      this.message, this.empty, this.content);
    const narrow = matchMedia('(max-width: 40rem)'), arrange = () => (narrow.matches ? this.figure.before(this.happened) : this.figure.after(this.happened));
    narrow.addEventListener('change', arrange);
    arrange();
    addEventListener('dragover', (e) => { e.preventDefault(); document.body.classList.add('dropping'); });
    addEventListener('dragleave', (e) => e.relatedTarget || document.body.classList.remove('dropping'));
    addEventListener('drop', (e) => {
      e.preventDefault();
      document.body.classList.remove('dropping');
      if (e.dataTransfer.files[0]) {
        location.hash = '#scores';
        this.open(e.dataTransfer.files[0]);
      }
    });
  }

  async load() {
    try {
      const [model, sources] = await Promise.all([get('/v1/model'), get('/v1/sources')]);
      this.model = model;
      this.names = sources.map((s) => s.source);
      nameOwner(model.participant);
      trouble('');
    } catch (e) {
      trouble(e.message);
      setTimeout(() => this.load(), 3000);
      return;
    }
    this.threshold = this.given();
    this.offer();
    this.invite();
    this.hear('');
  }

  // refresh takes the server's new model, of a digest.
  async refresh(digest) {
    if (digest === this.model.digest || digest === this.asked) return;
    this.asked = digest;
    const moved = this.threshold !== this.given();
    try {
      this.model = await get('/v1/model');
    } catch (e) {
      trouble(e.message);
      return;
    }
    if (!moved) this.threshold = this.given();
    if (this.rows.length) {
      this.index();
      this.draw(false);
    }
  }

  // offer lists the sources.
  offer() {
    const chosen = this.sources.value;
    this.sources.replaceChildren(el('option', { value: '' }, this.names.length ? say.noSource : say.none),
      ...this.names.map((n) => el('option', { value: n }, n)));
    this.sources.value = chosen;
    this.sources.disabled = !this.names.length;
  }

  invite() {
    this.empty.replaceChildren(el('h2', {}, say.emptyTitle), el('p', {}, say.empty), el('ul', {}, ...say.forms.map((f) => el('li', {}, f))), this.needed(),
      el('details', {}, el('summary', {}, say.programs), el('p', {}, say.emptyLive),
        el('pre', { tabindex: 0, 'aria-label': say.emptyLive }, say.curl(location.origin, this.model.columns.slice(0, 2).map((c) => c.name)))));
  }

  // needed lists the columns of a file.
  needed() {
    return el('details', { open: this.model.columns.length <= mostColumns }, el('summary', {}, say.columns(this.model.columns.length)),
      this.header());
  }

  // header shows the header of a file, to be copied.
  header() {
    const cell = (name) => (/[",;\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name);
    const text = el('pre', { class: 'header', tabindex: 0, 'aria-label': say.header }, ['time', ...this.model.columns.map((c) => cell(c.name))].join(','));
    const copy = () => navigator.clipboard.writeText(text.textContent).then(() => announce(say.copied), () => getSelection().selectAllChildren(text));
    const units = this.model.columns.filter((c) => c.unit).map((c) => `${c.name}: ${c.unit}`);
    return el('div', { class: 'told' }, el('p', { class: 'chooser' }, say.header, el('button', { type: 'button', click: copy }, say.copy)), text,
      units.length ? el('p', { class: 'names' }, say.units(units)) : '');
  }

  // given is the threshold of the server, or if that rolls one with the same promise.
  given() {
    const { threshold, thresholds = [], false_alarms_promised: share } = this.model;
    return threshold ?? (thresholds.find((t) => t.false_alarms_promised <= (share ?? 0)) ?? thresholds.at(-1))?.threshold ?? null;
  }

  // hear listens to new sources, and to the scores of one of them unless its name is ''.
  hear(source) {
    this.stop?.();
    let queue = [], frame = 0;
    this.stop = listen(`/v1/scores?source=${encodeURIComponent(source)}`, '/v1/model', {
      began: ({ source: name }) => {
        if (this.names.includes(name)) return;
        this.names.push(name);
        this.names.sort();
        this.offer();
      },
      scored: (told) => {
        this.refresh(told.model);
        queue.push(...told.rows);
        frame ||= requestAnimationFrame(() => {
          frame = 0;
          const rows = queue;
          queue = [];
          this.add(rows);
        });
      },
    }, trouble);
  }

  // watch shows the scores of a source as they come.
  watch(source) {
    this.clear();
    this.input.value = '';
    this.complain(null);
    this.what = source;
    this.live = source !== '';
    this.content.hidden = true;
    this.empty.hidden = this.live;
    if (this.live) announce(say.waiting(source));
    else announce('');
    this.hear(source);
  }

  // add adds rows of a source that is watched.
  add(rows) {
    const before = this.events.length, first = this.rows.length === 0;
    if (this.rows.length && rows[0].row <= this.numbers[this.numbers.length - 1]) this.rows = []; // the series began anew
    this.rows = this.rows.concat(rows).slice(-mostLive);
    this.index();
    this.draw(first);
    if (first) announce(say.watching(this.what));
    if (!first && this.events.length > before) {
      const e = this.events[this.events.length - 1];
      announce(say.told(this.what, this.at(e.first)));
    }
  }

  // open scores a file.
  async open(file) {
    this.abort?.abort();
    const abort = this.abort = new AbortController();
    this.clear();
    this.sources.value = '';
    this.live = false;
    this.what = file.name;
    this.file = file;
    this.complain(null);
    this.content.hidden = true;
    this.empty.hidden = true;
    announce(say.scoring(file.name, 0));
    this.hear('');
    let told = 0, fault = null;
    const rows = [];
    try {
      const answer = await ask('/v1/score?explain=none', {
        method: 'POST', headers: { 'Content-Type': 'text/csv', Accept: 'application/x-ndjson' }, body: file, signal: abort.signal,
      });
      await this.refresh(answer.headers.get('Collabdict-Model'));
      await lines(answer, (row) => {
        if (row.error) {
          fault = row.error;
          return;
        }
        rows.push(row);
        if (rows.length - told >= 20000) announce(say.scoring(file.name, told = rows.length));
      });
    } catch (e) {
      if (abort.signal.aborted) return;
      fault = e.message;
    }
    if (abort.signal.aborted) return;
    this.rows = rows;
    if (fault || !rows.length) this.complain(say.failed(file.name), fault ? say.inFile(fault) : say.noRows, rows.length ? say.partly(rows.length) : this.needed());
    this.input.value = ''; // so that the same file can be chosen again
    if (!rows.length) {
      announce('');
      return;
    }
    this.index();
    this.draw(true);
  }

  complain(title, ...lines) {
    this.message.hidden = title === null;
    this.message.replaceChildren(...(title === null ? [] : [el('strong', {}, title), ...lines.filter(Boolean).map((l) => (l.nodeType ? l : el('p', {}, l)))]));
  }

  // index finds the places of all rows on the chart: times if all rows have one and these ascend.
  index() {
    this.numbers = this.rows.map((r) => r.row);
    this.values = this.rows.map((r) => r.score ?? null);
    this.gaps = this.rows.map((r, i) => i).filter((i) => this.values[i] == null);
    this.minutes = this.rows.every((r) => !parts(r.time)?.second);
    const times = this.rows.map((r) => seconds(r.time));
    this.times = times.every((t, i) => t > (i ? times[i - 1] : -Infinity));
    this.x = this.times ? times : this.numbers;
    const steps = Float64Array.from(times.slice(1), (t, i) => t - times[i]).sort();
    this.spacing = this.times ? steps[steps.length >> 1] ?? 0 : 0; // the median one in seconds, 0 if it is not known
    const finite = Float64Array.from(this.values.filter((v) => v != null && v < infinite)).sort();
    this.top = finite[finite.length - 1] ?? 1;
    const t = this.given() ?? this.top, middle = finite[finite.length >> 1] ?? 0;
    const last = this.model.thresholds?.at(-1)?.threshold ?? t;
    this.low = Math.min(middle, t);
    this.high = Math.max(last, t, Math.min(this.top, middle + 4 * Math.abs(t - middle)));
    if (!(this.high > this.low)) this.high = this.low + 1;
    if (this.threshold == null) this.threshold = this.high;
    this.judge();
  }

  // judge finds what is above the threshold.
  judge() {
    this.events = join(this.numbers, this.values, this.threshold, this.model.events);
    this.above = [];
    this.values.forEach((v, i) => v != null && v > this.threshold && this.above.push(i));
    this.scored = this.values.reduce((n, v) => n + (v != null), 0);
  }

  spans() {
    return this.events.map((e) => ({ from: this.x[e.first], to: this.x[e.last], chosen: this.holds(e) }));
  }

  // holds reports whether an event has the chosen row.
  holds(e) {
    return this.chosen != null && e.first <= this.chosen && this.chosen <= e.last;
  }

  draw(first) {
    this.empty.hidden = true;
    this.content.hidden = false;
    const most = 1.1 * Math.max(this.top, this.threshold, 1);
    this.chart.show({ x: this.x, scores: this.values.map((v) => (v >= infinite ? most : v)), times: this.times, threshold: this.threshold, spans: this.spans(), chosen: this.chosen });
    if (first) this.chart.zoom();
    this.tell(first);
    if (first) this.explain();
  }

  // limit sets the threshold.
  limit(t) {
    if (t == null || Number.isNaN(t)) return;
    this.threshold = t;
    this.judge();
    this.chart.change({ threshold: t, spans: this.spans() });
    this.tell(true);
  }

  slide() {
    const t = this.low + (this.high - this.low) * Number(this.slider.value) / 1000;
    this.limit(Number(t.toPrecision(4)));
  }

  // tell says in words and tables what the chart shows.
  tell(aloud) {
    const t = this.threshold;
    const summary = [say.scored(this.what, this.rows.length, this.above.length, this.events.length, this.events.reduce((n, e) => n + e.anomalies, 0)),
      this.gaps.length ? say.gaps(this.gaps.length, this.at(this.gaps[0])) : '',
      this.events.some((e) => this.ending(e) === 'end') ? say.goingOn(this.live) : '', this.zoneNote()].filter(Boolean).join(' ');
    this.summary.textContent = summary;
    this.restore.hidden = this.given() == null;
    this.restore.textContent = say.reset(short(this.given()));
    if (aloud) announce(summary, true);
    this.host.setAttribute('aria-label', say.described(this.scored, this.times ? say.overTime : say.overRows, this.top));
    this.slider.value = String(Math.round(1000 * (t - this.low) / (this.high - this.low)));
    this.slider.setAttribute('aria-valuetext', say.line(t));
    this.exact.value = String(Number(t.toPrecision(6)));
    const { threshold, false_alarms_promised: share } = this.model;
    const given = this.model.thresholds ?? (share && threshold != null ? [{ threshold, false_alarms_promised: share }] : []);
    const promised = given.filter((g) => g.threshold <= t).at(-1);
    const promise = given.length ? (promised ? say.promise(promised.false_alarms_promised) : say.noPromise) : say.noOwn;
    const expected = promised ? promised.false_alarms_promised * this.scored : Infinity;
    const { found } = this.model;
    this.reach.textContent = [found ? say.finds(found) : say.findsUnknown, this.events.length ? '' : say.noAllClear,
      promised ? say.rate(promised.false_alarms_promised, this.spacing) : ''].filter(Boolean).join(' ');
    this.promise.replaceChildren(promise, ' ', say.here(this.above.length, this.scored), ' ',
      this.above.length > expected ? `${say.tooMany(expected, this.above.length, this.blocks())} ` : '',
      this.model.threshold == null ? say.rolls : t === this.model.threshold ? '' : say.keep(this.exact.value));
    this.showEvents();
    this.look();
  }

  // blocks is the number of anomalies or groups of them with few normal rows between them.
  blocks() {
    return join(this.numbers, this.values, this.threshold, { anomalies: 1, of: 1, gap: this.model.events.gap }).length;
  }

  // look says which part of the chart is shown, and lists its rows.
  look() {
    if (!this.rows.length) return;
    const { min, max } = this.chart.shown(), last = this.rows.length - 1;
    const from = this.x.findIndex((x) => x >= min), to = this.x.findLastIndex((x) => x <= max);
    const all = say.span(this.at(0), this.at(last, 0));
    this.part.textContent = from === 0 && to === last ? say.whole(all) : from >= 0 && from <= to ? say.shows(say.span(this.at(from), this.at(to, from)), all) : say.between(all);
    this.tabulate();
  }

  // at says when a row was, without its zone, and without seconds if no row has any. After another time of the
  // same day, it leaves out the day.
  at(i, after) {
    const time = parts(this.rows[i].time);
    if (!time) return this.rows[i].time || say.row(this.numbers[i]);
    const clock = time.clock + (this.minutes ? '' : time.second || ':00');
    if (after !== undefined && parts(this.rows[after].time)?.day === time.day) return clock;
    return `${time.day} ${clock}`;
  }

  // zoneNote says which zone times are in, if they name one, or that the file's are shown as they are.
  zoneNote() {
    const time = parts(this.rows[0].time);
    return time ? say.zone(time.zone) : '';
  }

  showEvents() {
    this.tellHeadline();
    if (!this.events.length) {
      renew(this.list, el('p', { class: 'quiet' }, say.noEvents));
      return;
    }
    let shown = this.events;
    if (shown.length > mostEvents) {
      const least = shown.map((e) => this.values[e.peak]).sort((a, b) => b - a)[mostEvents - 1];
      shown = shown.filter((e) => this.values[e.peak] >= least).slice(0, mostEvents);
    }
    const whole = (i) => this.rows[i].time || null, units = this.units(), peaks = even(shown.map((e) => this.values[e.peak]));
    renew(this.list,
      this.model.events.further ? el('p', { class: 'quiet' }, say.further) : '',
      shown.length < this.events.length ? el('p', { class: 'quiet' }, say.eventsCut(shown.length, this.events.length)) : '',
      el('p', { class: 'quiet' }, say.ofPeak),
      table(say.events, [{ text: say.start }, { text: say.end }, { text: say.sensors }, { text: say.expected, number: true }, { text: say.got, number: true }, { text: say.anomalies, number: true }, { text: say.peak, number: true }],
        shown.map((e, i) => [
          el('button', { type: 'button', class: 'link', 'data-key': this.numbers[e.first], title: whole(e.first), 'aria-current': this.holds(e) ? 'true' : null, 'aria-label': say.show(this.at(e.first)), click: () => this.visit(e) },
            ...this.at(e.first).split(' ').flatMap((word) => [el('span', {}, word), ' '])),
          el('span', {}, el('span', { title: whole(e.last) }, this.at(e.last, e.first)), this.tellEnding(e)),
          el('span', { class: 'causes' }, this.tellCauses(e, units)), ...this.compared(e, units), count(e.anomalies), peaks[i],
        ])));
    clearTimeout(this.later);
    this.later = setTimeout(() => this.inquire(shown.map((e) => this.rows[e.peak])), settled);
  }

  // causes are the sensors that make the peak of an event an anomaly, or the one that deviates most.
  causes(e) {
    return causes(this.rows[e.peak]);
  }

  // ending says what comes after an event, as ending of events does.
  ending(e) {
    return ending(e, this.values, this.times ? this.x : null, this.spacing);
  }

  // tellEnding returns what is to be said about the end of an event, unless normal rows end it.
  tellEnding(e) {
    const how = this.ending(e);
    if (!how) return null;
    return el('span', { class: 'ending' }, how === 'end' ? (this.live ? say.goingLive : say.going) : say.cutOff[how](this.at(e.last + 1, e.last)));
  }

  // tellCauses names the sensors of an event, and says where the first of them went.
  tellCauses(e, units) {
    const [first, ...others] = this.causes(e);
    if (!first) return '–';
    const went = changes([first], units[first.sensor])[0];
    return [went ? say.went(first.sensor, went.text) : first.sensor, ...others.map((s) => s.sensor)].join(', ');
  }

  // compared returns what was expected of the first sensor of an event, and what it sent.
  compared(e, units) {
    const [first] = this.causes(e);
    return first ? pair(first, units[first.sensor]) : ['–', '–'];
  }

  units() {
    return Object.fromEntries(this.model.columns.map((c) => [c.name, c.unit]));
  }

  // tellHeadline says which sensors the events are about, how often, and how far they are from what is expected.
  tellHeadline() {
    const by = new Map();
    for (const e of this.events) for (const s of this.causes(e)) by.set(s.sensor, [...(by.get(s.sensor) ?? []), s]);
    const order = [...by].sort((a, b) => b[1].length - a[1].length);
    const units = this.units();
    const told = this.events.filter((e) => this.causes(e).length).length;
    this.headline.textContent = [
      told < this.events.length ? say.ofEvents(told, this.events.length) : '',
      ...order.slice(0, mostNamed).map(([sensor, found]) => say.headline(sensor, found.length, changes(found, units[sensor]))),
      order.length > mostNamed ? say.moreSensors(order.length - mostNamed) : '',
    ].filter(Boolean).join(' ');
    this.headline.hidden = !order.length;
  }

  // visit shows an event.
  visit(e) {
    const from = this.x[e.first], to = this.x[e.last], all = this.x[this.x.length - 1] - this.x[0];
    const room = Math.max((to - from) * 2, Math.min(all / 2, 40 * all / Math.max(1, this.x.length)));
    this.choose(e.peak);
    this.chart.zoom(from - room, to + room); // after what keeps the part that is shown
  }

  // step chooses the next row above the threshold, or the one before.
  step(by) {
    const from = this.chosen ?? (by > 0 ? -1 : this.rows.length);
    const next = by > 0 ? this.above.find((i) => i > from) : this.above.findLast((i) => i < from);
    if (next !== undefined) this.choose(next);
  }

  choose(i) {
    this.chosen = i;
    this.chart.change({ chosen: i, spans: this.spans() });
    this.showEvents();
    this.explain(true);
  }

  point(i) {
    const row = i == null ? null : this.rows[i];
    this.pointed.textContent = row && row.score != null ? say.pointed(row.row, row.time && this.at(i), row.score) : '';
  }

  // explain shows the sensors of the chosen row.
  explain(aloud) {
    const row = this.rows[this.chosen];
    this.trace();
    if (!row) {
      renew(this.why, el('p', { class: 'quiet' }, say.whyEmpty));
      return;
    }
    const peak = this.events.some((e) => e.peak === this.chosen);
    const title = say.whyRow(row.row, row.time && this.at(this.chosen), row.score, peak);
    const units = this.units();
    const notes = [row.missing?.length && say.missed(row.missing), row.outside?.length && say.outside(row.outside)].filter(Boolean);
    let explained = el('p', { class: 'quiet' }, say.unexplained);
    if (row.sensors?.length) {
      const list = (name, sensors) => table(name, [{ text: say.sensor }, { text: say.expected, number: true }, { text: say.got, number: true }, { text: say.shareOf, number: true }],
        sensors.map((s) => [
          el('span', {}, s.of ? `${s.sensor} (${s.of})` : s.sensor, ...(s.guilty ? [' ', el('span', { class: 'mark' }, say.guilty)] : [])),
          ...pair(s, units[s.sensor]),
          el('span', { class: 'share' }, el('progress', { max: 1, value: s.share, 'aria-hidden': 'true' }), el('span', {}, `${Math.round(100 * s.share)} %`)),
        ]));
      const matter = row.sensors.filter((s, i) => i === 0 || s.guilty || s.share >= little), others = row.sensors.filter((s) => !matter.includes(s));
      explained = el('div', { class: 'sensors' }, list(title, matter),
        others.length ? el('details', {}, el('summary', {}, say.otherSensors), list(say.otherSensors, others)) : '');
    } else if (this.file && !row.refused) {
      explained.textContent = say.asking;
      this.inquire([row]);
    }
    renew(this.why, el('p', { class: 'row' }, title), explained, ...notes.map((n) => el('p', { class: 'quiet' }, n)));
    if (aloud) announce(`${title} ${(row.sensors ?? []).filter((s) => s.guilty).map((s) => s.sensor).join(', ')}`, true);
  }

  // inquire asks the server to explain rows of the file. It sends them again: at once, or with a model of windows
  // each after those of its window.
  async inquire(rows) {
    const file = this.file;
    rows = rows.filter((r) => !r.sensors && !r.asked);
    if (!file || !rows.length) return;
    for (const r of rows) r.asked = true;
    try {
      this.records ??= records(await file.text());
      const before = Math.max(1, this.model.window ?? 1) - 1;
      for (const part of before ? rows.map((r) => [r]) : [rows]) {
        if (this.file !== file) return;
        (await this.ask(part, before, mostSensors)).forEach((told, i) => {
          if (told) part[i].sensors = told.sensors;
          else part[i].refused = true;
        });
      }
    } catch (e) {
      for (const r of rows) r.asked = false;
      if (e instanceof Lost) trouble(e.message);
      return;
    }
    if (this.file !== file) return;
    this.showEvents();
    this.tabulate();
    if (rows.includes(this.rows[this.chosen])) this.explain(true);
  }

  // ask has rows explained, the first of them after as many others, by a number of sensors or by all, 0. It returns
  // null for a row whose score is another now, as the rows of the file were counted otherwise.
  async ask(rows, before, top) {
    const first = rows[0].row;
    const sent = [this.records[0], ...this.records.slice(Math.max(1, first - before), first), ...rows.map((r) => this.records[r.row])];
    const answer = await ask(`/v1/score?explain=all&top=${top}`, {
      method: 'POST', headers: { 'Content-Type': 'text/csv', Accept: 'application/x-ndjson' }, body: `${sent.join('\n')}\n`,
    });
    const all = [];
    await lines(answer, (row) => all.push(row));
    const told = all.slice(all.length - rows.length);
    return rows.map((row, i) => {
      const [a, b] = [told[i]?.score ?? null, row.score ?? null];
      return a === b || Math.abs(a - b) <= 1e-6 * (1 + Math.abs(b)) ? told[i] : null;
    });
  }

  // trace shows the values of the sensor that makes the chosen event, and what was expected, from before the event
  // to after it. Only rows of a file can be sent again.
  async trace() {
    const e = this.events.find((e) => this.holds(e)), sensor = e && this.causes(e)[0]?.sensor;
    const wanted = this.file && sensor ? `${e.first} ${e.last} ${sensor}` : '';
    if (wanted === this.traced) return;
    this.traced = wanted;
    this.course.hidden = true;
    if (!wanted) return;
    const from = Math.max(0, e.first - around), to = Math.min(this.rows.length, e.last + 1 + around, from + mostAround);
    const rows = this.rows.slice(from, to);
    let told;
    try {
      this.records ??= records(await this.file.text());
      told = await this.ask(rows, Math.max(1, this.model.window ?? 1) - 1, 0);
    } catch (e) {
      if (e instanceof Lost) trouble(e.message);
      return;
    }
    if (this.traced !== wanted) return;
    const found = told.map((row) => row?.sensors?.find((s) => s.sensor === sensor && (!s.of || s.of === 'value')));
    if (!found.some((s) => s?.got != null)) return;
    const unit = this.model.columns.find((c) => c.name === sensor)?.unit;
    this.course.hidden = false;
    this.courseTitle.textContent = say.course(sensor, unit);
    this.courseHost.setAttribute('aria-label', say.courseDescribed(sensor, rows.length));
    const got = found.map((s) => s?.got ?? null), expected = found.map((s) => s?.expected ?? null);
    this.courses.show({ x: this.x.slice(from, to), got, expected, times: this.times, from: this.x[e.first], to: this.x[e.last] });
    const [gotTexts, expectedTexts] = [even(got, 5), even(expected, 5)];
    renew(this.courseTable, table(say.courseTable, [{ text: say.number, number: true }, { text: say.time }, { text: say.expected, number: true }, { text: say.got, number: true }],
      rows.map((row, i) => [count(row.row), row.time ? this.at(from + i) : '–', expectedTexts[i], gotTexts[i]])));
  }

  // tabulate lists the rows of the chart, if the table is open.
  tabulate() {
    if (!this.listed.open || !this.rows.length) return;
    const { min, max } = this.chart.shown();
    const all = this.values.map((v, i) => i).filter((i) => this.values[i] != null && this.x[i] >= min && this.x[i] <= max);
    const shown = (i) => Number(this.values[i].toPrecision(4)); // equal to four digits, which time orders
    const byTime = this.order.value === 'time';
    const order = (byTime ? all : all.toSorted((a, b) => shown(b) - shown(a))).slice(0, mostListed), written = even(order.map((i) => this.values[i]));
    renew(this.listed.lastElementChild, el('p', { class: 'quiet' }, say.listedCut(order.length, all.length, byTime)),
      table(say.listed, [{ text: say.number, number: true }, { text: say.time }, { text: say.score, number: true }, { text: say.anomaly }, { text: say.sensor }],
        order.map((i, j) => [count(this.numbers[i]), this.rows[i].time ? this.at(i) : '–', written[j], this.values[i] > this.threshold ? say.yes : say.no,
          causes(this.rows[i]).map((s) => s.sensor).join(', ') || '–'])));
  }
}

// parts returns the day, the clock, the seconds if these are not 0, and the zone of a time; null for another text.
function parts(text) {
  const m = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d(?:[.,]\d+)?)?\s*(.*)$/.exec(iso(text) ?? '');
  return m && { day: m[1], clock: m[2], second: /[1-9]/.test(m[3] ?? '') ? m[3] : '', zone: m[4] };
}

// causes are the sensors that make a row an anomaly, or the one that deviates most.
function causes({ sensors = [] }) {
  const guilty = sensors.filter((s) => s.guilty);
  return guilty.length ? guilty : sensors.slice(0, 1);
}

// pair returns what was expected of a sensor and what it sent, in as many decimals each.
function pair(s, unit) {
  const [expected, got] = even([s.expected, s.got], 5), named = (text) => (unit ? `${text} ${unit}` : text);
  return [s.expected == null ? say.unsure : named(expected), s.got == null ? say.missing : named(got)];
}

// changes says where a sensor went in events, up and down each, and in how many of them. Those without both numbers are
// left out.
function changes(found, unit) {
  const both = found.filter((s) => s.of !== 'deviation' && s.expected != null && s.got != null);
  const up = both.filter((s) => s.got > s.expected), down = both.filter((s) => s.got < s.expected);
  return [[up, say.roseTo, say.roseBy], [down, say.fellTo, say.fellBy]].filter(([some]) => some.length)
    .map(([some, to, by]) => ({ n: some.length, text: change(some, unit, to, by) }));
}

// change says how far a sensor went in one direction: to a factor of what was expected if that is large, or else by a
// difference. Where zero or negative numbers were expected or sent, it says both numbers.
function change(some, unit, to, by) {
  const of = (values) => [Math.min(...values), Math.max(...values)];
  const factors = of(some.map((s) => s.got / s.expected));
  if (!some.every((s) => s.got > 0 && s.expected > 0) || factors[1] > mostFactor || factors[0] < 1 / mostFactor) {
    return say.gotFor(of(some.map((s) => s.got)), of(some.map((s) => s.expected)), unit);
  }
  if (factors[0] >= 1.5 || factors[1] <= 0.67) return to(...factors);
  return by(...of(some.map((s) => Math.abs(s.got - s.expected))), unit);
}

// records returns the lines of a CSV file that have a record each; one in quotes may have several lines.
function records(text) {
  if (!text.includes('"')) return text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const all = [];
  let quotes = 0, open = '';
  for (const line of text.split(/\r?\n/)) {
    const whole = open === '' ? line : `${open}\n${line}`;
    quotes += (line.match(/"/g) ?? []).length;
    open = quotes % 2 ? whole : '';
    if (!open && whole.trim() !== '') all.push(whole);
  }
  return all;
}
