import { type sso, ssoDomainAdded, ssoDomainsMax } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asDomain, newProof, normalDomain } from './domain.ts';

export const addSsoDomain: Handler<typeof sso.addSsoDomain> = async ({ body, tx, emit }) => {
  const domain = normalDomain(body.domain);
  await tx.sql`SELECT tenant_id FROM tenant FOR NO KEY UPDATE`;
  const domains = await tx.ssoDomain.findMany({ select: { domain: true } });
  if (domains.some((one) => one.domain === domain)) throw fail('domain_exists');
  if (domains.length >= ssoDomainsMax) throw fail('too_many_domains');
  const row = await tx.ssoDomain.create({ data: { domain, token: newProof() } });
  emit(ssoDomainAdded, { data: { domainId: row.id }, record: { id: row.id, domain } });
  return asDomain(row);
};
