import { fitLogistic } from './logistic.ts';

// The effect of a teaching method on grades: Spector and Mazzeo (1980), in Greene, Econometric Analysis. The columns are the
// grade point average, a test score, whether the method was used, and whether the grade improved.
const spector: [number, number, number, number][] = [
  ...([
    [2.66, 20, 0, 0],
    [2.89, 22, 0, 0],
    [3.28, 24, 0, 0],
    [2.92, 12, 0, 0],
  ] as [number, number, number, number][]),
  ...([
    [4, 21, 0, 1],
    [2.86, 17, 0, 0],
    [2.76, 17, 0, 0],
    [2.87, 21, 0, 0],
  ] as [number, number, number, number][]),
  ...([
    [3.03, 25, 0, 0],
    [3.92, 29, 0, 1],
    [2.63, 20, 0, 0],
    [3.32, 23, 0, 0],
  ] as [number, number, number, number][]),
  ...([
    [3.57, 23, 0, 0],
    [3.26, 25, 0, 1],
    [3.53, 26, 0, 0],
    [2.74, 19, 0, 0],
  ] as [number, number, number, number][]),
  ...([
    [2.75, 25, 0, 0],
    [2.83, 19, 0, 0],
    [3.12, 23, 1, 0],
    [3.16, 25, 1, 1],
  ] as [number, number, number, number][]),
  ...([
    [2.06, 22, 1, 0],
    [3.62, 28, 1, 1],
    [2.89, 14, 1, 0],
    [3.51, 26, 1, 0],
  ] as [number, number, number, number][]),
  ...([
    [3.54, 24, 1, 1],
    [2.83, 27, 1, 1],
    [3.39, 17, 1, 1],
    [2.67, 24, 1, 0],
  ] as [number, number, number, number][]),
  ...([
    [3.65, 21, 1, 1],
    [4, 23, 1, 1],
    [3.1, 21, 1, 0],
    [2.39, 19, 1, 1],
  ] as [number, number, number, number][]),
];

it('has the published coefficients without a penalty', () => {
  const rows = spector.map(([average, test, method]) => [average, test, method]);
  const { intercept, weights } = fitLogistic(
    rows,
    spector.map(([, , , improved]) => improved === 1),
    0,
  );
  expect(intercept).toBeCloseTo(-13.02135, 4);
  expect(weights[0]).toBeCloseTo(2.826113, 4);
  expect(weights[1]).toBeCloseTo(0.0951577, 4);
  expect(weights[2]).toBeCloseTo(2.378688, 4);
});

it('has the published coefficients of hours of study and passed exams', () => {
  const hours = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 1.75, 2, 2.25, 2.5, 2.75, 3, 3.25, 3.5, 4, 4.25, 4.5, 4.75, 5, 5.5];
  const passed = [0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1].map(Boolean);
  const { intercept, weights } = fitLogistic(
    hours.map((one) => [one]),
    passed,
    0,
  );
  expect([intercept, weights[0]]).toEqual([expect.closeTo(-4.0777, 3), expect.closeTo(1.5046, 3)]);
});

it('ends with finite weights when a column separates the outcomes, and shrinks them with the penalty', () => {
  const rows = Array.from({ length: 20 }, (_, index) => [index < 10 ? -1 : 1]);
  const outcomes = rows.map(([value]) => value === 1);
  const [weak, strong] = [0.1, 10].map((penalty) => fitLogistic(rows, outcomes, penalty).weights[0] as number);
  expect(weak).toBeGreaterThan(strong as number);
  expect(strong).toBeGreaterThan(0);
  expect(weak).toBeLessThan(10);
});

it('gives equal columns equal weights, and a constant one none', () => {
  const rows = Array.from({ length: 40 }, (_, index) => [index % 4, index % 4, 0]);
  const { weights } = fitLogistic(
    rows,
    rows.map(([value], index) => (value as number) + (index % 3) > 2),
    1,
  );
  expect(weights[0]).toBeCloseTo(weights[1] as number, 6);
  expect(weights[2]).toBe(0);
});
