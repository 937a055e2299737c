import { text } from '@tandem/contract';
import { z } from 'zod';
import type { Connector } from './connector.ts';

/** For JSON Schema: a form does not show what somebody enters. */
export const shownAsSecret = { format: 'password', writeOnly: true } as const;

/** The events that a config acts on, for the settings of connectors. */
export const Events = z
  .array(text(100), { error: 'Must be a list of event names' })
  .min(1, 'Must contain at least one event')
  .max(100, 'Must contain at most 100 events')
  .describe('The events to act on: names such as `lead.created`, patterns such as `lead.*`, or `*`');

const everyMinutesMin = 5;
const everyMinutesMax = 10_080;

/** The settings of a config of a connector; those of a sync say how often it runs. */
export function settingsOf({ settings, sync }: Pick<Connector, 'settings' | 'sync'>): z.ZodObject {
  if (!sync) return settings;
  const everyMinutes = z
    .int('Must be a whole number')
    .min(everyMinutesMin, `Must be at least ${everyMinutesMin}`)
    .max(everyMinutesMax, `Must be at most ${everyMinutesMax}`)
    .nullable()
    .default(sync.everyMinutes)
    .describe('The minutes between two syncs; null to sync only on request');
  return settings.extend({ everyMinutes });
}
