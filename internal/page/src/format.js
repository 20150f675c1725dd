// Numbers and times, as people read them.

const whole = new Intl.NumberFormat('en');

/** Begins a text with a capital letter. @param {string} text @returns {string} */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** @param {number} n @returns {string} */
export const count = (n) => whole.format(n);

/**
 * Returns a number with few digits.
 *
 * @param {number|null|undefined} v
 * @param {number} [digits]
 * @returns {string}
 */
export function short(v, digits = 4) {
  if (v == null || Number.isNaN(v)) return '–';
  if (Math.abs(v) > 1e300) return v < 0 ? '−∞' : '∞';
  if (v !== 0 && (Math.abs(v) >= 1e6 || Math.abs(v) < 1e-4)) return Number(v.toPrecision(digits)).toExponential().replace('-', '−');
  return String(Number(v.toPrecision(digits))).replace('-', '−');
}

/**
 * Returns numbers of one column with as many decimals each, so that the largest has a number of digits. Those of a
 * million and more, and all if they are tiny, are written as by short.
 *
 * @param {(number|null|undefined)[]} values
 * @param {number} [digits]
 * @returns {string[]}
 */
export function even(values, digits = 4) {
  const most = values.reduce((size, v) => (Math.abs(v) < 1e6 ? Math.max(size, Math.abs(v)) : size), 0);
  const decimals = most > 0 ? Math.max(0, digits - 1 - Math.floor(Math.log10(most))) : 0;
  return values.map((v) => (v == null || !(Math.abs(v) < 1e6) || decimals > 6 ? short(v, digits) : v.toFixed(decimals).replace('-', '−')));
}

/** @param {number} share - from 0 to 1 @returns {string} */
export const percent = (share) => `${short(100 * share, 3)} %`;

/** @param {number} n @returns {string} */
export function bytes(n) {
  for (const [size, unit] of [[1e9, 'GB'], [1e6, 'MB']]) if (n >= size) return `${short(n / size, 3)} ${unit}`;
  return `${short(n / 1e3, 3)} kB`;
}

/** @param {number} ns - nanoseconds @returns {string} */
export function duration(ns) {
  const s = ns / 1e9;
  if (s < 1) return `${short(s * 1000, 2)} ms`;
  if (s < 60) return `${Math.round(s)} s`;
  const all = Math.round(s), h = Math.floor(all / 3600), m = Math.floor(all % 3600 / 60);
  return h ? `${count(h)} h ${m} min` : `${m} min ${all % 60} s`;
}

/** Returns a date and a time of day. @param {string} at @returns {string} */
export const moment = (at) => new Date(at).toLocaleString('sv-SE');

/** Returns the time of day. @param {string|number} at @returns {string} */
export const clock = (at) => new Date(at).toLocaleTimeString('en-GB');

/** Returns a time that begins with a date such as 7.11.2026 as one that begins with 2026-11-07. @param {string|undefined} text */
export const iso = (text) => text?.replace(/^(\d\d?)\.(\d\d?)\.(\d{4})(?!\d)/, (_, d, m, y) => `${y}-${m.padStart(2, '0')}-${d.padStart(2, '0')}`);

/**
 * Returns the seconds since 1970 of a time as it is written, whatever its zone; NaN for another text.
 *
 * @param {string|undefined} text
 * @returns {number}
 */
export function seconds(text) {
  const m = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d(?:\.\d+)?))?)?/.exec(iso(text) ?? '');
  if (!m) return NaN;
  return Date.UTC(+m[1], m[2] - 1, +m[3], +(m[4] ?? 0), +(m[5] ?? 0)) / 1000 + Number(m[6] ?? 0);
}
