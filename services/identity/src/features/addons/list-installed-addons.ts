import type { addons } from '@tandem/identity-contract';
import type { Handler, Tools } from '../../handler.ts';
import { addonOf, asInstallation, isExpired } from './installation.ts';
import { pageOf } from './page-of.ts';

export const listInstalledAddons =
  ({ seal }: Tools): Handler<typeof addons.listInstalledAddons> =>
  async ({ query, tx }) => {
    const { status } = query;
    // At most one row per addon that the catalogue has or had.
    const rows = await tx.installedAddon.findMany({
      where: status ? { status } : { uninstalledAt: null },
      orderBy: [{ createdAt: 'asc' }, { addonId: 'asc' }],
    });
    const present = rows.filter((row) => !isExpired(row));
    const keyOf = (row: (typeof rows)[number]) => addonOf(row)?.key ?? `discontinued_${row.addonId}`;
    const { items, ...page } = pageOf(present, keyOf, query);
    return { ...page, items: items.map((row) => asInstallation(row, seal)) };
  };
