import { type sso, ssoDomainRemoved } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';

export const deleteSsoDomain: Handler<typeof sso.deleteSsoDomain> = async ({ params, tx, emit }) => {
  const row = await tx.ssoDomain.lockFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  const { id, domain, tenantId } = row;
  await tx.ssoDomain.deleteMany({ where: { id } });
  if (row.verifiedAt) await tx.ssoDomainLookup.deleteMany({ where: { domain, ownerTenantId: tenantId } });
  emit(ssoDomainRemoved, { data: { domainId: id }, record: { id, domain } });
  return { id, deleted: true };
};
