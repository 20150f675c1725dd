// Numbers and times, as people read them.

const whole = new Intl.NumberFormat('en');

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
  if (v !== 0 && (Math.abs(v) >= 1e6 || Math.abs(v) < 1e-4)) return v.toExponential(digits - 1).replace('-', '−');
  return String(Number(v.toPrecision(digits))).replace('-', '−');
}

/** @param {number} share - from 0 to 1 @returns {string} */
export const percent = (share) => `${short(100 * share, 3)} %`;

/**
 * Returns the seconds since 1970 of a time as it is written, whatever its zone; NaN for another text.
 *
 * @param {string|undefined} text
 * @returns {number}
 */
export function seconds(text) {
  const m = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d(?:\.\d+)?))?)?/.exec(text ?? '');
  if (!m) return NaN;
  return Date.UTC(+m[1], m[2] - 1, +m[3], +(m[4] ?? 0), +(m[5] ?? 0)) / 1000 + Number(m[6] ?? 0);
}
