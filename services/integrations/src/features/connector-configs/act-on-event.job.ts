import { type JobContext, job } from '@tandem/jobs';
import type { z } from 'zod';
import { CallError, type Envelope } from '../../connectors/connector.ts';
import { connectorOf } from '../../connectors/index.ts';
import type { Tools, Tx } from '../../handler.ts';
import { type Access, accessOf } from '../connections/access.ts';
import { concludeRefresh, rejectCredentials, requireReauth } from '../connections/conclude-refresh.ts';
import type { ConnectionRow } from '../connections/connection.ts';
import { checkPermission } from '../deliveries/check-permission.ts';
import { actOnEventJob } from './act-on-event.ts';
import { type ConfigRow, mappingsOf } from './connector-config.ts';

type Payload = z.output<typeof actOnEventJob.payload>;
type Context = JobContext<Payload, Tx>;

/** The result of an attempt: the reason of its failure, or null. */
interface Result {
  error: string | null;
  /** The earliest time of the next attempt that the system asked for. */
  retryAt?: Date | undefined;
  access?: Access;
}

interface Due {
  config: ConfigRow;
  connection: ConnectionRow;
  event: Envelope;
}

// Actions wait while identity is unreachable, because the permission may have been revoked.
const permissionRetryMs = 10_000;

/** Acts on an event by the connector of a config: makes one attempt, and plans the next one if it fails. */
export const actOnEvent = (tools: Tools) =>
  job({
    ...actOnEventJob,
    async run(context: Context) {
      const { payload, tx, outside, finish } = context;
      const due = await readDue(tx, payload);
      if (!due) return;
      const isPermitted = await mayAct(tools, due);
      if (isPermitted === undefined) return finish(async () => new Date(Date.now() + permissionRetryMs));
      if (!isPermitted) return finish(({ tx: inside }) => storeResult(inside, due.config, 'not_permitted'));
      const { tenantId, id } = due.connection;
      const target = { tenant: String(tenantId), endpoint: `connection ${id}`, isSuspect: false };
      const slot = await outside(() => tools.queue.acquire(target));
      if ('retryAt' in slot) return finish(async () => slot.retryAt);
      try {
        const startMs = performance.now();
        const result = await outside(() => attempt(tx, tools, due));
        slot.release(performance.now() - startMs);
        await finish(({ tx: inside, emit, schedule }) =>
          conclude({ tx: inside, emit, schedule }, tools, { due, result, payload }),
        );
      } finally {
        slot.release();
      }
    },
  });

async function readDue(tx: Tx, { configId, eventId }: Payload): Promise<Due | undefined> {
  const config = await tx.connectorConfig.findFirst({ where: { id: configId, active: true } });
  const connection = config && (await tx.connection.findFirst({ where: { id: config.connectionId, deletedAt: null } }));
  const event = connection && (await tx.event.findFirst({ where: { id: eventId } }));
  if (!event) return undefined;
  return { config, connection, event: JSON.parse(Buffer.from(event.body).toString('utf8')) as Envelope };
}

function mayAct(tools: Tools, { config, event }: Due): Promise<boolean | undefined> {
  const { tenantId, environment, authorizedBy } = config;
  const authorizedPermissions = config.authorizedPermissions as string[];
  const createdAt = new Date(event.createdAt);
  return checkPermission(tools, {
    tenantId,
    environment,
    authorizedBy,
    authorizedPermissions,
    event: event.type,
    createdAt,
  });
}

/** Acts once; again with a fresh token if the system rejects the current one. */
async function attempt(tx: Tx, tools: Tools, { config, connection, event }: Due): Promise<Result> {
  if (connection.status !== 'connected') return { error: 'connection_lost' };
  const connector = connectorOf(connection.connectorKey);
  const settings = config.settings as Record<string, unknown>;
  const act = async (access: Access): Promise<Result> => {
    if (!access.call || !access.secret) return { error: 'connection_lost', access };
    try {
      await connector.act?.(access.call, access.secret, { event, settings, fieldMappings: mappingsOf(config) });
      return { error: null, access };
    } catch (error) {
      if (error instanceof CallError) return { error: error.failure, retryAt: error.retryAt, access };
      throw error;
    }
  };
  const access = await accessOf(tx, tools, connection);
  const result = await act(access);
  if (result.error !== 'credentials_rejected' || !connector.provider || access.refresh) return result;
  const renewed = await accessOf(tx, tools, connection, { isRejected: true });
  return renewed.refresh ? act(renewed) : result;
}

type Inside = Pick<Parameters<Parameters<Context['finish']>[0]>[0], 'tx' | 'emit' | 'schedule'>;

/** Stores the result, and schedules the next attempt as that of a delivery to a webhook. */
async function conclude(
  inside: Inside,
  tools: Tools,
  { due: { config, connection }, result, payload }: { due: Due; result: Result; payload: Payload },
): Promise<void> {
  const { error, retryAt, access } = result;
  if (access?.refresh && access.refresh.kind !== 'busy')
    await concludeRefresh(inside, access.refresh, connection.id, tools);
  // The credentials that were rejected, which may have been refreshed in this attempt.
  const used = access?.refresh && 'row' in access.refresh ? access.refresh.row : connection;
  if (error === 'credentials_rejected') await endConnection(inside, used);
  await storeResult(inside.tx, config, error);
  if (error === null) return;
  const failed = payload.failed + 1;
  const next = tools.schedules.next(config.environment, failed, retryAt);
  if (next) await inside.schedule(actOnEventJob, [{ ...payload, failed }], next);
}

/** Marks a connection whose credentials the system rejects, unless it has got other ones meanwhile. */
async function endConnection(inside: Inside, connection: ConnectionRow): Promise<void> {
  if (connectorOf(connection.connectorKey).provider)
    return void (await requireReauth(inside, connection, 'credentials_rejected'));
  const { id, tokenNumber } = connection;
  const row = await inside.tx.connection.lockFirst({ where: { id, tokenNumber, deletedAt: null } });
  if (row?.status === 'connected') await rejectCredentials(inside, row as ConnectionRow);
}

async function storeResult(tx: Tx, { id }: ConfigRow, error: string | null): Promise<void> {
  const now = new Date();
  await tx.connectorConfig.updateMany({
    where: { id },
    data: error === null ? { lastSuccessAt: now, lastError: null } : { lastFailureAt: now, lastError: error },
  });
}
