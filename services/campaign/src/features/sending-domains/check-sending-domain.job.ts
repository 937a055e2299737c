import { z } from 'zod';
import type { Tools } from '../../handler.ts';
import { dailyCheck } from '../dns/daily-check.ts';
import { applyChecks } from './apply-checks.ts';
import { checkRecords } from './records.ts';

export const checkSendingDomainJob = { name: 'check-sending-domain', payload: z.object({ sendingDomainId: z.int() }) };

/** Finds records that were entered late, or that are gone: mail servers refuse messages whose key they do not find. */
export const checkSendingDomain = (tools: Pick<Tools, 'spf' | 'dns'>) =>
  dailyCheck(checkSendingDomainJob, {
    find: (tx, { sendingDomainId }) => tx.sendingDomain.findFirst({ where: { id: sendingDomainId } }),
    lock: (tx, { id }) => tx.sendingDomain.lockFirst({ where: { id } }),
    look: (row) => checkRecords(tools.dns, row, tools.spf),
    apply: (inside, row, checks) => applyChecks(inside, tools, row, checks),
  });
