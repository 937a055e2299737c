import type { availability } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { type CalendarTools, settingsFor } from './tools.ts';
import { asAvailability, defaultAvailability, requireUser } from './user-availability.ts';

export const getUserAvailability = (
  tools: CalendarTools,
): Handler<typeof availability.getUserAvailability, string> => ({
  async check({ params, caller }) {
    await requireUser(tools, params.userId, caller, 'calendar:read');
    return (await settingsFor(tools, caller)).timezone;
  },
  async run({ params: { userId }, tx, found: timezone }) {
    const row = await tx.userAvailability.findFirst({ where: { userId } });
    return row ? asAvailability(row) : defaultAvailability(userId, timezone);
  },
});
