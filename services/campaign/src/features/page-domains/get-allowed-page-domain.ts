import type { pageDomains } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asDomainName } from '../dns/domain-name.ts';
import { findVerified } from './find-verified.ts';

export const getAllowedPageDomain: Handler<typeof pageDomains.getAllowedPageDomain> = async ({
  query,
  tx,
  inTenant,
}) => {
  const host = asDomainName(query.domain);
  const domain = host === undefined ? undefined : await findVerified(tx, host);
  if (host === undefined || !domain) throw fail('not_found');
  // Answers 404 for a suspended tenant, whose pages are not shown.
  return inTenant(domain, () => Promise.resolve({ host }));
};
