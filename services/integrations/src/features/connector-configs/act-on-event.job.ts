import { type JobContext, job } from '@tandem/jobs';
import type { z } from 'zod';
import type { Envelope } from '../../connectors/connector.ts';
import { connectorOf } from '../../connectors/index.ts';
import type { Tools, Tx } from '../../handler.ts';
import { concludeAccess } from '../connections/conclude-access.ts';
import {
  beginRun,
  callInTurn,
  type DueRun,
  endRun,
  giveUpRun,
  lockRunning,
  retryLater,
} from '../connector-runs/conclude-run.ts';
import { noCounts, succeedRun } from '../connector-runs/run.ts';
import { checkPermission } from '../deliveries/check-permission.ts';
import type { Called } from '../sync/read-page.ts';
import { actOnEventJob } from './act-on-event.ts';
import { mappingsOf } from './connector-config.ts';

type Context = JobContext<z.output<typeof actOnEventJob.payload>, Tx>;

// Actions wait while identity is unreachable, because the permission may have been revoked.
const permissionRetryMs = 10_000;

/** Acts on an event by the connector of a config: makes one attempt, and plans the next one if it fails. */
export const actOnEvent = (tools: Tools) =>
  job({
    ...actOnEventJob,
    async run(context: Context) {
      const { payload, tx, finish } = context;
      const due = await beginRun(tx, payload);
      if (!due) return;
      const stored = await tx.event.findFirst({ where: { id: payload.eventId } });
      if (!stored) return finish((inside) => endRun(inside, due, 'event_gone'));
      const event = JSON.parse(Buffer.from(stored.body).toString('utf8')) as Envelope;
      const isPermitted = await mayAct(tools, due, event);
      if (isPermitted === undefined) return finish(async () => new Date(Date.now() + permissionRetryMs));
      if (!isPermitted) return finish((inside) => endRun(inside, due, 'not_permitted'));
      const { settings, connectorKey } = due.config;
      const action = { event, settings: settings as Record<string, unknown>, fieldMappings: mappingsOf(due.config) };
      const called = await callInTurn(context, tools, due.connection, async ({ call, secret }) => {
        await connectorOf(connectorKey).act?.(call, secret, action);
        return true as const;
      });
      if ('turnAt' in called) return finish(async () => called.turnAt);
      return finish((inside) => conclude(inside, tools, due, { called, event }));
    },
    giveUp: giveUpRun,
  });

function mayAct(tools: Tools, { config }: DueRun, event: Envelope): Promise<boolean | undefined> {
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

type Inside = Parameters<Parameters<Context['finish']>[0]>[0];

/** Stores the result, and plans the next attempt as that of a delivery to a webhook. */
async function conclude(
  inside: Inside,
  tools: Tools,
  due: DueRun,
  { called, event }: { called: Called<true>; event: Envelope },
): Promise<Date | undefined> {
  const { authorizedBy } = due.config;
  const as = { requestId: `event_${event.id}`, ...(authorizedBy !== null && { userId: authorizedBy }) };
  await concludeAccess(inside, tools, due.connection, { called, as });
  const run = await lockRunning(inside.tx, due);
  if (!run) return undefined;
  const { result, error, retryAt } = called;
  if (!result) return retryLater(inside, tools, run, { error: error ?? 'internal_error', retryAt, isEvent: true });
  const data = [{ runId: run.id, direction: 'out', kind: 'event', externalId: event.id, action: 'sent' }];
  await inside.tx.connectorRunItem.createMany({ data });
  return void (await succeedRun(inside, run, { ...noCounts, sent: 1 }));
}
