import { actingUserId, type Caller } from '@tandem/caller';
import { type timeOff, timeOffCreated } from '@tandem/crm-contract';
import { checkUser, failField, reachOf } from '@tandem/service';
import type { Handler, Peers } from '../../handler.ts';
import { checkPeriod } from './period.ts';
import { checkOverlap, timeOffDaysMax } from './time-off.ts';

export const createTimeOff = (peers: Peers): Handler<typeof timeOff.createTimeOff, number> => ({
  async check({ body, caller }) {
    checkPeriod(body, timeOffDaysMax);
    const userId = body.userId ?? actingUserId(caller);
    if (userId === undefined) throw failField('userId', 'Is required, because the request has no acting user');
    checkOwn(caller, userId);
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

/** Fails with a field error for a caller who can write their own time off only, and names somebody else. */
function checkOwn(caller: Caller, userId: number): void {
  const reach = reachOf(caller, 'calendar:write');
  if (reach !== 'all' && (reach === 'none' || reach.userId !== userId))
    throw failField('userId', 'Must be your own id, because you can change your own calendar only');
}
