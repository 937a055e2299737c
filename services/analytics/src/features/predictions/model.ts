import { z } from 'zod';

/**
 * A logistic model: the log-odds of a lead are `base` plus `weight × (value − mean)` of each column (columns.ts). The part of an
 * unknown value is 0. A value outside of `min` and `max`, between which the model has learned, counts as the nearest one: nothing is
 * known beyond. The model is stored as it is, and has no personal data.
 */
export const Model = z.object({
  base: z.number(),
  columns: z.array(
    z.object({
      name: z.string(),
      weight: z.number(),
      mean: z.number(),
      min: z.number().optional(),
      max: z.number().optional(),
    }),
  ),
});
export type Model = z.output<typeof Model>;

/** The values of a lead by column; null if a value is not known. */
export type Row = Readonly<Record<string, number | null>>;

/** The part of each column in the log-odds of a lead. Together with `base` they are the log-odds. */
export function partsOf({ columns }: Model, row: Row): Map<string, number> {
  return new Map(
    columns.map(({ name, weight, mean, min = -Infinity, max = Infinity }) => {
      const value = name in row ? (row[name] as number | null) : 0;
      return [name, value === null ? 0 : weight * (Math.min(Math.max(value, min), max) - mean)];
    }),
  );
}

export function probabilityOf(model: Model, row: Row): number {
  let logOdds = model.base;
  for (const part of partsOf(model, row).values()) logOdds += part;
  return sigmoid(logOdds);
}

export function sigmoid(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}
