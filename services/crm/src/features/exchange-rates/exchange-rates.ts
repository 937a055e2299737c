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
  /** The sum in major units; undefined without a rate. */
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
      if (from === currency) return fromMinor(minor, currency);
      const rate = inBase.get(from);
      if (rate === undefined || target === undefined) return undefined;
      used.set(from, rate / target);
      return fromMinor(minor, from) * (rate / target);
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
