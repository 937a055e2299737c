import { fromMinor } from '@tandem/contract';
import type { Statement, StatementDetail } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import type { Statement as StatementRow } from '../../generated/client.ts';
import type { StatementScope, Tools, Tx } from '../../handler.ts';
import { postMissing } from '../ledger/post-missing.ts';
import type { Months } from '../months/months.ts';
import { readMonths } from '../months/time-zone.ts';
import { readPartner } from '../partners/partner.ts';
import { type Sums, sumUp } from './sums.ts';

const linkMs = 15 * 60_000;
const finalAfterMs = 5 * 86_400_000;

/** When the statements of a month are final. */
export function finalFrom(months: Months, period: string): Date {
  return new Date(months.boundsOf(period).end.getTime() + finalAfterMs);
}

/** The first month whose statements can still be open. Those before are final. */
export function firstOpenMonth(months: Months, now: Date): string {
  return months.of(new Date(now.getTime() - finalAfterMs));
}

interface Shown {
  months: Months;
  now: Date;
  tools: Pick<Tools, 'links' | 'publicUrl'>;
  scope: StatementScope;
}

/** Converts a row with its sums to the statement as events have it: without links. */
export function asStatementRecord(row: StatementRow, sums: Sums, { months, now }: Pick<Shown, 'months' | 'now'>) {
  const { id, partnerId, period, currency, finalizedAt } = row;
  const { start: periodStart, end: periodEnd } = months.boundsOf(period);
  const isFinal = finalizedAt !== null || period < firstOpenMonth(months, now);
  return {
    id,
    partnerId,
    periodStart,
    periodEnd,
    currency,
    ...toMajorUnits(sums, currency),
    status: isFinal ? 'final' : 'open',
    generatedAt: now,
  } satisfies Omit<z.output<typeof Statement>, 'downloadUrl' | 'pdfUrl' | 'downloadUrlExpiresAt'>;
}

/** Converts a row with its sums to the contract's `StatementDetail`. */
export function asStatement(
  row: StatementRow,
  sums: Sums,
  { months, now, tools, scope }: Shown,
): z.output<typeof StatementDetail> {
  const { partnerId, period, currency, finalizedAt } = row;
  const downloadUrlExpiresAt = new Date(now.getTime() + linkMs);
  const linkTo = (format: 'csv' | 'pdf') => {
    const token = tools.links.issue({ ...scope, partnerId, period, currency, format }, downloadUrlExpiresAt);
    return `${tools.publicUrl}/v1/public/statements/${token}`;
  };
  return {
    ...asStatementRecord(row, sums, { months, now }),
    downloadUrl: linkTo('csv'),
    downloadUrlExpiresAt,
    pdfUrl: linkTo('pdf'),
    finalizedAt,
  };
}

/** Loads a statement of a partner, with a lock if it will change; 404 if there is none. */
export async function findStatement(
  tx: Tx,
  params: { id: number; sid: number },
  { lock = false } = {},
): Promise<StatementRow> {
  const { id: partnerId } = await readPartner(tx, params.id);
  await postMissing(tx, partnerId);
  const where = { id: params.sid, partnerId };
  const row = await (lock ? tx.statement.lockFirst({ where }) : tx.statement.findFirst({ where }));
  if (!row) throw fail('not_found');
  return row;
}

/** Shows one statement. */
export async function showStatement(
  tx: Tx,
  row: StatementRow,
  shown: Omit<Shown, 'months' | 'now'>,
): Promise<z.output<typeof StatementDetail>> {
  const [months, sums] = [await readMonths(tx), await sumUp(tx, [row])];
  return asStatement(row, sums(row), { ...shown, months, now: new Date() });
}

function toMajorUnits({ opening, earned, adjustments, clawbacks, paid, closing, count }: Sums, currency: string) {
  const major = (minor: number) => fromMinor(minor, currency);
  return {
    openingBalance: major(opening),
    earned: major(earned),
    adjustments: major(adjustments),
    clawbacks: major(clawbacks),
    paid: major(paid),
    closingBalance: major(closing),
    commissionCount: count,
  };
}
