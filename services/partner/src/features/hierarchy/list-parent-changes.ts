import type { hierarchy } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { readPartner } from '../partners/partner.ts';
import { asParentChange } from './parent-change.ts';

export const listParentChanges: Handler<typeof hierarchy.listParentChanges> = async ({ params, tx, list }) => {
  const { id: partnerId } = await readPartner(tx, params.id);
  const page = await list({ model: tx.parentChange, where: { partnerId } });
  return { ...page, items: page.items.map(asParentChange) };
};
