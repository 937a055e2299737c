import type { internalViews } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { visibleTo } from './view.ts';

/** The gateway has checked the permission of the list that the view is applied to. */
export const findView: Handler<typeof internalViews.findView> = async ({ params, caller, tx }) => {
  if (caller.tenantId === undefined) throw fail('not_found');
  const row = await tx.view.findFirst({ where: { id: params.id, ...(await visibleTo(tx, caller)) } });
  if (!row) throw fail('not_found');
  return row;
};
