import type { activities } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asActivity } from './activity.ts';

export const getActivity: Handler<typeof activities.getActivity> = async ({ params, tx }) => {
  const row = await tx.activity.findFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  return asActivity(row);
};
