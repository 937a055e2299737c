import { actingUserId } from '@tandem/caller';
import { pageDomainAdded, type pageDomains, pageDomainsMax } from '@tandem/campaign-contract';
import { fail, failField } from '@tandem/service';
import { isTaken, lockNamed } from '@tandem/tenant-db';
import type { Handler } from '../../handler.ts';
import { nextCheck } from '../dns/daily-check.ts';
import { asDomainName } from '../dns/domain-name.ts';
import { checkPageDomainJob } from './check-page-domain.job.ts';
import { asPageDomain, checkHomePage, eventOf, type PageDomainTools } from './page-domain.ts';
import { hostLengthMax } from './records.ts';

export const createPageDomain =
  (tools: PageDomainTools): Handler<typeof pageDomains.createPageDomain> =>
  async ({ body, caller, tx, emit, schedule }) => {
    const host = checkedHost(tools, body.host);
    await checkHomePage(tx, body.homePageId);
    await lockNamed(tx, 'page domains');
    if ((await tx.pageDomain.count({ where: {} })) >= pageDomainsMax) throw fail('too_many_domains');
    const data = { host, homePageId: body.homePageId ?? null, createdBy: actingUserId(caller) ?? null };
    const row = await tx.pageDomain.create({ data }).catch((error: unknown) => {
      throw isTaken(error) ? fail('domain_exists', [{ field: 'host', message: 'Is in the list already' }]) : error;
    });
    await schedule(checkPageDomainJob, [{ pageDomainId: row.id }], nextCheck());
    const record = asPageDomain(tools, row);
    emit(pageDomainAdded, eventOf(record));
    return record;
  };

/** Fails with 422 unless the text is a host that can be the domain of a tenant. */
function checkedHost({ publicUrl, pagesHost }: Pick<PageDomainTools, 'publicUrl' | 'pagesHost'>, text: string): string {
  const host = asDomainName(text);
  if (host === undefined || host.endsWith('.localhost'))
    throw failField('host', 'Must be a host name without scheme and port, such as www.example.com');
  if (host.length > hostLengthMax) throw failField('host', `Must be at most ${hostLengthMax} characters`);
  const own = [new URL(publicUrl).hostname, pagesHost];
  if (own.some((name) => host === name || host.endsWith(`.${name}`)))
    throw failField('host', 'Must be a host of your own, not one of the platform');
  return host;
}
