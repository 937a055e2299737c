import { type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { applyChecks } from './apply-checks.ts';
import { checkRecords } from './records.ts';

/** The job that looks up the DNS records of a domain every day, as long as the domain exists. */
export const checkSendingDomainJob = { name: 'check-sending-domain', payload: z.object({ sendingDomainId: z.int() }) };

const dayMs = 86_400_000;

/** When the job runs next. */
export const nextCheck = () => new Date(Date.now() + dayMs);

/** Finds records that were entered late, or that are gone: mail servers refuse messages whose key they do not find. */
export const checkSendingDomain = (tools: Pick<Tools, 'spf' | 'readTxt'>) =>
  job({
    ...checkSendingDomainJob,
    async run({ payload, tx, outside, finish }: JobContext<z.output<typeof checkSendingDomainJob.payload>, Tx>) {
      const row = await tx.sendingDomain.findFirst({ where: { id: payload.sendingDomainId } });
      if (!row) return;
      const checks = await outside(() => checkRecords(tools.readTxt, row, tools.spf));
      await finish(async (inside) => {
        const locked = await inside.tx.sendingDomain.lockFirst({ where: { id: row.id } });
        if (!locked) return;
        // A check that somebody requested meanwhile is newer.
        if (locked.version === row.version) await applyChecks(inside, tools, locked, checks);
        return nextCheck();
      });
    },
  });
