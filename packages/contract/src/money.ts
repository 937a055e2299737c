import { electronicFormatIBAN, isValidIBAN } from 'ibantools';
import { z } from 'zod';

/** The largest amount: its minor units are a safe integer in any currency, even one with four decimals. */
export const amountMax = 900_000_000_000;

const currencies = new Set(Intl.supportedValuesOf('currency'));

/** An ISO 4217 currency code in upper case. */
export function currency() {
  const error = 'Must be a currency code (ISO 4217), such as EUR';
  return z
    .string()
    .regex(/^[A-Z]{3}$/, { error, abort: true })
    .refine((code) => currencies.has(code), { error })
    .meta({ description: 'Currency code (ISO 4217)', examples: ['EUR'] });
}

/**
 * A non-negative amount of money in major units. The number of decimals depends on the currency; check it with
 * `misfit`.
 */
export function amount() {
  return z
    .number({ error: 'Must be a number' })
    .min(0, { error: 'Must not be negative', abort: true })
    .max(amountMax, { error: `Must be at most ${amountMax}` })
    .meta({ description: 'Amount in major units of the currency: 12.5 is 12.50 EUR', examples: [4800] });
}

/** An International Bank Account Number; spaces are removed. The checksum and the length of the country are checked. */
export function iban() {
  const error = 'Must be a valid IBAN';
  return z
    .string({ error })
    .max(50, error)
    .overwrite((text) => electronicFormatIBAN(text) ?? text)
    .refine((text) => isValidIBAN(text), { error })
    .meta({ description: 'An IBAN', examples: ['DE89370400440532013000'] });
}

/** Returns an error message when an amount has more decimals than its currency; undefined otherwise. */
export function misfit(value: number, currency: string): string | undefined {
  if (asMinor(value, currency) !== undefined) return undefined;
  const decimals = decimalsOf(currency);
  return decimals ? `Must have at most ${decimals} decimals in ${currency}` : `Must be a whole number in ${currency}`;
}

/**
 * Converts an amount to minor units, as it is stored: 12.5 EUR are 1250.
 * @throws RangeError when it has more decimals than the currency; check with `misfit` first
 */
export function toMinor(value: number, currency: string): number {
  const minor = asMinor(value, currency);
  if (minor === undefined) throw new RangeError(`${value} is not an amount in ${currency}`);
  return minor;
}

/** Converts minor units to an amount in major units, as on the wire: 1250 of EUR are 12.5. */
export function fromMinor(minor: number, currency: string): number {
  return minor / 10 ** decimalsOf(currency);
}

function asMinor(value: number, currency: string): number | undefined {
  const minor = Math.round(value * 10 ** decimalsOf(currency));
  // The multiplication may round (1.005 * 1000). Dividing two whole numbers gives the nearest number, as parsing did.
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
