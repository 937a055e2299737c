import type { statuses } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asStatus } from './status.ts';

export const getStatus: Handler<typeof statuses.getStatus> = async ({ params, tx }) => {
  const row = await tx.statusDefinition.findFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  return asStatus(row);
};
