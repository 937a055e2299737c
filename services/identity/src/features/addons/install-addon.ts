import { actingUserId } from '@tandem/caller';
import { addonInstalled, type addons } from '@tandem/identity-contract';
import { fail, failField, toJsonColumn } from '@tandem/service';
import { isTaken } from '@tandem/tenant-db';
import type { Handler, Tools } from '../../handler.ts';
import { configFor, openConfig, readAddon, readConfig, sealConfig } from './config.ts';
import { addonEventOf, asInstallation, checkPlan, isExpired } from './installation.ts';

export const installAddon =
  ({ seal }: Tools): Handler<typeof addons.installAddon> =>
  async ({ params, body, caller, tx, emit }) => {
    const addon = readAddon(params.addonId);
    const version = body.version ?? addon.version;
    if (!addon.versions.includes(version)) throw failField('version', `Must be one of ${addon.versions.join(', ')}`);
    const before = await tx.installedAddon.lockFirst({ where: { addonId: addon.id } });
    if (before && before.status !== 'uninstalled') throw fail('already_installed');

    const stored = before && !isExpired(before) ? openConfig(seal, before) : {};
    const config = readConfig(addon, {
      config: body.config ?? configFor(addon, version, stored),
      stored,
      version,
      isActive: false,
      path: 'config',
    });
    await checkPlan(tx, addon);
    const { config: plain, ...sealed } = sealConfig(seal, addon.key, config, before?.sealRef ?? null);
    const fields = { version, config: toJsonColumn(plain), ...sealed, createdBy: actingUserId(caller) ?? null };
    const [row] = before
      ? await tx.installedAddon.updateManyAndReturn({
          where: { addonId: addon.id },
          data: {
            ...fields,
            status: 'installed',
            createdAt: new Date(),
            activatedAt: null,
            suspendedAt: null,
            suspendReason: null,
            uninstalledAt: null,
          },
        })
      : [
          await tx.installedAddon.create({ data: { addonId: addon.id, ...fields } }).catch((error: unknown) => {
            throw isTaken(error) ? fail('already_installed') : error;
          }),
        ];
    if (!row) throw fail('not_found');
    emit(addonInstalled, addonEventOf(row));
    return asInstallation(row, seal);
  };
