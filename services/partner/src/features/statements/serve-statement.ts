import { Readable } from 'node:stream';
import { fromMinor, type ResourceType } from '@tandem/contract';
import type { statements } from '@tandem/partner-contract';
import { type Cell, fail, toCsv } from '@tandem/service';
import type { Handler, StatementKey, Tools, Tx } from '../../handler.ts';

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
      inTenant({ tenantId, environment }, async ({ tx }) => readEntries(tx, statement, last));
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
  entryId: number;
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

/** Reads the page of entries after `last`, oldest first. The opening balance plus all entries is the closing balance. */
async function readEntries(tx: Tx, { partnerId, period, currency }: StatementKey, last?: Entry): Promise<Entry[]> {
  const after = last ?? { at: new Date(0), entryId: 0 };
  return tx.sql<Entry>`
    SELECT entry.created_at AS at, entry.id AS "entryId", commission.id, entry.kind AS entry, entry.amount_minor AS amount,
      basis_minor AS basis, status, opportunity_id AS "opportunityId", rate, reason
    FROM ledger_entry AS entry JOIN commission ON commission.id = entry.commission_id
    WHERE entry.partner_id = ${partnerId} AND entry.currency = ${currency} AND entry.period = ${period}
      AND (entry.created_at, entry.id) > (${after.at}, ${after.entryId})
    ORDER BY entry.created_at, entry.id LIMIT ${entriesPerPage}`;
}
