import { misfit } from '@tandem/contract';
import type { z } from 'zod';
import { bodies } from '../map-fields.ts';
import { type ReadBody, readBody } from '../writing.ts';

export type DealBody = z.output<typeof bodies.opportunity>;

const decimalsMax = 4;
/** Without a currency the deal gets that of the user, which has two decimals or fewer. */
const usualCurrency = 'EUR';

/** Reads the fields of a deal, with an amount that fits its currency. */
export function readDeal(fields: Record<string, unknown>): ReadBody<DealBody> {
  const read = readBody(bodies.opportunity, fields);
  const { body, leftOut } = read;
  if (body?.value === undefined) return read;
  const { value, ...others } = body;
  // An amount in an unknown currency would become one in another currency.
  if (!leftOut.some(({ field }) => field === 'currency')) return { ...read, body: { ...others, value: fitting(body) } };
  const unknown = { field: 'value', message: 'Needs a valid currency' };
  return { ...read, body: others, leftOut: [...leftOut, unknown] };
}

/** The amount, rounded to the decimals of the currency. */
function fitting({ value = 0, currency = usualCurrency }: DealBody): number {
  for (let decimals = decimalsMax; decimals > 0; decimals--) {
    const rounded = Number(value.toFixed(decimals));
    if (misfit(rounded, currency) === undefined) return rounded;
  }
  return Math.round(value);
}
