import { aucError, aucOf, brierOf, calibrationOf, type Outcome } from './metrics.ts';

const outcomes = (...pairs: [number, 0 | 1][]): Outcome[] =>
  pairs.map(([probability, converted]) => ({ probability, converted: converted === 1 }));

/** The definition: all pairs compared one by one. */
function pairwise(all: Outcome[]): number {
  const [won, lost] = [all.filter((one) => one.converted), all.filter((one) => !one.converted)];
  const points = won.flatMap((a) =>
    lost.map((b) => (a.probability > b.probability ? 1 : a.probability === b.probability ? 0.5 : 0)),
  );
  return points.reduce((sum: number, point) => sum + point, 0) / points.length;
}

it('compares all pairs, and counts ties half', () => {
  expect(aucOf(outcomes([0.9, 1], [0.1, 0]))).toBe(1);
  expect(aucOf(outcomes([0.1, 1], [0.9, 0]))).toBe(0);
  expect(aucOf(outcomes([0.5, 1], [0.5, 0], [0.5, 1], [0.5, 0]))).toBe(0.5);
  expect(aucOf(outcomes([0.8, 1], [0.5, 1], [0.5, 0], [0.2, 0]))).toBe(0.875);
  expect(aucOf(outcomes([0.8, 1]))).toBeNull();
  let seed = 7;
  const next = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed;
  };
  for (let round = 0; round < 20; round++) {
    const all = Array.from({ length: 40 }, () => ({ probability: (next() % 9) / 9, converted: next() % 3 === 0 }));
    expect(aucOf(all)).toBeCloseTo(pairwise(all), 12);
  }
});

it('has the error of an AUC, the Brier score and deciles', () => {
  expect(aucError(0.8, 50, 50)).toBeCloseTo(0.0444, 3);
  expect(brierOf(outcomes([0.8, 1], [0.4, 0]))).toBeCloseTo((0.04 + 0.16) / 2, 12);
  const all = Array.from({ length: 25 }, (_, n) => ({ probability: n / 25, converted: n >= 20 }));
  const table = calibrationOf(all);
  expect(table.map(({ leads }) => leads).reduce((a, b) => a + b)).toBe(25);
  expect([table.length, table[0]?.observed, table[9]?.observed]).toEqual([10, 0, 1]);
  expect(table[9]?.predicted).toBeCloseTo((22 + 23 + 24) / 75, 12);
});
