import { z } from 'zod';

/** The largest amount: of any currency, also one with four decimals, its minor units are a safe integer. */
export const amountMax = 900_000_000_000;

const currencies = new Set(Intl.supportedValuesOf('currency'));

/** A currency by its code (ISO 4217), in upper case. */
export function currency() {
  const error = 'Must be a currency code (ISO 4217), such as EUR';
  return z
    .string()
    .regex(/^[A-Z]{3}$/, { error, abort: true })
    .refine((code) => currencies.has(code), { error })
    .meta({ description: 'Currency code (ISO 4217)', examples: ['EUR'] });
}

/** An amount of money in major units, not negative. How many decimals it may have depends on the currency: `misfit` says. */
export function amount() {
  return z
    .number({ error: 'Must be a number' })
    .min(0, { error: 'Must not be negative' })
    .max(amountMax, { error: `Must be at most ${amountMax}` })
    .meta({ description: 'Amount in major units of the currency: 12.5 is 12.50 EUR', examples: [4800] });
}

/** What is wrong with an amount in a currency, in words for the caller; undefined when it has no more decimals than that. */
export function misfit(value: number, currency: string): string | undefined {
  if (asMinor(value, currency) !== undefined) return undefined;
  const decimals = decimalsOf(currency);
  return decimals ? `Must have at most ${decimals} decimals in ${currency}` : `Must be a whole number in ${currency}`;
}

/**
 * An amount as a whole number of minor units, as it is stored: 12.5 EUR are 1250.
 * @throws RangeError when it has more decimals than the currency; ask `misfit` first
 */
export function toMinor(value: number, currency: string): number {
  const minor = asMinor(value, currency);
  if (minor === undefined) throw new RangeError(`${value} is no amount in ${currency}`);
  return minor;
}

/** Minor units as an amount in major units, as the wire has it: 1250 of EUR are 12.5. */
export function fromMinor(minor: number, currency: string): number {
  return minor / 10 ** decimalsOf(currency);
}

function asMinor(value: number, currency: string): number | undefined {
  const minor = Math.round(value * 10 ** decimalsOf(currency));
  // The multiplication may round (1.005 * 1000); the division of two whole numbers gives the nearest number, as reading did.
  return Number.isSafeInteger(minor) && fromMinor(minor, currency) === value ? minor : undefined;
}

const decimals = new Map<string, number>();

function decimalsOf(currency: string): number {
  const known = decimals.get(currency);
  if (known !== undefined) return known;
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions();
  decimals.set(currency, maximumFractionDigits);
  return maximumFractionDigits;
}
