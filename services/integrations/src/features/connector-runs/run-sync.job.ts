import { ServiceCallError } from '@tandem/client/internal';
import { type JobContext, job } from '@tandem/jobs';
import { toJsonColumn } from '@tandem/service';
import type { z } from 'zod';
import type { FieldMapping } from '../../connectors/calling.ts';
import { connectorOf } from '../../connectors/index.ts';
import type { Cursor, Sync } from '../../connectors/sync.ts';
import type { ConnectorConfig as ConfigRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import { concludeAccess } from '../connections/conclude-access.ts';
import { mappingsOf } from '../connector-configs/connector-config.ts';
import { type As, readActingUser } from '../sync/acting-user.ts';
import { examineUnread } from '../sync/examine-unread.ts';
import { type Place, placeOf, readLinks, referencesOf } from '../sync/link.ts';
import { applyMappings } from '../sync/map-fields.ts';
import { type Called, type Page, readPage } from '../sync/read-page.ts';
import { linkWritten, storePage } from '../sync/store-page.ts';
import { permissionsOf } from '../sync/targets.ts';
import { type Written, writePage } from '../sync/write-page.ts';
import { isTemporary } from '../sync/writing.ts';
import { beginRun, callInTurn, type DueRun, endRun, giveUpRun, lockRunning, retryLater } from './conclude-run.ts';
import { type Counts, failRun, succeedRun, writeRun } from './run.ts';
import { minutesOf, runSyncJob } from './start-sync.ts';

type Payload = z.output<typeof runSyncJob.payload>;
type Context = JobContext<Payload, Tx>;

interface DueSync extends DueRun {
  sync: Sync;
  settings: Record<string, unknown>;
  fieldMappings: FieldMapping[];
  place: Place;
}

// A system that never ends its pages would keep a run forever.
const pagesMax = 20_000;
const waitMinMs = 300_000;

/**
 * Performs a sync. Each run of the job reads one page, writes its records and links each of them, and stores in one
 * transaction what they became and where the next page begins, so that a sync continues there after an interruption.
 */
export const runSync = (tools: Tools) =>
  job({
    ...runSyncJob,
    async run(context: Context) {
      const { payload, tx, outside, finish } = context;
      const begun = await beginRun(tx, payload);
      const { sync } = begun ? connectorOf(begun.config.connectorKey) : {};
      if (!begun || !sync) return;
      const { run, config, connection } = begun;
      const settings = config.settings as Record<string, unknown>;
      const place = placeOf(connection.id, sync, settings);
      const due: DueSync = { ...begun, sync, settings, fieldMappings: mappingsOf(config), place };
      const requestId = `run_${tools.ids.encode('connector_run', run.tenantId, run.id)}`;
      const wanted = permissionsOf(sync.kinds(settings));
      const readAt = new Date();
      const attempt = async () => {
        const as = await outside(() => readActingUser(tools, config, { wanted, requestId }));
        if (!as) return finish((inside) => endRun(inside, due, 'not_permitted'));
        const called = await callInTurn(context, tools, connection, (access) => readNext(tx, tools, due, access));
        if ('turnAt' in called) return finish(async () => called.turnAt);
        const { result: page } = called;
        const written = page && (await outside(() => writeRecords(tx, tools, due, { page, as, readAt })));
        return finish((inside) => conclude(inside, tools, due, { called, written: written ?? [], as }));
      };
      // Another service of the platform is unreachable. Its records are written again from the same page.
      await attempt().catch((error: unknown) => {
        if (!(error instanceof ServiceCallError) || !isTemporary(error)) throw error;
        return finish((inside) => waitFor(inside, tools, due, { error: 'platform_unavailable' }));
      });
    },
    giveUp: giveUpRun,
  });

/** Reads the next page; after the last one of a reading from the beginning, the records that were deleted before. */
async function readNext(
  tx: Tx,
  tools: Tools,
  { config, sync, settings, fieldMappings, place }: DueSync,
  access: Parameters<typeof readPage>[3],
): Promise<Page> {
  const cursor = config.cursor as Cursor | null;
  const { examinedTo, readingSince } = config;
  if (examinedTo === null || readingSince === null)
    return readPage(sync, tools, { cursor, settings, fieldMappings }, access);
  const after = { place, since: readingSince, after: examinedTo };
  const examined = await examineUnread(tx, sync, { call: access.call, settings }, after);
  return {
    records: examined.deleted,
    cursor: cursor ?? {},
    isLast: examined.examinedTo === null,
    isFromBeginning: false,
    examinedTo: examined.examinedTo,
  };
}

async function writeRecords(
  tx: Tx,
  tools: Tools,
  { connection, sync, settings, fieldMappings, place }: DueSync,
  { page, as, readAt }: { page: Page; as: As; readAt: Date },
): Promise<Written[]> {
  const records = page.records.map((record) => applyMappings(record, fieldMappings));
  const links = await readLinks(
    tx,
    place,
    records.flatMap((record) => [record, ...referencesOf(record)]),
  );
  // A copy that was written after the page was read is newer than the page.
  const current = records.filter(({ kind, id }) => !((links.get(`${kind} ${id}`)?.updatedAt ?? readAt) > readAt));
  const isPushed = sync.push?.isWanted(settings) ?? false;
  return writePage(tools, {
    ...{ connectionId: connection.id, records: current, links, as, isPushed },
    updateExisting: settings['updateExisting'] !== false,
    // At once, so that nothing is created twice after an interruption, and copies of new records are not copied back.
    link: (written) => linkWritten(tx, place, written),
    settings,
  });
}

type Inside = Parameters<Parameters<Context['finish']>[0]>[0];

async function conclude(
  inside: Inside,
  tools: Tools,
  due: DueSync,
  { called, written, as }: { called: Called<Page>; written: Written[]; as: As },
): Promise<Date | undefined> {
  const { tx } = inside;
  await concludeAccess(inside, tools, due.connection, { called, as });
  const run = await lockRunning(tx, due);
  if (!run) return void (await noteCancelled(tx, due, written));
  const config = (await tx.connectorConfig.findFirst({ where: { id: due.config.id } })) as ConfigRow;
  const place = { runId: run.id, place: due.place, counts: run.counts as Counts };
  // The config changed meanwhile: the page is read again with the new settings.
  if (config.version !== due.config.version) {
    await writeRun(tx, run, { counts: await storePage(tx, place, written) });
    return new Date();
  }
  const { result: page, error, retryAt } = called;
  // Other failures would happen again, and the next run on schedule tries anyway.
  if (!page && error !== 'provider_unavailable') return void (await failRun(inside, run, error ?? 'internal_error'));
  if (!page) return waitFor(inside, tools, due, { error: 'provider_unavailable', retryAt });
  const counts = await storePage(tx, place, written);
  const { isEnd, progress } = progressOf(due, page);
  await tx.connectorConfig.updateMany({
    where: { id: config.id },
    data: { cursor: toJsonColumn(page.cursor), ...progress },
  });
  const full = run.full || page.isFromBeginning;
  const pages = run.pages + 1;
  const state = { full, counts, pages, attempts: 0, error: null };
  if (!isEnd && pages >= pagesMax) return void (await failRun(inside, { ...run, counts }, 'too_many_pages'));
  const row = await writeRun(tx, run, state);
  if (isEnd) return void (await succeedRun(inside, row, counts));
  return new Date();
}

/** Adds what was written before a run was cancelled to its log. */
async function noteCancelled(tx: Tx, { run, place }: DueSync, written: readonly Written[]): Promise<void> {
  const row = await tx.connectorRun.lockFirst({ where: { id: run.id, status: 'cancelled' } });
  if (!row) return;
  const counts = await storePage(tx, { runId: run.id, place, counts: row.counts as Counts }, written);
  await writeRun(tx, run, { counts });
}

/** Whether the run ends with this page, and how far the reading from the beginning has got, which spans runs. */
function progressOf(
  { run, config, sync }: DueSync,
  page: Page,
): { isEnd: boolean; progress: Partial<Pick<ConfigRow, 'readingSince' | 'examinedTo'>> } {
  const readingSince = page.isFromBeginning ? run.createdAt : config.readingSince;
  if (config.examinedTo !== null && !page.isFromBeginning)
    return page.isLast
      ? { isEnd: true, progress: { readingSince: null, examinedTo: null } }
      : { isEnd: false, progress: { examinedTo: page.examinedTo } };
  if (!page.isLast) return { isEnd: false, progress: { readingSince, examinedTo: null } };
  const isExaminedNext = readingSince !== null && sync.isGone !== undefined;
  return isExaminedNext
    ? { isEnd: false, progress: { readingSince, examinedTo: '' } }
    : { isEnd: true, progress: { readingSince: null, examinedTo: null } };
}

/** Waits for the connected system or for a service of the platform, not longer than until the next sync on schedule. */
async function waitFor(
  inside: Inside,
  tools: Tools,
  due: DueSync,
  failure: { error: string; retryAt?: Date | undefined },
): Promise<Date | undefined> {
  const run = await lockRunning(inside.tx, due);
  const waitMaxMs = Math.max(waitMinMs, (minutesOf(due.config) ?? 0) * 60_000);
  return run && retryLater(inside, tools, run, { ...failure, waitMaxMs });
}
