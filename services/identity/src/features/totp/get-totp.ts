import type { totp } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';
import { readTenant } from '../tenants/tenant.ts';
import { findConfirmed, personOf } from './totp.ts';

export const getTotp: Handler<typeof totp.getTotp> = async ({ caller, tx }) => {
  const row = await findConfirmed(tx, personOf(caller));
  const recoveryCodesLeft = row ? await tx.recoveryCode.count({ where: { totpId: row.id, usedAt: null } }) : 0;
  const { requireTotp: required } = await readTenant(tx);
  return { enabled: row !== null, enabledAt: row?.confirmedAt ?? null, recoveryCodesLeft, required };
};
