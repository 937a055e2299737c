import type { Caller } from '@tandem/caller';
import { checkUser, failField } from '@tandem/service';
import type { CalendarAttendee as AttendeeRow } from '../../generated/client.ts';
import type { Peers, Tx } from '../../handler.ts';

/** An attendee of a request. */
export interface AttendeeInput {
  userId?: number | undefined;
  email?: string | undefined;
  name?: string | undefined;
}

/**
 * Checks the attendees of a request.
 * @throws 422 naming the attendee that has neither or both of user and address, is named twice, or is no active user
 */
export async function checkAttendees(
  peers: Peers,
  attendees: readonly AttendeeInput[] | undefined,
  caller: Caller,
): Promise<void> {
  const seen = new Set<string>();
  for (const [index, { userId, email }] of (attendees ?? []).entries()) {
    const field = `attendees.${index}`;
    if ((userId === undefined) === (email === undefined))
      throw failField(field, 'Must have either a userId or an email');
    const key = userId === undefined ? (email as string).toLowerCase() : String(userId);
    if (seen.has(key)) throw failField(field, 'Is named twice; remove one of them');
    seen.add(key);
  }
  await Promise.all(
    (attendees ?? []).map(({ userId }, index) => checkUser(peers, `attendees.${index}.userId`, userId, caller)),
  );
}

/** Adds attendees to an event. */
export async function addAttendees(
  tx: Tx,
  eventId: number,
  attendees: readonly (AttendeeInput & Partial<Pick<AttendeeRow, 'response' | 'respondedAt'>>)[],
): Promise<AttendeeRow[]> {
  if (!attendees.length) return [];
  const rows = await tx.calendarAttendee.createManyAndReturn({
    data: attendees.map(({ userId, email, name, response, respondedAt }) => ({
      eventId,
      userId: userId ?? null,
      email: email ?? null,
      name: name ?? null,
      ...(response !== undefined && { response }),
      respondedAt: respondedAt ?? null,
    })),
  });
  return rows.sort((one, other) => one.id - other.id);
}

/** Copies the attendees of a series to an event that replaces a part of it; they keep their answers. */
export function copyAttendees(tx: Tx, eventId: number, attendees: readonly AttendeeRow[]): Promise<AttendeeRow[]> {
  return addAttendees(
    tx,
    eventId,
    attendees.map(({ userId, email, name, response, respondedAt }) => ({
      ...(userId !== null && { userId }),
      ...(email !== null && { email }),
      ...(name !== null && { name }),
      response,
      respondedAt,
    })),
  );
}

/** Replaces the attendees of an event. Those who stay keep their answers and their links. */
export async function replaceAttendees(
  tx: Tx,
  eventId: number,
  { before, wanted }: { before: readonly AttendeeRow[]; wanted: readonly AttendeeInput[] },
): Promise<{ now: AttendeeRow[]; added: AttendeeRow[]; removed: AttendeeRow[] }> {
  const isSame = (row: AttendeeRow, { userId, email }: AttendeeInput) =>
    userId === undefined ? row.email?.toLowerCase() === email?.toLowerCase() : row.userId === userId;
  const removed = before.filter((row) => !wanted.some((one) => isSame(row, one)));
  const fresh = wanted.filter((one) => !before.some((row) => isSame(row, one)));
  if (removed.length) await tx.calendarAttendee.deleteMany({ where: { id: { in: removed.map(({ id }) => id) } } });
  const added = await addAttendees(tx, eventId, fresh);
  return { now: [...before.filter((row) => !removed.includes(row)), ...added], added, removed };
}
