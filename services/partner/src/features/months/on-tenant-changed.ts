import { type ConsumerContext, consumer } from '@tandem/events';
import { tenantCreated, tenantUpdated } from '@tandem/identity-contract';
import type { Tx } from '../../handler.ts';
import { setTimeZone } from './time-zone.ts';

/** The months of statements follow the time zone of the tenant, in both environments. */
export const followTimeZone = consumer({
  name: 'follow-time-zone',
  on: [tenantCreated, tenantUpdated],
  everyEnvironment: true,
  async handle(events, { tx }: ConsumerContext<Tx>) {
    for (const { record } of events)
      await setTimeZone(tx, { timezone: record.settings.timezone, version: record.version });
  },
});
