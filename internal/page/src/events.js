// How anomalies of successive rows are joined to events, as the server and the command line do.

/**
 * @typedef {object} EventRules
 * @property {number} anomalies - that make an event
 * @property {number} of - successive rows that these are among
 * @property {number} gap - normal rows that two anomalies of an event may have between them
 *
 * @typedef {object} Event
 * @property {number} first - index of its first anomaly
 * @property {number} last
 * @property {number} peak - index of its highest score
 * @property {number} anomalies
 */

/**
 * Returns the events of rows, in their order.
 *
 * @param {number[]} rows - numbers of the rows, ascending
 * @param {(number|null)[]} scores
 * @param {number} threshold
 * @param {EventRules} rules
 * @returns {Event[]}
 */
export function join(rows, scores, threshold, rules) {
  const events = [];
  let going = null, recent = [], enough = false;
  for (let i = 0; i < rows.length; i++) {
    const score = scores[i];
    if (score == null || !(score > threshold)) continue;
    if (!going || rows[i] > rows[going.last] + rules.gap + 1) {
      going = { first: i, last: i, peak: i, anomalies: 0 };
      recent = [];
      enough = false;
    }
    going.last = i;
    going.anomalies++;
    if (score > scores[going.peak]) going.peak = i;
    recent.push(rows[i]);
    while (recent[0] <= rows[i] - rules.of) recent.shift();
    if (!enough && recent.length >= rules.anomalies) {
      enough = true;
      events.push(going);
    }
  }
  return events;
}

const longest = 3; // median steps in time, from which on rows are lacking between two

/**
 * Says what comes after the last anomaly of an event: 'end' of the data, a row without any number, 'empty', or a 'gap' in
 * time; '' for rows that end it.
 *
 * @param {Event} event
 * @param {(number|null)[]} scores
 * @param {number[]|null} times - in seconds, of the rows
 * @param {number} step - the median one in time
 * @returns {string}
 */
export function ending(event, scores, times, step) {
  const next = event.last + 1;
  if (next === scores.length) return 'end';
  if (scores[next] == null) return 'empty';
  return times && times[next] - times[event.last] > longest * step ? 'gap' : '';
}
