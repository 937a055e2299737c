import type { addons } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';
import { readAddon } from './config.ts';

export const getAddonCatalogItem: Handler<typeof addons.getAddonCatalogItem> = ({ params }) =>
  readAddon(params.addonId);
