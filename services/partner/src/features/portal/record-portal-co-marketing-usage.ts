import type { portal } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { countUsage } from '../co-marketing/count-usage.ts';
import { readVisible } from './visible-material.ts';

export const recordPortalCoMarketingUsage: Handler<typeof portal.recordPortalCoMarketingUsage> = async (context) => {
  const { params, body, caller, tx } = context;
  const { id } = await readVisible(tx, caller, params.id);
  return countUsage(tx, id, body.action, 'active');
};
