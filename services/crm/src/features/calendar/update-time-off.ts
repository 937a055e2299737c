import { type timeOff, timeOffUpdated } from '@tandem/crm-contract';
import { diff, fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { checkPeriod } from './period.ts';
import { checkOverlap, lockTimeOff, timeOffDaysMax } from './time-off.ts';

export const updateTimeOff: Handler<typeof timeOff.updateTimeOff> = async (context) => {
  const { params, body, tx, emit, ifMatch } = context;
  const before = await lockTimeOff(tx, params.id);
  ifMatch(before);
  const { isEmpty, values, audit } = diff(before, body);
  if (isEmpty) return before;
  const { id, userId } = before;
  const period = { from: values.from ?? before.from, to: values.to ?? before.to };
  checkPeriod(period, timeOffDaysMax);
  await checkOverlap(tx, { id, userId, ...period });
  const [after] = await tx.timeOff.updateManyAndReturn({
    where: { id },
    data: { ...values, version: { increment: 1 } },
  });
  if (!after) throw fail('not_found');
  emit(timeOffUpdated, { data: { timeOffId: id, userId, fields: Object.keys(values) }, record: after, changes: audit });
  return after;
};
