/** A predicted probability with what happened. */
export interface Outcome {
  probability: number;
  converted: boolean;
}

/**
 * The part of pairs of a converted and a lost lead in which the converted one has the higher probability; pairs with equal
 * ones count half (Mann-Whitney). Null if there are only converted or only lost leads.
 */
export function aucOf(outcomes: readonly Outcome[]): number | null {
  const sorted = [...outcomes].sort((one, other) => one.probability - other.probability);
  const converted = sorted.filter((one) => one.converted).length;
  const lost = sorted.length - converted;
  if (!converted || !lost) return null;
  let rankSum = 0;
  for (let first = 0; first < sorted.length; ) {
    let next = first + 1;
    while (next < sorted.length && sorted[next]?.probability === sorted[first]?.probability) next++;
    const rank = (first + 1 + next) / 2;
    for (const one of sorted.slice(first, next)) if (one.converted) rankSum += rank;
    first = next;
  }
  return (rankSum - (converted * (converted + 1)) / 2) / (converted * lost);
}

/** The standard error of an AUC (Hanley and McNeil, 1982). */
export function aucError(auc: number, converted: number, lost: number): number {
  const one = auc / (2 - auc);
  const two = (2 * auc * auc) / (1 + auc);
  const variance = auc * (1 - auc) + (converted - 1) * (one - auc * auc) + (lost - 1) * (two - auc * auc);
  return Math.sqrt(Math.max(0, variance) / (converted * lost));
}

/** The mean of the squared differences between the probability and what happened: 0 is perfect. */
export function brierOf(outcomes: readonly Outcome[]): number {
  const errors = outcomes.map(({ probability, converted }) => (probability - (converted ? 1 : 0)) ** 2);
  return meanOf(errors);
}

const deciles = 10;

/** The outcomes in ten groups of equal size by probability, fewer if there are fewer outcomes: predicted and observed. */
export function calibrationOf(outcomes: readonly Outcome[]) {
  const sorted = [...outcomes].sort((one, other) => one.probability - other.probability);
  const groups = Math.min(deciles, sorted.length);
  return Array.from({ length: groups }, (_, index) => {
    const from = Math.floor((index * sorted.length) / groups);
    const group = sorted.slice(from, Math.floor(((index + 1) * sorted.length) / groups));
    return {
      leads: group.length,
      predicted: meanOf(group.map(({ probability }) => probability)),
      observed: meanOf(group.map(({ converted }) => (converted ? 1 : 0))),
    };
  });
}

export function meanOf(values: readonly number[]): number {
  return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : 0;
}
