import type { roles } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';

export const getRole: Handler<typeof roles.getRole> = async ({ params, tx }) => {
  const role = await tx.role.findFirst({ where: { id: params.id } });
  if (!role) throw fail('not_found');
  return role;
};
