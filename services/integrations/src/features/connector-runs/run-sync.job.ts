import { type GiveUpContext, type JobContext, job } from '@tandem/jobs';
import { toJsonColumn } from '@tandem/service';
import type { z } from 'zod';
import type { FieldMapping } from '../../connectors/connector.ts';
import { connectorOf } from '../../connectors/index.ts';
import type { Cursor, Sync } from '../../connectors/sync.ts';
import type { ConnectorConfig as ConfigRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import { concludeAccess } from '../connections/conclude-access.ts';
import type { ConnectionRow } from '../connections/connection.ts';
import { mappingsOf } from '../connector-configs/connector-config.ts';
import { type As, readActingUser } from '../sync/acting-user.ts';
import { examineUnread } from '../sync/examine-unread.ts';
import { readLinks, referencesOf } from '../sync/link.ts';
import { applyMappings } from '../sync/map-fields.ts';
import { type Called, callSystem, type Page, readPage } from '../sync/read-page.ts';
import { storePage } from '../sync/store-page.ts';
import { permissionsOf } from '../sync/targets.ts';
import { type Written, writePage } from '../sync/write-page.ts';
import { retryLater } from './retry-later.ts';
import { type Counts, failRun, type RunOfConfig, succeedRun, withConfig, writeRun } from './run.ts';
import { runSyncJob } from './start-sync.ts';

type Payload = z.output<typeof runSyncJob.payload>;
type Context = JobContext<Payload, Tx>;

interface Due {
  run: RunOfConfig;
  config: ConfigRow;
  connection: ConnectionRow;
  sync: Sync;
  settings: Record<string, unknown>;
  fieldMappings: FieldMapping[];
}

/**
 * Performs a sync. Each run of the job reads one page, writes its records, and stores in one transaction what they became
 * and where the next page begins, so that a sync continues there after an interruption.
 */
export const runSync = (tools: Tools) =>
  job({
    ...runSyncJob,
    async run({ payload, tx, outside, finish }: Context) {
      const due = await readDue(tx, payload);
      if (!due) return;
      const { run, config, connection, sync, settings } = due;
      const requestId = `run_${tools.ids.encode('connector_run', run.tenantId, run.id)}`;
      const wanted = permissionsOf(sync.kinds(settings));
      const as = await outside(() => readActingUser(tools, config, { wanted, requestId }));
      if (!as) return finish((inside) => endRun(inside, due, 'not_permitted'));
      const target = { tenant: String(config.tenantId), endpoint: `connection ${connection.id}`, isSuspect: false };
      const slot = await outside(() => tools.queue.acquire(target));
      if ('retryAt' in slot) return finish(async () => slot.retryAt);
      const startMs = performance.now();
      const readAt = new Date();
      const called = await outside(() =>
        callSystem(tx, tools, connection, (access) => readNext(tx, tools, due, access)),
      ).finally(() => slot.release(performance.now() - startMs));
      const written =
        called.result &&
        (await outside(() => writeRecords(tx, tools, due, { page: called.result as Page, as, readAt })));
      await finish((inside) => conclude(inside, tools, due, { called, written: written ?? [], as }));
    },
    async giveUp({ tx, emit, payload }: GiveUpContext<Payload, Tx>) {
      const run = await tx.connectorRun.findFirst({
        where: { id: payload.runId, round: payload.round },
        include: withConfig,
      });
      if (run) await failRun({ tx, emit }, run, 'internal_error');
    },
  });

async function readDue(tx: Tx, { runId, round }: Payload): Promise<Due | undefined> {
  const run = await tx.connectorRun.findFirst({ where: { id: runId, round }, include: withConfig });
  const config = run && (await tx.connectorConfig.findFirst({ where: { id: run.configId, active: true } }));
  const connection = config && (await tx.connection.findFirst({ where: { id: config.connectionId, deletedAt: null } }));
  const { sync } = config ? connectorOf(config.connectorKey) : {};
  if (!run || !config || !connection || !sync) return undefined;
  const settings = config.settings as Record<string, unknown>;
  return { run, config, connection, sync, settings, fieldMappings: mappingsOf(config) };
}

/** Reads the next page; after the last one of a run from the beginning, the records that were deleted before. */
async function readNext(
  tx: Tx,
  tools: Tools,
  { run, config, connection, sync, settings, fieldMappings }: Due,
  access: Parameters<typeof readPage>[3],
): Promise<Page> {
  const cursor = config.cursor as Cursor | null;
  const { examinedTo } = run;
  if (examinedTo === null) return readPage(sync, tools, { cursor, settings, fieldMappings }, access);
  const place = { connectionId: connection.id, since: run.createdAt, after: examinedTo };
  const examined = await examineUnread(tx, sync, { call: access.call, settings }, place);
  return {
    records: examined.deleted,
    cursor: cursor ?? {},
    isLast: examined.examinedTo === null,
    isFromBeginning: true,
    examinedTo: examined.examinedTo,
  };
}

async function writeRecords(
  tx: Tx,
  tools: Tools,
  { connection, sync, settings, fieldMappings }: Due,
  { page, as, readAt }: { page: Page; as: As; readAt: Date },
): Promise<Written[]> {
  const records = page.records.map((record) => applyMappings(record, fieldMappings));
  const links = await readLinks(
    tx,
    connection.id,
    records.flatMap((record) => [record, ...referencesOf(record)]),
  );
  // A copy that was written after the page was read is newer than the page.
  const current = records.filter(({ kind, id }) => !((links.get(`${kind} ${id}`)?.updatedAt ?? readAt) > readAt));
  return writePage(tools, {
    ...{ connectionId: connection.id, records: current, links, as },
    updateExisting: settings['updateExisting'] !== false,
    isPushed: sync.push?.isWanted(settings) ?? false,
  });
}

type Inside = Parameters<Parameters<Context['finish']>[0]>[0];

async function conclude(
  inside: Inside,
  tools: Tools,
  due: Due,
  { called, written, as }: { called: Called<Page>; written: Written[]; as: As },
): Promise<Date | undefined> {
  const { tx } = inside;
  await concludeAccess(inside, tools, due.connection, { called, as });
  const locked = await tx.connectorConfig.lockFirst({ where: { id: due.config.id, version: due.config.version } });
  const where = { id: due.run.id, round: due.run.round };
  const row = locked && (await tx.connectorRun.lockFirst({ where }));
  // The config changed meanwhile: the page is read again with the new settings.
  if (!locked) return new Date();
  if (!row) return undefined;
  const run = { ...due.run, ...row } as RunOfConfig;
  const { result: page, error, retryAt } = called;
  // Other failures would happen again, and the next run on schedule tries anyway.
  if (error !== null && error !== 'provider_unavailable') return void (await failRun(inside, run, error));
  if (!page) return retryLater(inside, tools, run, { error: error ?? 'internal_error', retryAt });
  const place = { runId: run.id, connectionId: due.connection.id, counts: run.counts as Counts };
  const counts = await storePage(tx, place, written);
  await tx.connectorConfig.updateMany({ where: { id: due.config.id }, data: { cursor: toJsonColumn(page.cursor) } });
  const full = run.full || page.isFromBeginning;
  const isExaminedNext = page.isLast && full && run.examinedTo === null && due.sync.isGone !== undefined;
  if (page.isLast && !isExaminedNext) return void (await succeedRun(inside, run, counts));
  await writeRun(tx, run, {
    ...{ status: 'running', full, counts, attempts: 0, error: null, nextAttemptAt: null },
    startedAt: run.startedAt ?? new Date(),
    examinedTo: isExaminedNext ? '' : page.examinedTo,
  });
  return new Date();
}

async function endRun({ tx, emit }: Inside, { run }: Due, reason: string): Promise<void> {
  const row = await tx.connectorRun.lockFirst({ where: { id: run.id, round: run.round } });
  if (row) await failRun({ tx, emit }, { ...run, ...row } as RunOfConfig, reason);
}
