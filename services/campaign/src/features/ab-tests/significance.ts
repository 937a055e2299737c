// The arithmetic of test results. Pure functions, checked against published values in significance.test.ts.

import { abTestLooks } from '@tandem/campaign-contract';

/** The number of people who got a variant, and the number of them who did the action that is counted. */
export interface Sample {
  key: string;
  sent: number;
  count: number;
}

export type Method = 'z_test' | 'fisher_exact';

export interface Evaluation {
  /** The variant with the highest rate, the first one of equals; null before anybody got a variant. */
  leader: string | null;
  /** From 0 to 1, adjusted for the number of comparisons. */
  confidence: number;
  isSignificant: boolean;
  /** The method for the comparison of the leader with the variant that is most similar to it. */
  method: Method | null;
}

// Below this expected number in a cell the normal approximation is poor (Cochran, Biometrics 10, 1954, 417-451).
const expectedMin = 5;

/**
 * Compares the leader with every other variant. Because the data chooses the leader, each p-value is multiplied by the
 * number of all pairs of variants (Bonferroni; Dunn, Journal of the American Statistical Association 56, 1961, 52-64).
 */
export function evaluate(samples: readonly Sample[], required: number): Evaluation {
  const best = samples
    .filter(({ sent }) => sent > 0)
    .reduce<Sample | undefined>((top, one) => (top && rateOf(top) >= rateOf(one) ? top : one), undefined);
  if (!best) return { leader: null, confidence: 0, isSignificant: false, method: null };
  const pairs = (samples.length * (samples.length - 1)) / 2;
  const comparisons = samples.filter(({ key }) => key !== best.key).map((other) => compare(best, other));
  const hardest = comparisons.reduce((top, one) => (one.pValue > top.pValue ? one : top), {
    pValue: 0,
    method: 'z_test' as Method,
  });
  const confidence = 1 - Math.min(1, hardest.pValue * pairs);
  return { leader: best.key, confidence, isSignificant: confidence >= required, method: hardest.method };
}

// Haybittle (British Journal of Radiology 44, 1971, 793-797) and Peto et al. (British Journal of Cancer 34, 1976, 585-612)
// stop a trial before its end only if p is below 0.001: a fiftieth of the usual 0.05.
const earlyShare = 1 / 50;

/**
 * The confidence that a leader needs at a look. Each look before the end spends a fiftieth of the permitted error, and the
 * last one the rest, so all looks together find a difference by chance at most as often as `1 - confidence`, however much
 * their data overlap (Bonferroni).
 */
export function requiredAt(confidence: number, look: 'early' | 'last'): number {
  const share = look === 'early' ? earlyShare : 1 - (abTestLooks - 1) * earlyShare;
  return 1 - (1 - confidence) * share;
}

export function rateOf({ sent, count }: Pick<Sample, 'sent' | 'count'>): number {
  return sent === 0 ? 0 : count / sent;
}

/** The two-sided p-value for the difference of two proportions. */
export function compare(
  one: Pick<Sample, 'sent' | 'count'>,
  other: Pick<Sample, 'sent' | 'count'>,
): { pValue: number; method: Method } {
  const total = one.sent + other.sent;
  const counted = one.count + other.count;
  if (one.sent === 0 || other.sent === 0) return { pValue: 1, method: 'fisher_exact' };
  const smallest = (Math.min(one.sent, other.sent) * Math.min(counted, total - counted)) / total;
  if (smallest < expectedMin) return { pValue: fisherExact(one, other), method: 'fisher_exact' };
  return { pValue: 2 * (1 - normalCdf(Math.abs(zOf(one, other)))), method: 'z_test' };
}

/**
 * The statistic of the two-proportion z-test with a pooled proportion (NIST/SEMATECH e-Handbook of Statistical Methods,
 * 7.3.3).
 */
export function zOf(one: Pick<Sample, 'sent' | 'count'>, other: Pick<Sample, 'sent' | 'count'>): number {
  const pooled = (one.count + other.count) / (one.sent + other.sent);
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / one.sent + 1 / other.sent));
  return error === 0 ? 0 : (rateOf(one) - rateOf(other)) / error;
}

/**
 * The two-sided p-value of Fisher's exact test (Fisher, The Design of Experiments, 1935): the probability of all tables
 * with the same sums that are at most as probable as the observed one.
 */
export function fisherExact(one: Pick<Sample, 'sent' | 'count'>, other: Pick<Sample, 'sent' | 'count'>): number {
  const counted = one.count + other.count;
  const total = one.sent + other.sent;
  const logOf = (count: number) =>
    logChoose(one.sent, count) + logChoose(other.sent, counted - count) - logChoose(total, counted);
  // Tables that are equally probable differ in the last digits.
  const limit = logOf(one.count) + 1e-7;
  let sum = 0;
  for (let count = Math.max(0, counted - other.sent); count <= Math.min(one.sent, counted); count++) {
    const log = logOf(count);
    if (log <= limit) sum += Math.exp(log);
  }
  return Math.min(1, sum);
}

/** The score interval for a proportion (Wilson, Journal of the American Statistical Association 22, 1927, 209-212). */
export function wilsonInterval(
  { sent, count }: Pick<Sample, 'sent' | 'count'>,
  confidence: number,
): { low: number; high: number } {
  if (sent === 0) return { low: 0, high: 1 };
  const z = normalQuantile(1 - (1 - confidence) / 2);
  const rate = count / sent;
  const scale = 1 + z ** 2 / sent;
  const middle = (rate + z ** 2 / (2 * sent)) / scale;
  const half = (z / scale) * Math.sqrt((rate * (1 - rate)) / sent + z ** 2 / (4 * sent ** 2));
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

/** The standard normal distribution function, by the continued fraction and the series of the error function. */
export function normalCdf(z: number): number {
  const upper = upperTail(Math.abs(z));
  return z < 0 ? upper : 1 - upper;
}

/** The probability of a value above z, for z from 0: Abramowitz and Stegun, 26.2.10 (series) and 26.2.14 (fraction). */
function upperTail(z: number): number {
  const density = Math.exp(-(z ** 2) / 2) / Math.sqrt(2 * Math.PI);
  if (z > 3) {
    let fraction = z;
    for (let step = 60; step > 0; step--) fraction = z + step / fraction;
    return density / fraction;
  }
  let term = z;
  let sum = z;
  for (let step = 3; step < 120; step += 2) {
    term *= z ** 2 / step;
    sum += term;
  }
  return 0.5 - density * sum;
}

/** The inverse of the standard normal distribution function, by bisection. */
export function normalQuantile(probability: number): number {
  let [low, high] = [-10, 10];
  for (let step = 0; step < 80; step++) {
    const middle = (low + high) / 2;
    if (normalCdf(middle) < probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

function logChoose(n: number, k: number): number {
  return logFactorial(n) - logFactorial(k) - logFactorial(n - k);
}

/** Exact sums for small numbers, Stirling's series for others (Abramowitz and Stegun, 6.1.41). */
function logFactorial(n: number): number {
  if (n < 20) {
    let log = 0;
    for (let factor = 2; factor <= n; factor++) log += Math.log(factor);
    return log;
  }
  const x = n + 1;
  const series = 1 / (12 * x) - 1 / (360 * x ** 3) + 1 / (1260 * x ** 5);
  return (x - 0.5) * Math.log(x) - x + Math.log(2 * Math.PI) / 2 + series;
}
