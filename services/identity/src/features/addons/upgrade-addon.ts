import { type addons, addonUpgraded } from '@tandem/identity-contract';
import { fail, failField } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { changedSettings, configFor, openConfig, readConfig, sealConfig } from './config.ts';
import { addonEventOf, asInstallation, lockInstalled, writeInstallation } from './installation.ts';

export const upgradeAddon =
  ({ seal }: Tools): Handler<typeof addons.upgradeAddon> =>
  async ({ params, body, tx, emit }) => {
    const { row: before, addon } = await lockInstalled(tx, params.addonId);
    const { version: previousVersion, status } = before;
    const later = addon.versions.slice(addon.versions.indexOf(previousVersion) + 1);
    const { version } = body;
    if (!addon.versions.includes(version)) throw failField('version', `Must be one of ${addon.versions.join(', ')}`);
    if (!later.includes(version)) {
      const message = `The installed version is ${previousVersion}; ${later.length ? `it can be upgraded to ${later.join(', ')}` : 'it is the latest'}`;
      throw fail('not_later', [{ field: 'version', message }]);
    }
    const stored = openConfig(seal, before);
    const config = readConfig(addon, {
      config: body.config ?? configFor(addon, version, stored),
      stored,
      version,
      isActive: status === 'active',
      path: 'config',
    });
    const row = await writeInstallation(tx, addon.id, {
      version,
      ...sealConfig(seal, addon.key, config, before.sealRef),
    });
    const { data, record } = addonEventOf(row);
    const changes = {
      version: { from: previousVersion, to: version },
      ...changedSettings(addon.key, stored, config),
    };
    emit(addonUpgraded, { data: { ...data, previousVersion }, record, changes });
    return asInstallation(row, seal);
  };
