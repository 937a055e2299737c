import { actingUserId } from '@tandem/caller';
import { sendingDomainAdded, type sendingDomains, sendingDomainsMax } from '@tandem/campaign-contract';
import { fail, failField } from '@tandem/service';
import { isTaken, lockNamed } from '@tandem/tenant-db';
import type { Handler, Tools } from '../../handler.ts';
import { nextCheck } from '../dns/daily-check.ts';
import { asDomainName } from '../dns/domain-name.ts';
import { checkSendingDomainJob } from './check-sending-domain.job.ts';
import { asSendingDomain, eventOf, newDomainSecrets } from './sending-domain.ts';

type Secrets = Awaited<ReturnType<typeof newDomainSecrets>>;

export const createSendingDomain = (
  tools: Pick<Tools, 'seal' | 'spf'>,
): Handler<typeof sendingDomains.createSendingDomain, Secrets & { domain: string }> => ({
  async check({ body }) {
    const domain = asDomainName(body.domain);
    if (domain === undefined) throw failField('domain', 'Must be a domain, such as example.com');
    return { domain, ...(await newDomainSecrets(tools)) };
  },
  async run({ found, caller, tx, emit, schedule }) {
    await lockNamed(tx, 'sending domains');
    if ((await tx.sendingDomain.count({ where: {} })) >= sendingDomainsMax) throw fail('too_many_domains');
    const data = { ...found, createdBy: actingUserId(caller) ?? null };
    const row = await tx.sendingDomain.create({ data }).catch((error: unknown) => {
      throw isTaken(error) ? fail('domain_exists', [{ field: 'domain', message: 'Is in the list already' }]) : error;
    });
    await schedule(checkSendingDomainJob, [{ sendingDomainId: row.id }], nextCheck());
    const record = asSendingDomain(tools, row);
    emit(sendingDomainAdded, eventOf(record));
    return record;
  },
});
