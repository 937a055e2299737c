import type { rsvps } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import type { CalendarTools } from '../calendar/tools.ts';
import { readRsvp } from './rsvp.ts';

export const getRsvp =
  (tools: CalendarTools): Handler<typeof rsvps.getRsvp> =>
  ({ params, inTenant }) =>
    readRsvp(tools, params.token, inTenant);
