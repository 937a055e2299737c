import { id } from '@tandem/contract';
import type { Schedule } from '@tandem/jobs';
import { toJsonColumn } from '@tandem/service';
import { z } from 'zod';
import { matches } from '../../catalogue.ts';
import type { Tx } from '../../handler.ts';
import { noCounts } from '../connector-runs/run.ts';

/** Job that acts on an event as a config says. */
export const actOnEventJob = {
  name: 'act-on-event',
  payload: z.object({
    runId: id('connector_run'),
    round: z.int(),
    configId: id('connector_config'),
    eventId: id('event'),
  }),
};

/** Plans what the active configs of the tenant do with stored events: one run each. */
export async function scheduleActions(
  { tx, schedule }: { tx: Tx; schedule: Schedule },
  events: readonly { id: number; type: string }[],
): Promise<void> {
  const configs = await tx.connectorConfig.findMany({ where: { active: true }, select: { id: true, settings: true } });
  const data = configs.flatMap((config) =>
    events
      .filter(({ type }) => matches(patternsOf(config.settings), type))
      .map((event) => ({
        ...{ configId: config.id, eventId: event.id, trigger: 'event', counts: toJsonColumn(noCounts) },
      })),
  );
  if (!data.length) return;
  const runs = await tx.connectorRun.createManyAndReturn({
    data,
    select: { id: true, round: true, configId: true, eventId: true },
  });
  await schedule(
    actOnEventJob,
    runs.map(({ id: runId, round, configId, eventId }) => ({ runId, round, configId, eventId: eventId as number })),
  );
}

function patternsOf(settings: unknown): string[] {
  return (settings as { events?: string[] }).events ?? [];
}
