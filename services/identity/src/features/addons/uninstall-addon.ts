import { type addons, addonUninstalled } from '@tandem/identity-contract';
import type { Handler, Tools } from '../../handler.ts';
import { addonEventOf, asInstallation, checkTransition, lockInstallation, writeInstallation } from './installation.ts';

export const uninstallAddon =
  ({ seal, invalidateCredentials }: Tools): Handler<typeof addons.uninstallAddon> =>
  async ({ params, query, tx, emit, afterCommit }) => {
    const before = await lockInstallation(tx, params.addonId);
    const { purgeData } = query;
    const wasInstalled = before.status !== 'uninstalled';
    // The kept configuration of an uninstalled addon can still be deleted.
    if (wasInstalled || !purgeData) checkTransition(before, 'uninstalled');
    const row = wasInstalled
      ? await writeInstallation(tx, before.addonId, {
          status: 'uninstalled',
          uninstalledAt: new Date(),
          suspendedAt: null,
          suspendReason: null,
        })
      : before;
    if (purgeData) await tx.installedAddon.deleteMany({ where: { addonId: before.addonId } });
    const { data, record } = addonEventOf(row);
    emit(addonUninstalled, {
      data: { ...data, configDeleted: purgeData },
      record,
      ...(wasInstalled && { changes: { status: { from: before.status, to: row.status } } }),
    });
    afterCommit(() => invalidateCredentials({ tenantId: row.tenantId }));
    const configKeptUntil = purgeData ? null : asInstallation(row, seal).configKeptUntil;
    return { id: row.addonId, deleted: true, configKeptUntil };
  };
