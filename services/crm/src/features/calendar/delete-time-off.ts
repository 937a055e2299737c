import { type timeOff, timeOffDeleted } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { lockTimeOff } from './time-off.ts';

export const deleteTimeOff: Handler<typeof timeOff.deleteTimeOff> = async ({ params, tx, emit, ifMatch }) => {
  const before = await lockTimeOff(tx, params.id);
  ifMatch(before);
  const { id, userId } = before;
  await tx.timeOff.deleteMany({ where: { id } });
  emit(timeOffDeleted, { data: { timeOffId: id, userId }, record: before });
  return { id, deleted: true };
};
