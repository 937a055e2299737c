import type { portal } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { countUsage } from '../co-marketing/count-usage.ts';

export const recordPortalCoMarketingUsage: Handler<typeof portal.recordPortalCoMarketingUsage> = (context) => {
  const { params, body, tx } = context;
  return countUsage(tx, params.id, body.action, 'active');
};
