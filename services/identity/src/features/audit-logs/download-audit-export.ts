import { Readable } from 'node:stream';
import { allows } from '@tandem/contract';
import { auditExportRead, type auditLogs } from '@tandem/identity-contract';
import { type Cell, fail, toCsv } from '@tandem/service';
import { asActor, type Handler, type Tools } from '../../handler.ts';
import { type ExportedRow, ExportInput, identityJobs, isReadableIn, readExported } from './audit-export.ts';
import { encoderOf, publicRecord } from './record.ts';

// Positions that one statement looks at, each in a transaction of its own, so that a slow download keeps none open.
const positionsPerRead = 1_000;

export const downloadAuditExport =
  ({ exportLinks, ids }: Tools): Handler<typeof auditLogs.downloadAuditExport> =>
  async ({ params, inTenant }) => {
    const link = exportLinks.read(params.token);
    if (link === 'expired') throw fail('link_expired');
    if (!link) throw fail('not_found');
    const { tenantId, environment, jobId, userId } = link;
    const scope = { tenantId, environment };
    const user = await inTenant(scope, ({ tx }) =>
      tx.user.findFirst({ where: { id: userId ?? 0 }, include: { role: true, tenant: true } }),
    );
    // The link works only while the user who requested it may read the audit log.
    if (user?.status !== 'active' || user.tenant.status !== 'active') throw fail('not_found');
    if (allows(user.role.permissions, 'audit:read') !== 'all') throw fail('not_found');
    const { input, result } = await inTenant({ ...scope, actor: asActor(user) }, async ({ tx, emit }) => {
      const job = await identityJobs.find(tx.sql, jobId);
      if (job && !isReadableIn(environment, job.input)) throw fail('not_found');
      if (!job?.expiresAt || job.expiresAt.getTime() <= Date.now()) throw fail('link_expired');
      const found = ExportInput.parse(job.input);
      const [head] = await tx.sql<{ purged: number }>`SELECT purged FROM audit_head`;
      if (head && head.purged > found.after.position) throw fail('entries_removed');
      // Recorded before the first byte, because an interrupted download has read entries too.
      emit(auditExportRead, { data: { jobId }, record: { id: jobId } });
      return { input: found, result: job.result };
    });
    const encode = encoderOf(ids, tenantId);
    const read = async function* () {
      const { after, last } = input;
      for (let from = after.position; from < last.position; from += positionsPerRead) {
        const to = Math.min(from + positionsPerRead, last.position);
        const rows = await inTenant(scope, ({ tx }) => readExported(tx, input, { from, to }));
        yield rows.map((row) => exported(row, encode));
      }
    };
    const head = { export: result, filters: input.shownFilters };
    const isCsv = input.format === 'csv';
    return {
      body: Readable.from(isCsv ? csvChunks(read()) : jsonChunks(head, read())),
      type: isCsv ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8',
      disposition: { kind: 'attachment', filename: `audit-log.${input.format}` },
    };
  };

function exported(row: ExportedRow, encode: Parameters<typeof publicRecord>[1]) {
  const { hash, hashForm, previousHash, changesSalt, changesDigest } = row;
  return { ...publicRecord(row, encode), changesSalt, changesDigest, previousHash, hash, hashForm: hashForm ?? 1 };
}

type Exported = ReturnType<typeof exported>;

const columns = [
  'position',
  'id',
  'occurredAt',
  'action',
  'outcome',
  'actorType',
  'actorId',
  'actorName',
  'onBehalfOfId',
  'keyId',
  'targetType',
  'targetId',
  'changes',
  'changesSalt',
  'changesDigest',
  'ip',
  'userAgent',
  'requestId',
  'environment',
  'eventId',
  'previousHash',
  'hash',
  'hashForm',
] as const satisfies (keyof Exported)[];

async function* csvChunks(pages: AsyncIterable<Exported[]>) {
  yield toCsv([columns]);
  for await (const page of pages)
    if (page.length) yield toCsv(page.map((entry) => columns.map((column) => cellOf(entry[column]))));
}

function cellOf(value: unknown): Cell {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as Cell);
}

async function* jsonChunks(head: object, pages: AsyncIterable<Exported[]>) {
  yield `${JSON.stringify(head).slice(0, -1)},"entries":[`;
  let isFirst = true;
  for await (const page of pages) {
    if (!page.length) continue;
    yield `${isFirst ? '\n' : ',\n'}${page.map((entry) => JSON.stringify(entry)).join(',\n')}`;
    isFirst = false;
  }
  yield '\n]}\n';
}
