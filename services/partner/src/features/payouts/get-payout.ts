import type { payouts } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { asPayout, readPayout } from './payout.ts';

export const getPayout: Handler<typeof payouts.getPayout> = async ({ params, tx }) =>
  asPayout(await readPayout(tx, params.id));
