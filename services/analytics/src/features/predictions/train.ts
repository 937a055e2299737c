import { fitLogistic } from './logistic.ts';
import { aucError, aucOf, brierOf, calibrationOf, meanOf, type Outcome } from './metrics.ts';
import { type Model, probabilityOf, type Row } from './model.ts';
import { rulesModel } from './rules.ts';

/** A lead with a known outcome, as it was before that. */
export interface Sample {
  leadId: number;
  converted: boolean;
  row: Row;
}

// Weights of standardised columns rarely exceed 2, so this changes little with hundreds of leads, and stays cautious with 50.
const penalty = 1;
const sourcesMax = 10;
// Rarer sources would be learned from single leads.
const sourceMin = 5;
const heldOutEvery = 5;
/** How much of the normal distribution lies above: 95 percent. */
const confidence = 1.645;

export type Training = ReturnType<typeof trainModel>;

/** Learns a model from four fifths of the leads, and measures it and the rules with the others. */
export function trainModel(samples: readonly Sample[]) {
  const { training, heldOut } = split(samples);
  const model = learn(training);
  const ofModel = predicted(model, heldOut);
  const auc = aucOf(ofModel);
  const meanOfTraining = meanOf(training.map(asNumber));
  const rulesAuc = aucOf(predicted(rulesModel, heldOut));
  const converted = heldOut.filter((one) => one.converted).length;
  const error = auc === null ? null : aucError(auc, converted, heldOut.length - converted);
  return {
    model,
    metrics: {
      samples: samples.length,
      converted: samples.filter((one) => one.converted).length,
      trainingSamples: training.length,
      heldOutSamples: heldOut.length,
      auc,
      aucError: error,
      rulesAuc,
      brier: brierOf(ofModel),
      // Of the prediction that every lead has the mean probability.
      baselineBrier: brierOf(heldOut.map((one) => ({ ...one, probability: meanOfTraining }))),
    },
    calibration: calibrationOf(ofModel),
    reason: reasonAgainst({ auc, error, rulesAuc }),
  };
}

interface Comparison {
  auc: number | null;
  error: number | null;
  rulesAuc: number | null;
}

/** Why a model must not be used; null if it may be. */
function reasonAgainst({ auc, error, rulesAuc }: Comparison): string | null {
  if (auc === null || error === null || rulesAuc === null) return 'The held-out leads have only one outcome';
  if (auc < rulesAuc) return `On held-out leads its AUC is ${round(auc)}, below the ${round(rulesAuc)} of the rules`;
  if (auc - confidence * error <= 0.5)
    return `On held-out leads its AUC of ${round(auc)} cannot be told from chance, which is 0.5`;
  return null;
}

const round = (value: number) => Math.round(value * 1_000) / 1_000;
const asNumber = ({ converted }: { converted: boolean }) => Number(converted);

function predicted(model: Model, samples: readonly Sample[]): Outcome[] {
  return samples.map(({ row, converted }) => ({ probability: probabilityOf(model, row), converted }));
}

/**
 * Holds out a fifth of the converted and of the lost leads: those with the lowest hashes of their ids, so that a lead mostly
 * stays on its side when the model is trained again.
 */
function split(samples: readonly Sample[]) {
  const sides = { training: [] as Sample[], heldOut: [] as Sample[] };
  for (const outcome of [true, false]) {
    const ofOutcome = samples
      .filter(({ converted }) => converted === outcome)
      .sort((one, other) => hashOf(one.leadId) - hashOf(other.leadId) || one.leadId - other.leadId);
    const held = Math.floor(ofOutcome.length / heldOutEvery);
    sides.heldOut.push(...ofOutcome.slice(0, held));
    sides.training.push(...ofOutcome.slice(held));
  }
  return sides;
}

/** Mixes the bits of an id (the finalizer of MurmurHash3). */
function hashOf(id: number): number {
  let hash = (id ^ Math.floor(id / 2 ** 32)) | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function learn(samples: readonly Sample[]): Model {
  const columns = columnsOf(samples).map((name) => scaled(name, samples));
  const varying = columns.filter(({ deviation }) => deviation > 0);
  const rows = samples.map(({ row }) =>
    varying.map(({ name, mean, deviation }) => {
      const value = valueIn(row, name);
      return value === null ? 0 : (value - mean) / deviation;
    }),
  );
  const { intercept, weights } = fitLogistic(
    rows,
    samples.map(({ converted }) => converted),
    penalty,
  );
  return {
    base: intercept,
    columns: varying.map(({ deviation, ...column }, index) => {
      return { ...column, weight: (weights[index] as number) / deviation };
    }),
  };
}

/** The columns of the samples; of the sources only the most frequent ones. */
function columnsOf(samples: readonly Sample[]): string[] {
  const counts = new Map<string, number>();
  for (const { row } of samples) for (const name of Object.keys(row)) counts.set(name, (counts.get(name) ?? 0) + 1);
  const isSource = ([name]: [string, number]) => name.startsWith('source:');
  const sources = [...counts]
    .filter((entry) => isSource(entry) && entry[1] >= sourceMin)
    .sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))
    .slice(0, sourcesMax);
  return [...sources, ...[...counts].filter((entry) => !isSource(entry))].map(([name]) => name);
}

function valueIn(row: Row, name: string): number | null {
  return name in row ? (row[name] as number | null) : 0;
}

function scaled(name: string, samples: readonly Sample[]) {
  const known = samples.map(({ row }) => valueIn(row, name)).filter((value) => value !== null);
  const mean = meanOf(known);
  const variance = meanOf(known.map((value) => (value - mean) ** 2));
  // Differences that only rounding makes are none.
  const min = known.reduce((least, value) => Math.min(least, value), Infinity);
  const max = known.reduce((most, value) => Math.max(most, value), -Infinity);
  return { name, mean, min, max, deviation: variance < 1e-12 ? 0 : Math.sqrt(variance) };
}
