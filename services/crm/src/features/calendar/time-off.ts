import { actingUserId, type Caller } from '@tandem/caller';
import { type timeOff, timeOffCreated, timeOffDeleted, timeOffUpdated } from '@tandem/crm-contract';
import { checkUser, diff, fail, failField, reachOf } from '@tandem/service';
import type { Handler, Peers, Tx } from '../../handler.ts';
import { checkPeriod } from './period.ts';

const daysMax = 366;

export const createTimeOff = (peers: Peers): Handler<typeof timeOff.createTimeOff, number> => ({
  async check({ body, caller }) {
    checkPeriod(body, daysMax);
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

export const listTimeOff: Handler<typeof timeOff.listTimeOff> = ({ query: { userId, current }, tx, list }) => {
  const now = new Date();
  return list({
    model: tx.timeOff,
    where: { ...(userId !== undefined && { userId }) },
    and: current === undefined ? [] : [{ to: current ? { gt: now } : { lte: now } }],
  });
};

export const getTimeOff: Handler<typeof timeOff.getTimeOff> = async ({ params, tx }) => {
  const found = await tx.timeOff.findFirst({ where: { id: params.id } });
  if (!found) throw fail('not_found');
  return found;
};

export const updateTimeOff: Handler<typeof timeOff.updateTimeOff> = async (context) => {
  const { params, body, tx, emit, ifMatch } = context;
  const before = await lockTimeOff(tx, params.id);
  ifMatch(before);
  const { isEmpty, values, audit } = diff(before, body);
  if (isEmpty) return before;
  const { id, userId } = before;
  const period = { from: values.from ?? before.from, to: values.to ?? before.to };
  checkPeriod(period, daysMax);
  await checkOverlap(tx, { id, userId, ...period });
  const [after] = await tx.timeOff.updateManyAndReturn({
    where: { id },
    data: { ...values, version: { increment: 1 } },
  });
  if (!after) throw fail('not_found');
  emit(timeOffUpdated, { data: { timeOffId: id, userId, fields: Object.keys(values) }, record: after, changes: audit });
  return after;
};

export const deleteTimeOff: Handler<typeof timeOff.deleteTimeOff> = async ({ params, tx, emit, ifMatch }) => {
  const before = await lockTimeOff(tx, params.id);
  ifMatch(before);
  const { id, userId } = before;
  await tx.timeOff.deleteMany({ where: { id } });
  emit(timeOffDeleted, { data: { timeOffId: id, userId }, record: before });
  return { id, deleted: true };
};

async function lockTimeOff(tx: Tx, id: number) {
  const found = await tx.timeOff.lockFirst({ where: { id } });
  if (!found) throw fail('not_found');
  return found;
}

/** Fails with a field error for a caller who can write their own time off only, and names somebody else. */
function checkOwn(caller: Caller, userId: number): void {
  const reach = reachOf(caller, 'calendar:write');
  if (reach !== 'all' && (reach === 'none' || reach.userId !== userId))
    throw failField('userId', 'Must be your own id, because you can change your own calendar only');
}

/** Fails with 409 if the user has other time off in a period. Requests for the same user wait for each other. */
async function checkOverlap(tx: Tx, time: { id?: number; userId: number; from: Date; to: Date }): Promise<void> {
  const { id, userId, from, to } = time;
  await tx.sql`SELECT pg_advisory_xact_lock(hashtextextended('time_off', platform.tenant_id() * 1000003 + ${userId}))`;
  const where = { userId, from: { lt: to }, to: { gt: from }, ...(id !== undefined && { id: { not: id } }) };
  const other = await tx.timeOff.findFirst({ where, select: { id: true } });
  if (other) throw fail('time_off_overlaps', [{ field: 'from', message: 'Overlaps other time off of the user' }]);
}
