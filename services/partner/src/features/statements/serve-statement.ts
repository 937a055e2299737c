import type { ResourceType } from '@tandem/contract';
import type { statements } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { Handler, StatementOf, Tools, Tx } from '../../handler.ts';
import { asCommission, type CommissionRecord } from '../commissions/commission.ts';
import { toCsv } from './csv.ts';
import { boundsOf, periodOf } from './period.ts';

const head = ['date', 'commissionId', 'entry', 'status', 'opportunityId', 'basisAmount', 'rate', 'amount', 'currency'];

export const serveStatement =
  ({ links, ids }: Tools): Handler<typeof statements.serveStatement> =>
  async ({ params, inTenant }) => {
    const linked = links.read(params.token);
    if (linked === 'expired') throw fail('link_expired');
    if (!linked) throw fail('not_found');
    const { tenantId, environment, ...of } = linked;
    const entries = await inTenant({ tenantId, environment }, ({ tx }) => entriesOf(tx, of));
    const code = (type: ResourceType, id: number | null) => (id === null ? null : ids.encode(type, tenantId, id));
    const rows = entries.map(({ at, entry, amount, record }) => [
      ...[at.toISOString(), code('commission', record.id), entry, record.status],
      ...[code('opportunity', record.opportunityId), record.basisAmount, record.rate, amount, record.currency],
      record.reason,
    ]);
    return {
      body: toCsv([[...head, 'reason'], ...rows]),
      type: 'text/csv; charset=utf-8',
      disposition: { kind: 'attachment', filename: `statement-${of.period}-${of.currency}.csv` },
    };
  };

interface Entry {
  at: Date;
  entry: string;
  /** What it adds to the balance. */
  amount: number;
  record: CommissionRecord;
}

/** What was recorded and paid in the month: together with the opening balance it makes the closing one. */
async function entriesOf(tx: Tx, { partnerId, period, currency }: StatementOf): Promise<Entry[]> {
  const { start: gte, end: lt } = boundsOf(period);
  const rows = await tx.commission.findMany({
    where: {
      ...{ partnerId, currency, status: { not: 'cancelled' } },
      OR: [{ createdAt: { gte, lt } }, { paidAt: { gte, lt } }],
    },
    orderBy: { id: 'asc' },
  });
  const entries = rows.map(asCommission).flatMap((record): Entry[] => {
    const { amount, createdAt, paidAt, type } = record;
    return [
      ...(periodOf(createdAt) === period ? [{ at: createdAt, entry: type, amount, record }] : []),
      ...(paidAt && periodOf(paidAt) === period ? [{ at: paidAt, entry: 'payment', amount: -amount, record }] : []),
    ];
  });
  return entries.sort((a, b) => a.at.getTime() - b.at.getTime());
}
