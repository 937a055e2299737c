import type { timeOff } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';

export const getTimeOff: Handler<typeof timeOff.getTimeOff> = async ({ params, tx }) => {
  const found = await tx.timeOff.findFirst({ where: { id: params.id } });
  if (!found) throw fail('not_found');
  return found;
};
