import { actingUserId } from '@tandem/caller';
import { type availability, availabilityDaysMax } from '@tandem/crm-contract';
import { checkUser, failField, reachOf } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { busyTimes } from './busy.ts';
import { freeSlots } from './free-slots.ts';
import { checkPeriod, widened } from './period.ts';
import { type CalendarTools, settingsFor } from './tools.ts';
import { workingHoursOf } from './working-hours.ts';

const slotsMax = 2_000;

export const findAvailability = (tools: CalendarTools): Handler<typeof availability.findAvailability, string> => ({
  async check({ query, caller }) {
    checkPeriod(query, availabilityDaysMax);
    const { userIds } = query;
    const isOwn = userIds.every((userId) => userId === actingUserId(caller));
    if (reachOf(caller, 'calendar:read') !== 'all' && !isOwn)
      throw failField('userIds', 'Must be your own id, because you can read your own calendar only');
    await Promise.all(userIds.map((userId) => checkUser(tools, 'userIds', userId, caller)));
    return (await settingsFor(tools, caller)).timezone;
  },
  async run({ query, tx, found: tenantZone }) {
    const { userIds, from, to, durationMinutes, mode, timezone = tenantZone } = query;
    const period = { from, to };
    const hours = await workingHoursOf(tx, userIds, tenantZone);
    // Events just outside of the period have buffers within it.
    const busy = await busyTimes(tx, userIds, widened(period));
    const slots = freeSlots({ period, hours, busy, durationMinutes, timezone, mode });
    return {
      from,
      to,
      timezone,
      busy: busy.filter(({ startAt, endAt }) => startAt < to && endAt > from),
      slots: slots.slice(0, slotsMax),
      isTruncated: slots.length > slotsMax,
    };
  },
});
