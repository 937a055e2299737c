import type { addons } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';
import { catalogue } from './catalogue.ts';
import { pageOf } from './page-of.ts';

export const listAddonCatalog: Handler<typeof addons.listAddonCatalog> = ({ query }) => {
  const { category, search = '' } = query;
  const words = search.toLowerCase();
  const found = catalogue.filter(
    (addon) =>
      (category === undefined || addon.category === category) &&
      [addon.name, addon.description].some((text) => text.toLowerCase().includes(words)),
  );
  return pageOf(found, ({ key }) => key, query);
};
