import { fromMinor } from '@tandem/contract';
import type { Tx } from '../../handler.ts';

/** A sum in minor units of its currency. */
export interface CurrencySum {
  currency: string;
  count: number;
  minor: number;
}

/** Converts sums to one currency, and remembers which rates it used and what it could not convert. */
export interface Converter {
  currency: string;
  /** The sum in minor units of the target currency, not rounded; undefined without a rate. */
  convert(minor: number, from: string): number | undefined;
  /** Records sums that no rate exists for. */
  leaveOut(sum: CurrencySum): void;
  used(): { currency: string; rate: number }[];
  unconverted(): { currency: string; count: number; value: number }[];
}

/** Reads the rates with which amounts are converted to a currency. */
export async function converterTo(tx: Tx, { base, currency }: { base: string; currency: string }): Promise<Converter> {
  const rows = await tx.exchangeRate.findMany({ where: { base } });
  const inBase = new Map([...rows.map((row): [string, number] => [row.currency, row.rate]), [base, 1]]);
  const target = inBase.get(currency);
  const used = new Map<string, number>();
  const left = new Map<string, { count: number; minor: number }>();
  return {
    currency,
    convert(minor, from) {
      if (from === currency) return minor;
      const rate = inBase.get(from);
      if (rate === undefined || target === undefined) return undefined;
      used.set(from, rate / target);
      return (minor * rate * perUnit(currency)) / (target * perUnit(from));
    },
    leaveOut(sum) {
      const before = left.get(sum.currency) ?? { count: 0, minor: 0 };
      left.set(sum.currency, { count: before.count + sum.count, minor: before.minor + sum.minor });
    },
    used: () => [...used].map(([code, rate]) => ({ currency: code, rate })),
    unconverted: () =>
      [...left].map(([code, { count, minor }]) => ({ currency: code, count, value: fromMinor(minor, code) })),
  };
}

/** Minor units of one unit of a currency: 100 for EUR. */
function perUnit(currency: string): number {
  return Math.round(1 / fromMinor(1, currency));
}

/** Rounds minor units half up, and converts them to major units. */
export function roundedMajor(minor: number, currency: string): number {
  // A product of a rate may be just below a half: 110 * 1.15 is 126.49999999999999.
  const corrected = Number.isInteger(minor) ? minor : minor * (1 + 4 * Number.EPSILON);
  return fromMinor(Math.round(corrected), currency);
}
