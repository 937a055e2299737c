import type { addons, entitlements, internalEntitlements } from '@tandem/identity-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { activateAddon } from './activate-addon.ts';
import { getAddon } from './get-addon.ts';
import { getAddonCatalogItem } from './get-addon-catalog-item.ts';
import { getAddonConfig } from './get-addon-config.ts';
import { getEntitlement } from './get-entitlement.ts';
import { installAddon } from './install-addon.ts';
import { listAddonCatalog } from './list-addon-catalog.ts';
import { listEntitlements } from './list-entitlements.ts';
import { listInstalledAddons } from './list-installed-addons.ts';
import { readEntitlements } from './read-entitlements.ts';
import { suspendAddon } from './suspend-addon.ts';
import { uninstallAddon } from './uninstall-addon.ts';
import { updateAddonConfig } from './update-addon-config.ts';
import { upgradeAddon } from './upgrade-addon.ts';

export const addonHandlers = (tools: Tools) =>
  ({
    listAddonCatalog,
    getAddonCatalogItem,
    listInstalledAddons: listInstalledAddons(tools),
    getAddon: getAddon(tools),
    installAddon: installAddon(tools),
    activateAddon: activateAddon(tools),
    suspendAddon: suspendAddon(tools),
    uninstallAddon: uninstallAddon(tools),
    getAddonConfig: getAddonConfig(tools),
    updateAddonConfig: updateAddonConfig(tools),
    upgradeAddon: upgradeAddon(tools),
    listEntitlements: listEntitlements(tools),
    getEntitlement: getEntitlement(tools),
    readEntitlements: readEntitlements(tools),
  }) satisfies Handlers<typeof addons & typeof entitlements & typeof internalEntitlements, Tx>;
