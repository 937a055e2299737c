import { abTestLooks } from '@tandem/campaign-contract';
import {
  compare,
  evaluate,
  fisherExact,
  normalCdf,
  normalQuantile,
  requiredAt,
  wilsonInterval,
  zOf,
} from './significance.ts';

const of = (count: number, sent: number) => ({ key: `${count}/${sent}`, count, sent });

describe('the normal distribution', () => {
  // Abramowitz and Stegun, table 26.1.
  it.each([
    [0, 0.5],
    [1, 0.841344746068543],
    [1.96, 0.97500210485178],
    [3, 0.99865010196837],
    [4, 0.999968328758167],
    [-2, 0.022750131948179],
  ])('has at %d the probability of the table', (z, probability) => {
    expect(normalCdf(z)).toBeCloseTo(probability, 12);
  });

  it.each([
    [0.975, 1.959963984540054],
    [0.95, 1.644853626951473],
    [0.995, 2.575829303548901],
  ])('has the quantile of %d', (probability, z) => {
    expect(normalQuantile(probability)).toBeCloseTo(z, 9);
  });
});

it('the z-test gives the published statistic of a poll: 351 of 605 against 41 of 195', () => {
  // Pennsylvania State University, STAT 415, lesson 9.4: z = 8.99.
  expect(zOf(of(351, 605), of(41, 195))).toBeCloseTo(8.99, 2);
  expect(compare(of(351, 605), of(41, 195))).toEqual({ method: 'z_test', pValue: expect.any(Number) });
  expect(compare(of(351, 605), of(41, 195)).pValue).toBeLessThan(1e-4);
});

describe('the exact test', () => {
  it.each<[string, number, number, number, number, number]>([
    // Agresti, Categorical Data Analysis: Fisher's tea taster.
    ['the tea taster', 3, 4, 1, 4, 0.4857142857],
    // The documentation of SciPy's fisher_exact: 8 and 2 of the Atlantic, 1 and 5 of the Indian Ocean.
    ['whales and sharks', 8, 9, 2, 7, 0.034965035],
  ])('gives the published value of %s', (_, count, sent, otherCount, otherSent, pValue) => {
    expect(fisherExact(of(count, sent), of(otherCount, otherSent))).toBeCloseTo(pValue, 9);
  });

  it('is used for small numbers, also if one group is large', () => {
    expect(compare(of(3, 4), of(1, 4)).method).toBe('fisher_exact');
    const { method, pValue } = compare(of(2, 200_000), of(0, 190_000));
    expect(method).toBe('fisher_exact');
    // With two people altogether: (200,000 / 390,000)^2 and the equally or less probable other side.
    expect(pValue).toBeCloseTo(0.5, 2);
  });
});

it.each([
  // Newcombe, Statistics in Medicine 17 (1998), 857-872, table I, method 3.
  [81, 263, 0.2553, 0.3662],
  [15, 148, 0.0624, 0.1605],
  [0, 20, 0, 0.1611],
  [1, 29, 0.0061, 0.1718],
])('the interval of %d of %d is that of the table', (count, sent, low, high) => {
  const interval = wilsonInterval({ count, sent }, 0.95);
  expect(interval.low).toBeCloseTo(low, 4);
  expect(interval.high).toBeCloseTo(high, 4);
});

describe('the evaluation of a test', () => {
  it('has no leader before anybody got a variant', () => {
    expect(evaluate([of(0, 0), { ...of(0, 0), key: 'b' }], 0.95)).toEqual({
      leader: null,
      confidence: 0,
      isSignificant: false,
      method: null,
    });
  });

  it('names the leader, and calls it significant from the demanded confidence on', () => {
    const samples = [
      { key: 'a', sent: 500, count: 100 },
      { key: 'b', sent: 500, count: 130 },
    ];
    const { leader, confidence, isSignificant } = evaluate(samples, 0.95);
    expect([leader, isSignificant]).toEqual(['b', true]);
    // z = 0.06 / sqrt(0.23 * 0.77 * 2 / 500) = 2.2543.
    expect(confidence).toBeCloseTo(1 - 0.02418, 4);
    expect(evaluate(samples, 0.99).isSignificant).toBe(false);
  });

  it('demands more of the leader of several variants', () => {
    const two = [
      { key: 'a', sent: 500, count: 100 },
      { key: 'b', sent: 500, count: 130 },
    ];
    const three = [...two, { key: 'c', sent: 500, count: 60 }];
    const [of2, of3] = [evaluate(two, 0.95), evaluate(three, 0.95)];
    expect(1 - of3.confidence).toBeCloseTo(3 * (1 - of2.confidence), 9);
    expect(of3.isSignificant).toBe(false);
  });

  it('is not significant while a variant has nobody', () => {
    const samples = [
      { key: 'a', sent: 500, count: 100 },
      { key: 'b', sent: 0, count: 0 },
    ];
    expect(evaluate(samples, 0.8)).toMatchObject({ leader: 'a', confidence: 0, isSignificant: false });
  });
});

describe('all looks at a test together', () => {
  it('need at an early look the 0.001 of Haybittle and Peto, and spend the permitted error once', () => {
    expect(1 - requiredAt(0.95, 'early')).toBeCloseTo(0.001, 12);
    const spent = (abTestLooks - 1) * (1 - requiredAt(0.95, 'early')) + (1 - requiredAt(0.95, 'last'));
    expect(spent).toBeCloseTo(0.05, 12);
  });

  /** Mulberry32: a generator of numbers from 0 to below 1 with a seed. */
  function seeded(seed: number): () => number {
    let state = seed;
    return () => {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    };
  }

  /** Whether one of the looks at a test finds a winner among variants with these rates. */
  function findsWinner(rates: readonly number[], perLook: number, random: () => number): boolean {
    const samples = rates.map((_, index) => ({ key: String(index), sent: 0, count: 0 }));
    for (let look = 1; look <= abTestLooks; look++) {
      for (const [index, sample] of samples.entries())
        for (let person = 0; person < perLook; person++) {
          sample.sent++;
          if (random() < (rates[index] as number)) sample.count++;
        }
      const required = requiredAt(0.95, look === abTestLooks ? 'last' : 'early');
      if (evaluate(samples, required).isSignificant) return true;
    }
    return false;
  }

  const share = (rates: readonly number[], perLook: number, runs: number) => {
    const random = seeded(20_261_125);
    let found = 0;
    for (let run = 0; run < runs; run++) if (findsWinner(rates, perLook, random)) found++;
    return found / runs;
  };

  it.each([
    ['two variants', [0.2, 0.2], 60],
    ['two variants with rare clicks, which the exact test compares', [0.02, 0.02], 20],
    ['five variants', [0.2, 0.2, 0.2, 0.2, 0.2], 40],
  ])('find a winner among equal ones in at most 5 %% of tests: %s', (_, rates, perLook) => {
    expect(share(rates, perLook, 10_000)).toBeLessThanOrEqual(0.05);
  });

  it('find a variant that is clearly better', () => {
    expect(share([0.2, 0.3], 60, 300)).toBeGreaterThan(0.9);
  });
});
