import type { pageDomains } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { applyChecks } from './apply-checks.ts';
import { lockPageDomain, type PageDomainTools } from './page-domain.ts';
import { type Check, checkRecords } from './records.ts';

export const verifyPageDomain = (
  tools: PageDomainTools & Pick<Tools, 'dns'>,
): Handler<typeof pageDomains.verifyPageDomain, Check[]> => ({
  async check({ params, tx }) {
    const row = await tx.pageDomain.findFirst({ where: { id: params.id } });
    if (!row) throw fail('not_found');
    return checkRecords(tools, row);
  },
  async run({ params, found: checks, tx, emit, ifMatch }) {
    const row = await lockPageDomain(tx, params.id);
    ifMatch(row);
    const isProven = checks.some(({ purpose, status }) => purpose === 'ownership' && status === 'found');
    const domain = await applyChecks({ tx, emit }, tools, row, checks);
    // Only the owner of the host learns that it is verified elsewhere.
    if (isProven && domain.status !== 'verified') throw fail('host_taken');
    return domain;
  },
});
