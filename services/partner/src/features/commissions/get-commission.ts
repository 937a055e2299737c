import type { commissions } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asCommission } from './commission.ts';

export const getCommission: Handler<typeof commissions.getCommission> = async ({ params, tx }) => {
  const row = await tx.commission.findFirst({ where: { id: params.cid } });
  if (!row) throw fail('not_found');
  return asCommission(row);
};
