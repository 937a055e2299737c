import type { coMarketing } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { countUsage } from './count-usage.ts';

export const recordCoMarketingUsage: Handler<typeof coMarketing.recordCoMarketingUsage> = ({ params, body, tx }) =>
  countUsage(tx, params.id, body.action);
