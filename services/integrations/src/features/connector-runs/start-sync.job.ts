import { type JobContext, job, scheduleAgain } from '@tandem/jobs';
import type { z } from 'zod';
import { connectorOf } from '../../connectors/index.ts';
import type { Tx } from '../../handler.ts';
import { findSyncing } from './run.ts';
import { createSyncRun, minutesOf, startSyncJob } from './start-sync.ts';

/** Starts the syncs of a config on its schedule, again and again until the config changes. */
export const startSync = job({
  ...startSyncJob,
  async run({ payload, finish }: JobContext<z.output<typeof startSyncJob.payload>, Tx>) {
    await finish(async ({ tx, schedule }) => {
      const planned = { id: payload.configId, syncRound: payload.round, active: true };
      const config = await tx.connectorConfig.lockFirst({ where: planned });
      const minutes = config && minutesOf(config);
      if (!config || !minutes) return;
      const usable = connectorOf(config.connectorKey).provider === null ? ['connected', 'error'] : ['connected'];
      const where = { id: config.connectionId, status: { in: usable }, deletedAt: null };
      const connection = await tx.connection.findFirst({ where });
      // While the connection does not work, nobody needs a failed run every few minutes.
      if (connection && !(await findSyncing(tx, config.id)))
        await createSyncRun({ tx, schedule }, config, { trigger: 'schedule', full: false, createdBy: null });
      const nextSyncAt = new Date(Date.now() + minutesAfter(minutes, config.failures) * 60_000);
      await tx.connectorConfig.updateMany({ where: { id: config.id }, data: { nextSyncAt } });
      return nextSyncAt;
    });
  },
  // A config without this job would not sync any more.
  giveUp: scheduleAgain(startSyncJob),
});

const dayMinutes = 1_440;
const doublingsMax = 8;

/** The minutes until the next sync: they double with each failure in a row, up to a day. */
function minutesAfter(minutes: number, failures: number): number {
  const longer = minutes * 2 ** Math.min(failures, doublingsMax);
  return Math.max(minutes, Math.min(longer, dayMinutes));
}
