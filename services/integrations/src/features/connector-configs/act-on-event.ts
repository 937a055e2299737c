import { id } from '@tandem/contract';
import type { Schedule } from '@tandem/jobs';
import { z } from 'zod';
import { matches } from '../../catalogue.ts';
import type { Tx } from '../../handler.ts';

/** Job that acts on an event as a config says. */
export const actOnEventJob = {
  name: 'act-on-event',
  payload: z.object({
    configId: id('connector_config'),
    eventId: id('event'),
    /** How many attempts have failed. */
    failed: z.int(),
  }),
};

/** Schedules what the active configs of the tenant do with stored events. */
export async function scheduleActions(
  { tx, schedule }: { tx: Tx; schedule: Schedule },
  events: readonly { id: number; type: string }[],
): Promise<void> {
  const configs = await tx.connectorConfig.findMany({ where: { active: true }, select: { id: true, settings: true } });
  const actions = configs.flatMap((config) =>
    events
      .filter(({ type }) => matches(patternsOf(config.settings), type))
      .map((event) => ({ configId: config.id, eventId: event.id, failed: 0 })),
  );
  if (actions.length) await schedule(actOnEventJob, actions);
}

function patternsOf(settings: unknown): string[] {
  return (settings as { events?: string[] }).events ?? [];
}
