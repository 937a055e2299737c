import { addonActivated, type addons } from '@tandem/identity-contract';
import type { Handler, Tools } from '../../handler.ts';
import { openConfig, readConfig, sealConfig } from './config.ts';
import {
  addonEventOf,
  asInstallation,
  checkOffered,
  checkPlan,
  checkTransition,
  lockInstallation,
  writeInstallation,
} from './installation.ts';

export const activateAddon =
  ({ seal, invalidateCredentials }: Tools): Handler<typeof addons.activateAddon> =>
  async ({ params, tx, emit, afterCommit }) => {
    const before = await lockInstallation(tx, params.addonId);
    const addon = checkOffered(before);
    checkTransition(before, 'active');
    await checkPlan(tx, addon);
    const { version } = before;
    const config = readConfig(addon, { config: openConfig(seal, before), version, isActive: true, path: 'config' });
    const row = await writeInstallation(tx, addon.id, {
      status: 'active',
      activatedAt: new Date(),
      suspendedAt: null,
      suspendReason: null,
      ...sealConfig(seal, addon.key, config, before.sealRef),
    });
    emit(addonActivated, { ...addonEventOf(row), changes: { status: { from: before.status, to: row.status } } });
    afterCommit(() => invalidateCredentials({ tenantId: row.tenantId }));
    return asInstallation(row, seal);
  };
