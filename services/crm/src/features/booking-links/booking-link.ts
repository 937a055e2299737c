import type { Caller } from '@tandem/caller';
import { BookingLink, BookingQuestion } from '@tandem/crm-contract';
import { checkUser, fail, failField } from '@tandem/service';
import { z } from 'zod';
import type { BookingLink as LinkRow } from '../../generated/client.ts';
import type { Peers, Tx } from '../../handler.ts';
import { checkOwnCalendar } from '../calendar/check-own-calendar.ts';
import type { CalendarTools } from '../calendar/tools.ts';

const columns = BookingLink.pick({ hostMode: true });
const storedQuestions = z.array(BookingQuestion);

/** Converts a row to the contract's `BookingLink`. */
export function asBookingLink(row: LinkRow, { publicUrl }: Pick<CalendarTools, 'publicUrl'>) {
  return {
    ...row,
    ...columns.parse(row),
    questions: storedQuestions.parse(row.questions),
    url: `${publicUrl}/book/${row.slug}`,
  };
}

/** Locks the booking link, so that checks on it still hold when it is written. */
export async function lockBookingLink(tx: Tx, id: number): Promise<LinkRow> {
  const row = await tx.bookingLink.lockFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return row;
}

/** Fails with field errors unless the hosts are active users whose calendar the caller can change. */
export async function checkHosts(peers: Peers, hostIds: readonly number[] | undefined, caller: Caller): Promise<void> {
  for (const [index, id] of (hostIds ?? []).entries()) checkOwnCalendar(caller, `hostIds.${index}`, id);
  await Promise.all((hostIds ?? []).map((id, index) => checkUser(peers, `hostIds.${index}`, id, caller)));
}

/** Fails with a field error if two questions have the same key. */
export function checkQuestions(questions: readonly { key: string }[] = []): void {
  const index = questions.findIndex(({ key }, at) => questions.findIndex((other) => other.key === key) < at);
  if (index >= 0) throw failField(`questions.${index}.key`, 'Must be unique; another question has it');
}
