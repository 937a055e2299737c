import { Readable } from 'node:stream';
import { fromMinor, type ResourceType } from '@tandem/contract';
import type { statements } from '@tandem/partner-contract';
import { type Cell, fail, toCsv } from '@tandem/service';
import type { Handler, StatementKey, Tools, Tx } from '../../handler.ts';
import type { Months } from './months.ts';
import { monthsOfLedger } from './sums.ts';
import { readMonths } from './time-zone.ts';

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
  'reason',
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

    const readPage: ReadPage = (last) =>
      inTenant({ tenantId, environment }, async ({ tx }) =>
        readEntries(tx, { ...statement, months: await readMonths(tx) }, last),
      );
    const encodeId: EncodeId = (type, id) => ids.encode(type, tenantId, id);
    const toCells = (entry: Entry) => cellsOf(entry, statement.currency, encodeId);

    // Read the first page before responding, so that an unavailable database is a 503 instead of a truncated file.
    const firstPage = await readPage();
    return {
      body: Readable.from(csvChunks(firstPage, readPage, toCells)),
      type: 'text/csv; charset=utf-8',
      disposition: { kind: 'attachment', filename: `statement-${statement.period}-${statement.currency}.csv` },
    };
  };

/** Reads the page of entries after `last`, or the first page. */
type ReadPage = (last?: Entry) => Promise<Entry[]>;
type EncodeId = (type: ResourceType, id: number) => string;

/** The CSV in chunks: the header, then one chunk per page of entries. */
async function* csvChunks(firstPage: Entry[], readPage: ReadPage, toCells: (entry: Entry) => Cell[]) {
  yield toCsv([columns]);
  for (let page = firstPage; page.length > 0; page = await readPage(page.at(-1))) {
    yield toCsv(page.map(toCells));
  }
}

/** The cells of an entry, in the order of `columns`. */
function cellsOf(entry: Entry, currency: string, encodeId: EncodeId): Cell[] {
  const { at, id, opportunityId, basis, amount } = entry;
  return [
    at.toISOString(),
    encodeId('commission', id),
    entry.entry,
    entry.status,
    opportunityId === null ? null : encodeId('opportunity', opportunityId),
    basis === null ? null : fromMinor(basis, currency),
    entry.rate,
    fromMinor(amount, currency),
    currency,
    entry.reason,
  ];
}

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
 * Reads the page of entries of a month after `last`, oldest first: commissions recorded, cancelled and paid. The opening
 * balance plus all entries equals the closing balance.
 */
async function readEntries(
  tx: Tx,
  { partnerId, period, currency, months }: StatementKey & { months: Months },
  last?: Entry,
): Promise<Entry[]> {
  const { start, end } = months.boundsOf(period);
  const { starts } = await monthsOfLedger(tx, partnerId, months);
  const after = last ?? { at: start, id: 0, entry: '' };
  return tx.sql<Entry>`
    WITH ended AS (
      SELECT *, CASE WHEN status = 'cancelled' THEN coalesce(cancelled_at, created_at) END AS ended_at
      FROM commission WHERE partner_id = ${partnerId} AND currency = ${currency}),
    commission AS (
      SELECT *, width_bucket(ended_at, starts) <> width_bucket(created_at, starts) AS ended_later
      FROM ended, (SELECT ${starts}::timestamptz[] AS starts) AS month),
    entry AS (
      SELECT created_at AS at, type AS entry, amount_minor AS amount, commission.* FROM commission
      WHERE ended_at IS NULL OR ended_later
      UNION ALL
      SELECT ended_at, 'cancellation', -amount_minor, commission.* FROM commission WHERE ended_later
      UNION ALL
      SELECT paid_at, 'payment', -amount_minor, commission.* FROM commission WHERE paid_at IS NOT NULL AND ended_at IS NULL)
    SELECT at, id, entry, amount, basis_minor AS basis, status, opportunity_id AS "opportunityId", rate, reason
    FROM entry WHERE at >= ${start} AND at < ${end} AND (at, id, entry) > (${after.at}, ${after.id}, ${after.entry})
    ORDER BY at, id, entry LIMIT ${entriesPerPage}`;
}
