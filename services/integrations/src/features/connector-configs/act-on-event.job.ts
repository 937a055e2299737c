import { type GiveUpContext, type JobContext, job } from '@tandem/jobs';
import type { z } from 'zod';
import type { Envelope } from '../../connectors/connector.ts';
import { connectorOf } from '../../connectors/index.ts';
import type { Tools, Tx } from '../../handler.ts';
import { concludeAccess } from '../connections/conclude-access.ts';
import type { ConnectionRow } from '../connections/connection.ts';
import { retryLater } from '../connector-runs/retry-later.ts';
import { failRun, noCounts, type RunOfConfig, succeedRun, withConfig } from '../connector-runs/run.ts';
import { checkPermission } from '../deliveries/check-permission.ts';
import { type Called, callSystem } from '../sync/read-page.ts';
import { actOnEventJob } from './act-on-event.ts';
import { type ConfigRow, mappingsOf } from './connector-config.ts';

type Payload = z.output<typeof actOnEventJob.payload>;
type Context = JobContext<Payload, Tx>;

interface Due {
  run: RunOfConfig;
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
      if (!isPermitted) return finish((inside) => failRun(inside, due.run, 'not_permitted'));
      const { tenantId, id } = due.connection;
      const target = { tenant: String(tenantId), endpoint: `connection ${id}`, isSuspect: false };
      const slot = await outside(() => tools.queue.acquire(target));
      if ('retryAt' in slot) return finish(async () => slot.retryAt);
      const startMs = performance.now();
      const called = await outside(() => act(tx, tools, due)).finally(() => slot.release(performance.now() - startMs));
      await finish((inside) => conclude(inside, tools, due, called));
    },
    async giveUp({ tx, emit, payload }: GiveUpContext<Payload, Tx>) {
      const where = { id: payload.runId, round: payload.round };
      const run = await tx.connectorRun.findFirst({ where, include: withConfig });
      if (run) await failRun({ tx, emit }, run, 'internal_error');
    },
  });

async function readDue(tx: Tx, { runId, round, configId, eventId }: Payload): Promise<Due | undefined> {
  const run = await tx.connectorRun.findFirst({ where: { id: runId, round }, include: withConfig });
  const config = run && (await tx.connectorConfig.findFirst({ where: { id: configId, active: true } }));
  const connection = config && (await tx.connection.findFirst({ where: { id: config.connectionId, deletedAt: null } }));
  const event = connection && (await tx.event.findFirst({ where: { id: eventId } }));
  if (!event) return undefined;
  return { run, config, connection, event: JSON.parse(Buffer.from(event.body).toString('utf8')) as Envelope };
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

function act(tx: Tx, tools: Tools, { config, connection, event }: Due): Promise<Called<true>> {
  const action = { event, settings: config.settings as Record<string, unknown>, fieldMappings: mappingsOf(config) };
  return callSystem(tx, tools, connection, async ({ call, secret }) => {
    await connectorOf(connection.connectorKey).act?.(call, secret, action);
    return true as const;
  });
}

type Inside = Parameters<Parameters<Context['finish']>[0]>[0];

/** Stores the result, and plans the next attempt as that of a delivery to a webhook. */
async function conclude(
  inside: Inside,
  tools: Tools,
  { run: before, config, connection, event }: Due,
  called: Called<true>,
): Promise<Date | undefined> {
  const { tx } = inside;
  const as = { requestId: `event_${event.id}`, ...(config.authorizedBy !== null && { userId: config.authorizedBy }) };
  await concludeAccess(inside, tools, connection, { called, as });
  const row = await tx.connectorRun.lockFirst({ where: { id: before.id, round: before.round } });
  if (!row) return undefined;
  const run = { ...before, ...row } as RunOfConfig;
  if (!called.result)
    return retryLater(inside, tools, run, { error: called.error ?? 'internal_error', retryAt: called.retryAt });
  return void (await succeedRun(inside, run, { ...noCounts, sent: 1 }));
}
