import { Readable } from 'node:stream';
import type { Caller } from '@tandem/caller';
import { allows } from '@tandem/contract';
import { exportDownloaded, type recordExports } from '@tandem/crm-contract';
import { type Cell, fail, type JobLink, toCsv } from '@tandem/service';
import type { Handler, Peers, Tx } from '../../handler.ts';
import { ExportInput, type ExportLinks, type ExportTarget, exportJobs } from './export.ts';
import { toXlsx, xlsxType } from './xlsx.ts';

interface Tools {
  identity: Pick<Peers['identity'], 'findUser' | 'findUserPermissions'>;
  links: ExportLinks;
  targets: readonly ExportTarget[];
}

export const downloadExport =
  ({ identity, links, targets }: Tools): Handler<typeof recordExports.downloadExport> =>
  async ({ params, caller, inTenant }) => {
    const link = links.read(params.token);
    if (link === 'expired') throw fail('link_expired');
    if (!link) throw fail('not_found');
    const { tenantId, environment, jobId, userId } = link;
    const scope = { tenantId, environment };
    const user = await readUser(identity, link, caller);
    const actor = { type: 'user' as const, userId: userId as number };
    const { input } = await inTenant({ ...scope, actor }, async ({ tx, emit }) => {
      const job = await exportJobs.find(tx.sql, jobId);
      if (!job?.expiresAt || job.expiresAt.getTime() <= Date.now()) throw fail('link_expired');
      const found = ExportInput.parse(job.input);
      const row = targets.find(({ type }) => type === found.entityType)?.row;
      const reach = row && allows(user.permissions, row.permission as string);
      const isWideEnough = reach === 'all' || (job.userId === userId && mayReach(found, reach, user.teamIds));
      if (!isWideEnough) throw fail('not_found');
      // Recorded before the first byte, because an interrupted download has read records too.
      emit(exportDownloaded, { data: { jobId }, record: { id: jobId } });
      return { input: found };
    });
    // Each page is read in a transaction of its own, so that a slow download keeps none open.
    const read = (number: number) => inTenant(scope, ({ tx }) => readPage(tx, jobId, number));
    const pages = allPages(input.columns, read);
    const isCsv = input.format === 'csv';
    return {
      body: isCsv ? Readable.from(csvOf(pages)) : toXlsx(pages),
      type: isCsv ? 'text/csv; charset=utf-8' : xlsxType,
      disposition: { kind: 'attachment', filename: `${input.entityType}-export.${input.format}` },
    };
  };

/**
 * Whether a narrowed permission reaches what the export contains: all records, those of teams, or own ones.
 * @param teamIds the teams in which the user is now
 */
function mayReach({ narrow }: ExportInput, reach: ReturnType<typeof allows>, teamIds: readonly number[]): boolean {
  if (!reach || !narrow) return false;
  const exported = narrow.teamIds ?? [];
  return !exported.length || (reach === 'team' && exported.every((id) => teamIds.includes(id)));
}

/** The permissions and teams that the user of the link has now. */
async function readUser(
  identity: Tools['identity'],
  { tenantId, environment, userId }: JobLink,
  { requestId }: Caller,
) {
  if (userId === null) throw fail('not_found');
  const as = { tenantId, environment, requestId };
  const params = { id: userId };
  const { permissions } = await identity.findUserPermissions({ params, as });
  // A user who does not exist any more has no permissions, and no teams to read.
  const { teamIds } = permissions.length ? await identity.findUser({ params, as }) : { teamIds: [] };
  return { permissions, teamIds };
}

async function readPage(tx: Tx, jobId: number, number: number): Promise<Cell[][] | undefined> {
  const chunk = await tx.exportChunk.findFirst({ where: { jobId, number }, select: { rows: true } });
  return chunk ? (chunk.rows as unknown as Cell[][]) : undefined;
}

async function* allPages(columns: readonly string[], read: (number: number) => Promise<Cell[][] | undefined>) {
  yield [columns];
  for (let number = 0; ; number++) {
    const rows = await read(number);
    if (!rows) return;
    yield rows;
  }
}

async function* csvOf(pages: AsyncIterable<readonly (readonly Cell[])[]>) {
  for await (const rows of pages) yield toCsv(rows);
}
