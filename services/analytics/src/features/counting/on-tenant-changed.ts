import { type ConsumerContext, consumer } from '@tandem/events';
import { tenantCreated, tenantUpdated } from '@tandem/identity-contract';
import type { Schedule } from '@tandem/jobs';
import type { Tx } from '../../handler.ts';
import { stopCounting, unknownTimezone } from './index.ts';
import { scheduleRecount } from './recount.job.ts';

/** Records are counted by the days of the tenant's time zone, in both environments. */
export const followTimezone = consumer({
  name: 'follow-time-zone',
  on: [tenantCreated, tenantUpdated],
  everyEnvironment: true,
  async handle(events, { tx, schedule }: ConsumerContext<Tx>) {
    for (const { record } of events)
      await setTimezone(tx, { timezone: record.settings.timezone, version: record.version }, schedule);
  },
});

/** Sets the time zone of the tenant, and has everything counted again that was counted in another one. */
export async function setTimezone(
  tx: Tx,
  { timezone, version }: { timezone: string; version: number },
  schedule: Schedule,
): Promise<void> {
  await stopCounting(tx);
  const known = await tx.counting.findFirst({ select: { wantedTimezone: true, version: true } });
  if (known && known.version >= version) return;
  if (known)
    await tx.counting.updateMany({ where: { version: known.version }, data: { wantedTimezone: timezone, version } });
  else {
    // Records may have been counted by the days of UTC before.
    const [counted] = await tx.sql`SELECT 1 FROM measure LIMIT 1`;
    const data = { timezone: counted ? unknownTimezone : timezone, wantedTimezone: timezone, version };
    await tx.counting.create({ data });
  }
  if ((known?.wantedTimezone ?? unknownTimezone) !== timezone) await scheduleRecount(tx, schedule);
}
