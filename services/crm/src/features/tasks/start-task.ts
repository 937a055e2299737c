import { actingUserId } from '@tandem/caller';
import type { taskWork } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { setStatus } from './set-status.ts';

export const startTask: Handler<typeof taskWork.startTask> = ({ params, caller, tx, emit, schedule, ifMatch }) =>
  setStatus({ tx, emit, schedule, userId: actingUserId(caller) ?? null }, params.id, { to: 'in_progress', ifMatch });
