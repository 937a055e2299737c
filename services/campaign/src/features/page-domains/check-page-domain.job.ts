import { z } from 'zod';
import type { Tools } from '../../handler.ts';
import { dailyCheck } from '../dns/daily-check.ts';
import { applyChecks } from './apply-checks.ts';
import type { PageDomainTools } from './page-domain.ts';
import { checkRecords } from './records.ts';

export const checkPageDomainJob = { name: 'check-page-domain', payload: z.object({ pageDomainId: z.int() }) };

/** Finds proofs that were entered late, or that are gone: a domain with a new owner must not show pages of the old one. */
export const checkPageDomain = (tools: PageDomainTools & Pick<Tools, 'dns'>) =>
  dailyCheck(checkPageDomainJob, {
    find: (tx, { pageDomainId }) => tx.pageDomain.findFirst({ where: { id: pageDomainId } }),
    lock: (tx, { id }) => tx.pageDomain.lockFirst({ where: { id } }),
    look: (row) => checkRecords(tools, row),
    apply: (inside, row, checks) => applyChecks(inside, tools, row, checks),
  });
