import type { preferences } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';
import { asUserPreferences } from './preference.ts';
import { checkPreferredUser } from './preferred-user.ts';

export const getUserPreferences: Handler<typeof preferences.getUserPreferences> = async ({ params, caller, tx }) => {
  await checkPreferredUser(tx, caller, { id: params.id, permission: 'users:read' });
  return asUserPreferences(params.id, await tx.userPreference.findFirst({ where: { userId: params.id } }));
};
