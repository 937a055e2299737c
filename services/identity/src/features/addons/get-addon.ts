import type { addons } from '@tandem/identity-contract';
import type { Handler, Tools } from '../../handler.ts';
import { asInstallation, readInstallation } from './installation.ts';

export const getAddon =
  ({ seal }: Tools): Handler<typeof addons.getAddon> =>
  async ({ params, tx }) =>
    asInstallation(await readInstallation(tx, params.addonId), seal);
