import { Readable } from 'node:stream';
import { fromMinor, type ResourceType } from '@tandem/contract';
import type { statements } from '@tandem/partner-contract';
import { type Cell, fail, toCsv } from '@tandem/service';
import type { Handler, StatementKey, Tools, Tx } from '../../handler.ts';
import { readMonths } from '../months/time-zone.ts';
import { readPartner } from '../partners/partner.ts';
import { readEntries, type StatementEntry } from './read-entries.ts';
import { asStatement } from './statement.ts';
import { sumUp } from './sums.ts';

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
// A document is made in memory.
const entriesInDocument = 500;

export const serveStatement =
  (tools: Tools): Handler<typeof statements.serveStatement> =>
  async ({ params, inTenant }) => {
    const link = tools.links.read(params.token);
    if (link === 'expired') throw fail('link_expired');
    if (!link) throw fail('not_found');
    const { tenantId, environment, format = 'csv', hidesDeals = false, ...statement } = link;
    const scope = { tenantId, environment };
    const name = `statement-${statement.period}-${statement.currency}`;
    if (format === 'pdf') {
      const content = await inTenant(scope, ({ tx }) => readContent(tx, statement, { tools, scope }));
      return {
        body: Readable.from([Buffer.from(await tools.documents.run('statement', content, tenantId))]),
        type: 'application/pdf',
        disposition: { kind: 'attachment', filename: `${name}.pdf` },
      };
    }
    const readPage: ReadPage = (last) =>
      inTenant(scope, ({ tx }) => readEntries(tx, statement, { last, limit: entriesPerPage }));
    const encodeId: EncodeId = (type, id) => tools.ids.encode(type, tenantId, id);
    const toCells = (entry: StatementEntry) =>
      cellsOf(hidesDeals ? { ...entry, basis: null } : entry, statement.currency, encodeId);

    // Read the first page before responding, so that an unavailable database is a 503 instead of a truncated file.
    const firstPage = await readPage();
    return {
      body: Readable.from(csvChunks(firstPage, readPage, toCells)),
      type: 'text/csv; charset=utf-8',
      disposition: { kind: 'attachment', filename: `${name}.csv` },
    };
  };

/** Reads the page of entries after `last`, or the first page. */
type ReadPage = (last?: StatementEntry) => Promise<StatementEntry[]>;
type EncodeId = (type: ResourceType, id: number) => string;

/** The CSV in chunks: the header, then one chunk per page of entries. */
async function* csvChunks(firstPage: StatementEntry[], readPage: ReadPage, toCells: (entry: StatementEntry) => Cell[]) {
  yield toCsv([columns]);
  for (let page = firstPage; page.length > 0; page = await readPage(page.at(-1))) {
    yield toCsv(page.map(toCells));
  }
}

/** The cells of an entry, in the order of `columns`. */
function cellsOf(entry: StatementEntry, currency: string, encodeId: EncodeId): Cell[] {
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

interface Serving {
  tools: Tools;
  scope: { tenantId: number; environment: 'live' | 'sandbox' };
}

/** Reads what the document of a statement shows. */
async function readContent(tx: Tx, key: StatementKey, { tools, scope }: Serving) {
  const { partnerId, period, currency } = key;
  const row = await tx.statement.findFirst({ where: { partnerId, period, currency } });
  if (!row) throw fail('not_found');
  const partner = await readPartner(tx, partnerId);
  const sums = (await sumUp(tx, [row]))(row);
  const now = new Date();
  const months = await readMonths(tx);
  const statement = asStatement(row, sums, { months, now, tools, scope });
  const entries = await readEntries(tx, key, { limit: entriesInDocument + 1 });
  const { format } = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'code' });
  const money = (amount: number) => format(amount).replace(currency, '').replace(/\s+/gu, '');
  return {
    partner: `${partner.firstName} ${partner.lastName}`,
    company: partner.company,
    period,
    currency,
    status: statement.status,
    sums: [
      { label: 'Opening balance', amount: money(statement.openingBalance) },
      { label: 'Earned', amount: money(statement.earned) },
      { label: 'Adjustments', amount: money(statement.adjustments) },
      { label: 'Clawbacks', amount: money(statement.clawbacks) },
      { label: 'Paid', amount: money(0 - statement.paid) },
      { label: 'Closing balance', amount: money(statement.closingBalance) },
    ],
    entries: entries.slice(0, entriesInDocument).map(({ at, entry, id, amount }) => ({
      date: months.dayOf(at),
      entry,
      commission: tools.ids.encode('commission', scope.tenantId, id),
      amount: money(fromMinor(amount, currency)),
    })),
    isShortened: entries.length > entriesInDocument,
    generatedAt: now,
  };
}
