import { type availability, availabilityUpdated, weekdays } from '@tandem/crm-contract';
import { diff, failField } from '@tandem/service';
import { lockNamed } from '@tandem/tenant-db';
import type { Handler } from '../../handler.ts';
import { type CalendarTools, settingsFor } from './tools.ts';
import { asAvailability, defaultAvailability, requireUser } from './user-availability.ts';
import { minutesOf } from './working-hours.ts';

type Hours = { day: (typeof weekdays)[number]; start: string; end: string };

export const setUserAvailability = (
  tools: CalendarTools,
): Handler<typeof availability.setUserAvailability, string> => ({
  async check({ params, body, caller }) {
    checkHours(body.weekly);
    await requireUser(tools, params.userId, caller, 'calendar:write');
    return (await settingsFor(tools, caller)).timezone;
  },
  async run({ params: { userId }, body, tx, emit, ifMatch, found: timezone }) {
    // Two requests that set the first working hours of a user would both find none.
    await lockNamed(tx, 'user_availability', [`${userId}`]);
    const existing = await tx.userAvailability.findFirst({ where: { userId } });
    const before = existing ? asAvailability(existing) : defaultAvailability(userId, timezone);
    ifMatch(before);
    const input = { ...body, weekly: sorted(body.weekly) };
    const { isEmpty, audit } = diff(before, input);
    if (existing && isEmpty) return before;
    const after = existing
      ? (
          await tx.userAvailability.updateManyAndReturn({
            where: { userId },
            data: { ...input, version: { increment: 1 } },
          })
        )[0]
      : await tx.userAvailability.create({ data: { userId, ...input } });
    const set = asAvailability(after as NonNullable<typeof after>);
    const { weekly } = set;
    emit(availabilityUpdated, {
      data: { userId },
      record: { id: userId, timezone: set.timezone, weekly },
      changes: audit,
    });
    return set;
  },
});

/** Fails with a field error unless every period ends after it begins, and those of a day do not overlap. */
function checkHours(weekly: readonly Hours[]): void {
  for (const [index, { day, start, end }] of weekly.entries()) {
    const [from, to] = [minutesOf(start), minutesOf(end)];
    if (to <= from) throw failField(`weekly.${index}.end`, 'Must be after start');
    const isTaken = weekly
      .slice(0, index)
      .some((other) => other.day === day && minutesOf(other.start) < to && from < minutesOf(other.end));
    if (isTaken) throw failField(`weekly.${index}`, 'Must not overlap other hours of the same day');
  }
}

function sorted(weekly: readonly Hours[]): Hours[] {
  return weekly.toSorted(
    (one, other) =>
      weekdays.indexOf(one.day) - weekdays.indexOf(other.day) || minutesOf(one.start) - minutesOf(other.start),
  );
}
