import type { addons } from '@tandem/identity-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { getAddonCatalogItem } from './get-addon-catalog-item.ts';
import { installAddon } from './install-addon.ts';
import { listAddonCatalog } from './list-addon-catalog.ts';

export const addonHandlers = { listAddonCatalog, getAddonCatalogItem, installAddon } satisfies Handlers<
  typeof addons,
  Tx
>;
