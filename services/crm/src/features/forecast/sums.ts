import { type Converter, roundedMajor } from '../exchange-rates/exchange-rates.ts';

/** Opportunities with the same currency, probability, category and status, in minor units. */
export interface Part {
  currency: string;
  status: string;
  probability: number;
  forecastCategory: string;
  count: number;
  minor: number;
}

const fields = ['openValue', 'weightedValue', 'commit', 'bestCase', 'closedWon', 'value', 'expectedValue'] as const;
type Field = (typeof fields)[number];

/** Sums in major units of one currency. */
export type Sums = Record<Field, number> & { count: number };

/** The share of a part in each sum, in hundredths of minor units, so that probabilities need no fractions. */
function sharesOf({ status, probability, forecastCategory, minor }: Part): Partial<Record<Field, number>> {
  const all = minor * 100;
  const expectedValue = minor * probability;
  if (status === 'won') return { closedWon: all, value: all, expectedValue };
  if (status !== 'open') return { value: all, expectedValue };
  return {
    openValue: all,
    value: all,
    expectedValue,
    ...(forecastCategory !== 'omitted' && { weightedValue: expectedValue }),
    ...(forecastCategory === 'commit' && { commit: all }),
    ...(forecastCategory === 'best_case' && { bestCase: all }),
  };
}

/** Sums parts: exactly within each currency, then converted, and rounded half up to the decimals of the currency. */
export function sumsOf(parts: readonly Part[], converter: Converter): Sums {
  const sums = Object.fromEntries([...fields, 'count'].map((field) => [field, 0])) as Sums;
  for (const [currency, own] of Map.groupBy(parts, (part) => part.currency)) {
    if (converter.convert(0, currency) === undefined) continue;
    for (const field of fields) {
      const hundredths = own.reduce((sum, part) => sum + (sharesOf(part)[field] ?? 0), 0);
      sums[field] += converter.convert(hundredths / 100, currency) as number;
    }
    sums.count += own.reduce((sum, part) => sum + part.count, 0);
  }
  for (const field of fields) sums[field] = roundedMajor(sums[field], converter.currency);
  return sums;
}

/** Tells the converter of the parts that no rate exists for. */
export function leaveOut(parts: readonly Part[], converter: Converter): void {
  for (const { currency, count, minor } of parts)
    if (converter.convert(0, currency) === undefined) converter.leaveOut({ currency, count, minor });
}
