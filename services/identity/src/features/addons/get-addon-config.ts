import type { addons } from '@tandem/identity-contract';
import type { Handler, Tools } from '../../handler.ts';
import { asInstallation, readInstallation } from './installation.ts';

export const getAddonConfig =
  ({ seal }: Tools): Handler<typeof addons.getAddonConfig> =>
  async ({ params, tx }) =>
    asInstallation(await readInstallation(tx, params.addonId), seal).config;
