import { type sso, ssoRemoved } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';

export const deleteSso: Handler<typeof sso.deleteSso> = async ({ tx, emit, ifMatch }) => {
  const row = await tx.ssoConnection.findFirst({});
  if (!row) throw fail('not_found');
  ifMatch(row);
  const { tenantId, issuer, allowSignUp, enforce } = row;
  await tx.ssoConnection.deleteMany({ where: { tenantId } });
  // Another connection links its own subjects.
  await tx.userIdentity.deleteMany({ where: { tenantId } });
  emit(ssoRemoved, { data: { tenantId }, record: { id: tenantId, issuer, allowSignUp, enforce } });
  return { id: tenantId, deleted: true };
};
