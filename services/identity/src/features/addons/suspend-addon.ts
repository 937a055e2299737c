import { addonSuspended, type addons } from '@tandem/identity-contract';
import type { Handler, Tools } from '../../handler.ts';
import { addonEventOf, asInstallation, checkTransition, lockInstallation, writeInstallation } from './installation.ts';

export const suspendAddon =
  ({ seal, invalidateCredentials }: Tools): Handler<typeof addons.suspendAddon> =>
  async ({ params, body, tx, emit, afterCommit }) => {
    const before = await lockInstallation(tx, params.addonId);
    checkTransition(before, 'suspended');
    const reason = body.reason ?? null;
    const row = await writeInstallation(tx, params.addonId, {
      status: 'suspended',
      suspendedAt: new Date(),
      suspendReason: reason,
    });
    const { data, record } = addonEventOf(row);
    const changes = { status: { from: before.status, to: row.status } };
    emit(addonSuspended, { data: { ...data, reason }, record, changes });
    afterCommit(() => invalidateCredentials({ tenantId: row.tenantId }));
    return asInstallation(row, seal);
  };
