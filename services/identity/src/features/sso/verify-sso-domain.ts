import { type sso, ssoDomainVerified } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { asDomain } from './domain.ts';

export const verifySsoDomain = (tools: Tools): Handler<typeof sso.verifySsoDomain> => ({
  async check({ params, tx }) {
    const row = await tx.ssoDomain.findFirst({ where: { id: params.id } });
    if (!row) throw fail('not_found');
    if (row.verifiedAt) return;
    const { recordName, recordValue } = asDomain(row);
    if (!(await tools.readTxt(recordName)).includes(recordValue))
      throw fail('proof_missing', [
        { field: 'id', message: `Requires the TXT record ${recordName} with the value ${recordValue}` },
      ]);
  },
  async run({ params, tx, emit }) {
    const row = await tx.ssoDomain.lockFirst({ where: { id: params.id } });
    if (!row) throw fail('not_found');
    if (row.verifiedAt) return asDomain(row);
    const { domain, tenantId, id } = row;
    const [taken] = await tx.sql<{ domain: string }>`INSERT INTO sso_domain_lookup (domain, owner_tenant_id)
      VALUES (${domain}, ${tenantId}) ON CONFLICT (domain) DO UPDATE SET domain = excluded.domain
      WHERE sso_domain_lookup.owner_tenant_id = excluded.owner_tenant_id RETURNING domain`;
    if (!taken) throw fail('domain_taken');
    const [verified] = await tx.ssoDomain.updateManyAndReturn({ where: { id }, data: { verifiedAt: new Date() } });
    if (!verified) throw fail('not_found');
    emit(ssoDomainVerified, { data: { domainId: id }, record: { id, domain } });
    return asDomain(verified);
  },
});
