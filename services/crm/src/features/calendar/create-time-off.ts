import { actingUserId } from '@tandem/caller';
import { type timeOff, timeOffCreated } from '@tandem/crm-contract';
import { checkUser, failField } from '@tandem/service';
import type { Handler, Peers } from '../../handler.ts';
import { checkOwnCalendar } from './check-own-calendar.ts';
import { checkPeriod } from './period.ts';
import { checkOverlap, timeOffDaysMax } from './time-off.ts';

export const createTimeOff = (peers: Peers): Handler<typeof timeOff.createTimeOff, number> => ({
  async check({ body, caller }) {
    checkPeriod(body, timeOffDaysMax);
    const userId = body.userId ?? actingUserId(caller);
    if (userId === undefined) throw failField('userId', 'Is required, because the request has no acting user');
    checkOwnCalendar(caller, 'userId', userId);
    await checkUser(peers, 'userId', userId, caller);
    return userId;
  },
  async run({ body: { from, to, reason }, caller, tx, emit, found: userId }) {
    await checkOverlap(tx, { userId, from, to });
    const createdBy = actingUserId(caller) ?? null;
    const created = await tx.timeOff.create({ data: { userId, from, to, reason: reason ?? null, createdBy } });
    emit(timeOffCreated, { data: { timeOffId: created.id, userId }, record: created });
    return created;
  },
});
