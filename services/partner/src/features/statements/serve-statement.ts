import { Readable } from 'node:stream';
import { fromMinor, type ResourceType } from '@tandem/contract';
import type { statements } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { Handler, StatementKey, Tools, Tx } from '../../handler.ts';
import { toCsv } from './csv.ts';
import { boundsOf } from './period.ts';

const columns = [
  'date',
  'commissionId',
  'entry',
  'status',
  'opportunityId',
  'basisAmount',
  'rate',
  'amount',
  'currency',
];

// Entries are streamed in pages because a month may not fit into memory. Each page is a separate transaction, so that a
// slow download does not keep one open.
const entriesPerPage = 1_000;

export const serveStatement =
  ({ links, ids }: Tools): Handler<typeof statements.serveStatement> =>
  async ({ params, inTenant }) => {
    const link = links.read(params.token);
    if (link === 'expired') throw fail('link_expired');
    if (!link) throw fail('not_found');
    const { tenantId, environment, ...statement } = link;
    const pageAfter = (last?: Entry) => inTenant({ tenantId, environment }, ({ tx }) => entriesOf(tx, statement, last));
    const encodeId = (type: ResourceType, id: number | null) => (id === null ? null : ids.encode(type, tenantId, id));
    const toMajor = (minor: number | null) => (minor === null ? null : fromMinor(minor, statement.currency));
    const row = ({ at, id, entry, status, opportunityId, basis, rate, amount, reason }: Entry) => [
      at.toISOString(),
      encodeId('commission', id),
      entry,
      status,
      encodeId('opportunity', opportunityId),
      toMajor(basis),
      rate,
      toMajor(amount),
      statement.currency,
      reason,
    ];
    async function* csvChunks(first: Entry[]) {
      yield toCsv([[...columns, 'reason']]);
      for (let page = first; page.length > 0; page = await pageAfter(page.at(-1))) yield toCsv(page.map(row));
    }
    // Read the first page before responding, so that an unavailable database is a 503 instead of a truncated file.
    return {
      body: Readable.from(csvChunks(await pageAfter())),
      type: 'text/csv; charset=utf-8',
      disposition: { kind: 'attachment', filename: `statement-${statement.period}-${statement.currency}.csv` },
    };
  };

interface Entry {
  at: Date;
  id: number;
  entry: string;
  /** Change of the balance in minor units. */
  amount: number;
  basis: number | null;
  status: string;
  opportunityId: number | null;
  rate: number | null;
  reason: string | null;
}

/**
 * One page of the entries of a month after `last`, oldest first: commissions recorded, cancelled and paid. The opening
 * balance plus all entries equals the closing balance.
 */
function entriesOf(tx: Tx, { partnerId, period, currency }: StatementKey, last?: Entry): Promise<Entry[]> {
  const { start, end } = boundsOf(period);
  const after = last ?? { at: start, id: 0, entry: '' };
  return tx.sql<Entry>`
    WITH commission AS (
      SELECT *, CASE WHEN status = 'cancelled' THEN coalesce(cancelled_at, created_at) END AS ended_at
      FROM commission WHERE partner_id = ${partnerId} AND currency = ${currency}),
    entry AS (
      SELECT created_at AS at, type AS entry, amount_minor AS amount, commission.* FROM commission
      WHERE ended_at IS NULL OR date_trunc('month', ended_at, 'UTC') <> date_trunc('month', created_at, 'UTC')
      UNION ALL
      SELECT ended_at, 'cancellation', -amount_minor, commission.* FROM commission
      WHERE date_trunc('month', ended_at, 'UTC') <> date_trunc('month', created_at, 'UTC')
      UNION ALL
      SELECT paid_at, 'payment', -amount_minor, commission.* FROM commission WHERE paid_at IS NOT NULL AND ended_at IS NULL)
    SELECT at, id, entry, amount, basis_minor AS basis, status, opportunity_id AS "opportunityId", rate, reason
    FROM entry WHERE at >= ${start} AND at < ${end} AND (at, id, entry) > (${after.at}, ${after.id}, ${after.entry})
    ORDER BY at, id, entry LIMIT ${entriesPerPage}`;
}
