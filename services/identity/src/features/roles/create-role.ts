import { roleCreated, type roles } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';
import { checkCeiling } from '../../permissions.ts';
import { nameTaken } from './role.ts';

export const createRole: Handler<typeof roles.createRole> = async ({ body, caller, tx, emit }) => {
  checkCeiling(caller, body.permissions);
  const role = await tx.role
    .create({ data: { ...body, description: body.description ?? null } })
    .catch((error: unknown) => {
      throw nameTaken(error);
    });
  emit(roleCreated, { data: { roleId: role.id }, record: role });
  return role;
};
