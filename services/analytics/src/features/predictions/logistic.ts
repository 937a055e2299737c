import { CholeskyDecomposition, Matrix } from 'ml-matrix';
import { sigmoid } from './model.ts';

const iterationsMax = 100;
const tolerance = 1e-9;
const halvingsMax = 30;

/** Logistic regression of `outcomes` on the columns of `rows`. */
export interface Fit {
  intercept: number;
  weights: number[];
}

/**
 * Finds the maximum of the log-likelihood minus `penalty / 2` times the sum of the squared weights, by Newton's method. The
 * intercept has no penalty. Without a penalty, the outcomes must not be separable by the columns.
 */
export function fitLogistic(rows: readonly (readonly number[])[], outcomes: readonly boolean[], penalty: number): Fit {
  const size = (rows[0]?.length ?? 0) + 1;
  let weights = new Array<number>(size).fill(0);
  let loss = lossOf(rows, outcomes, { weights, penalty });
  for (let iteration = 0; iteration < iterationsMax; iteration++) {
    const step = newtonStep(rows, outcomes, { weights, penalty });
    let length = 1;
    let next = moved(weights, step, length);
    let nextLoss = lossOf(rows, outcomes, { weights: next, penalty });
    // A full step can overshoot; a shorter one in the same direction cannot, because the loss is convex.
    for (let halving = 0; nextLoss > loss && halving < halvingsMax; halving++) {
      length /= 2;
      next = moved(weights, step, length);
      nextLoss = lossOf(rows, outcomes, { weights: next, penalty });
    }
    if (nextLoss > loss) break;
    const largest = Math.max(...step.map((change) => Math.abs(change * length)));
    weights = next;
    loss = nextLoss;
    if (largest < tolerance) break;
  }
  const [intercept = 0, ...others] = weights;
  return { intercept, weights: others };
}

interface Point {
  weights: readonly number[];
  penalty: number;
}

function moved(weights: readonly number[], step: readonly number[], length: number): number[] {
  return weights.map((weight, index) => weight - length * (step[index] as number));
}

function logOddsOf(row: readonly number[], weights: readonly number[]): number {
  let sum = weights[0] as number;
  for (let column = 0; column < row.length; column++) sum += (row[column] as number) * (weights[column + 1] as number);
  return sum;
}

function lossOf(
  rows: readonly (readonly number[])[],
  outcomes: readonly boolean[],
  { weights, penalty }: Point,
): number {
  let loss = 0;
  rows.forEach((row, index) => {
    const logOdds = logOddsOf(row, weights);
    const margin = outcomes[index] ? logOdds : -logOdds;
    // log(1 + e^-margin) without overflow.
    loss += margin > 0 ? Math.log1p(Math.exp(-margin)) : -margin + Math.log1p(Math.exp(margin));
  });
  for (const weight of weights.slice(1)) loss += (penalty / 2) * weight * weight;
  return loss;
}

/** The inverse of the second derivatives times the gradient of the loss. */
function newtonStep(
  rows: readonly (readonly number[])[],
  outcomes: readonly boolean[],
  { weights, penalty }: Point,
): number[] {
  const size = weights.length;
  const gradient = new Array<number>(size).fill(0);
  const curvature = Matrix.zeros(size, size);
  const values = new Array<number>(size).fill(1);
  rows.forEach((row, index) => {
    const probability = sigmoid(logOddsOf(row, weights));
    const error = probability - (outcomes[index] ? 1 : 0);
    const spread = probability * (1 - probability);
    for (let column = 0; column < row.length; column++) values[column + 1] = row[column] as number;
    for (let i = 0; i < size; i++) {
      const value = values[i] as number;
      if (value === 0) continue;
      gradient[i] = (gradient[i] as number) + error * value;
      for (let j = 0; j <= i; j++) curvature.set(i, j, curvature.get(i, j) + spread * value * (values[j] as number));
    }
  });
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < i; j++) curvature.set(j, i, curvature.get(i, j));
    if (i === 0) continue;
    gradient[i] = (gradient[i] as number) + penalty * (weights[i] as number);
    curvature.set(i, i, curvature.get(i, i) + penalty);
  }
  // A column that the others determine has no weight of its own; without this, it would make the matrix singular.
  for (let i = 0; i < size; i++) curvature.set(i, i, curvature.get(i, i) + 1e-10);
  return new CholeskyDecomposition(curvature).solve(Matrix.columnVector(gradient)).getColumn(0);
}
