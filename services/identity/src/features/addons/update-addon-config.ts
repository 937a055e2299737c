import { isDeepStrictEqual } from 'node:util';
import { addonConfigured, type addons } from '@tandem/identity-contract';
import type { Handler, Tools } from '../../handler.ts';
import { changedSettings, openConfig, readConfig, sealConfig, shownConfig } from './config.ts';
import { addonEventOf, lockInstalled, writeInstallation } from './installation.ts';

export const updateAddonConfig =
  ({ seal }: Tools): Handler<typeof addons.updateAddonConfig> =>
  async ({ params, body, tx, emit }) => {
    const { row: before, addon } = await lockInstalled(tx, params.addonId);
    const stored = openConfig(seal, before);
    const { version, status } = before;
    const config = readConfig(addon, { config: body, stored, version, isActive: status === 'active' });
    if (isDeepStrictEqual(config, stored)) return shownConfig(addon.key, config);
    const row = await writeInstallation(tx, addon.id, sealConfig(seal, addon.key, config, before.sealRef));
    const { data, record } = addonEventOf(row);
    const changes = changedSettings(addon.key, stored, config);
    emit(addonConfigured, { data: { ...data, fields: Object.keys(changes) }, record, changes });
    return shownConfig(addon.key, config);
  };
