import { actingUserId, type Caller } from '@tandem/caller';
import { id } from '@tandem/contract';
import { type GiveUpContext, type JobContext, job } from '@tandem/jobs';
import { ApiError, backgroundJobs } from '@tandem/service';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { whyNeeded } from './last-of-kind.ts';
import { countRecords, moveRecords } from './move-records.ts';
import { findReplacement, removeStatus } from './replacement.ts';
import { lockStatus, type StatusRecord } from './status.ts';

/** Records that are moved in one transaction; their locks last until its end. */
const batchMax = 100;

const payload = z.object({ jobId: id('job') });
const jobs = backgroundJobs('crm');

interface Input {
  statusId: number;
  replacementId: number;
  caller: Omit<Caller, 'permissions' | 'tenantId' | 'environment'>;
}

/** Moves all records of a status to its replacement, batch by batch, then deletes the status. */
export const replaceStatusJob = job({
  name: 'replace-status',
  payload,
  async run({ payload: { jobId }, tx: reading, finish }: JobContext<z.output<typeof payload>, Tx>) {
    const found = await jobs.find(reading.sql, jobId);
    if (!found || found.completedAt) return;
    const { statusId, replacementId, caller } = found.input as Input;
    const byUserId = actingUserId(caller) ?? null;
    await finish(async ({ tx, emit }) => {
      const fail = (reason: string) => jobs.fail(tx.sql, jobId, { code: 'not_replaced', message: reason });
      const checked = await checkAgain(tx, statusId, replacementId);
      if ('reason' in checked) return void (await fail(checked.reason));
      const { from, to } = checked;
      const done = found.progress.done + (await moveRecords({ tx, emit, byUserId }, { from, to, max: batchMax }));
      const left = await countRecords(tx, from);
      await jobs.progress(tx.sql, jobId, { done, total: done + left });
      if (left) return new Date();
      await removeStatus({ tx, emit }, from);
      await jobs.complete(tx.sql, jobId, { result: { moved: done, deleted: true }, total: done });
      return undefined;
    }, caller);
  },
  async giveUp({ payload: { jobId }, tx }: GiveUpContext<z.output<typeof payload>, Tx>) {
    const message = 'The job failed repeatedly. The status exists; as many records have moved as progress.done says.';
    await jobs.fail(tx.sql, jobId, { code: 'not_replaced', message });
  },
});

/** The statuses, locked and checked as by the request: another request may have changed them since. */
async function checkAgain(
  tx: Tx,
  statusId: number,
  replacementId: number,
): Promise<{ from: StatusRecord; to: StatusRecord } | { reason: string }> {
  try {
    const from = await lockStatus(tx, statusId);
    const reason = await whyNeeded(tx, from);
    return reason ? { reason } : { from, to: await findReplacement(tx, from, replacementId) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { reason: error.errors[0]?.message ?? 'The status was deleted meanwhile' };
  }
}
