import type { preferences } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';
import { checkPreferredUser } from './preferred-user.ts';
import { writePreferences } from './write-preferences.ts';

export const updateUserPreferences: Handler<typeof preferences.updateUserPreferences> = async ({
  params,
  body,
  caller,
  tx,
  emit,
  ifMatch,
}) => {
  await checkPreferredUser(tx, caller, { id: params.id, permission: 'users:write' });
  return writePreferences({ tx, emit, ifMatch }, params.id, body);
};
