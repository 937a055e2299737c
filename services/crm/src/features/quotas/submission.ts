import { fromMinor } from '@tandem/contract';
import { ForecastSubmission } from '@tandem/crm-contract';
import type { z } from 'zod';
import type { ForecastSubmission as SubmissionRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { converterTo } from '../exchange-rates/exchange-rates.ts';
import { readParts } from '../forecast/parts.ts';
import { type Period, periodNamed } from '../forecast/periods.ts';
import { type Sums, sumsOf } from '../forecast/sums.ts';

export type SubmissionRecord = z.output<typeof ForecastSubmission>;

const columns = ForecastSubmission.pick({ category: true, snapshot: true });

/** Converts a row to the contract's `ForecastSubmission`; `actual` is what the owner has won in an ended period. */
export function asSubmission(row: SubmissionRow, actual: number | null): SubmissionRecord {
  const amount = fromMinor(row.amountMinor, row.currency);
  return {
    ...row,
    ...columns.parse(row),
    amount,
    actual,
    accuracy: actual === null ? null : accuracyOf(amount, actual),
  };
}

/** The smaller amount divided by the larger, in hundredths. */
function accuracyOf(amount: number, actual: number): number {
  if (amount === actual) return 1;
  return Math.round((Math.min(amount, actual) / Math.max(amount, actual)) * 100) / 100;
}

/** The sums of an owner's opportunities in a period. */
export async function sumsOfOwner(
  tx: Tx,
  { ownerId, period, base, currency }: { ownerId: number; period: Period; base: string; currency: string },
): Promise<Sums> {
  const within = { gte: period.from, lt: period.to };
  const converter = await converterTo(tx, { base, currency });
  const of = { ownerId };
  const open = await readParts(tx, { ...of, status: 'open', expectedCloseAt: within });
  const won = await readParts(tx, { ...of, status: 'won', closedAt: within });
  return sumsOf([...open, ...won], converter);
}

type Submitted = Pick<SubmissionRow, 'ownerId' | 'period' | 'currency'>;

/**
 * Reads what the owners of submissions have won in their periods, with one query per period and currency.
 * @returns the actual amount of a submission; null while its period has not ended
 */
export async function readActuals(
  tx: Tx,
  submissions: readonly Submitted[],
  { base, timezone }: { base: string; timezone: string },
): Promise<(submission: Submitted) => number | null> {
  const ended = submissions.filter(({ period }) => periodNamed(period, timezone).to <= new Date());
  const currencies = [...new Set(ended.map(({ currency }) => currency))];
  const converters = new Map(
    await Promise.all(
      currencies.map(async (currency) => [currency, await converterTo(tx, { base, currency })] as const),
    ),
  );
  const won = new Map(
    await Promise.all(
      [...Map.groupBy(ended, ({ period }) => period)].map(async ([period, own]) => {
        const { from, to } = periodNamed(period, timezone);
        const ownerId = { in: [...new Set(own.map((one) => one.ownerId))] };
        const where = { ownerId, status: 'won', closedAt: { gte: from, lt: to } };
        return [period, Map.groupBy(await readParts(tx, where, 'ownerId'), (part) => part.ownerId)] as const;
      }),
    ),
  );
  return ({ ownerId, period, currency }) => {
    const converter = converters.get(currency);
    const parts = won.get(period);
    return converter && parts ? sumsOf(parts.get(ownerId) ?? [], converter).closedWon : null;
  };
}
