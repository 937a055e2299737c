import { calendarEventResponded, type rsvps } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import type { CalendarTools } from '../calendar/tools.ts';
import { writeResponse } from './response.ts';
import { asRsvp, findInvitation, invitedBy } from './rsvp.ts';

export const answerRsvp =
  (tools: CalendarTools): Handler<typeof rsvps.answerRsvp> =>
  async ({ params, body, inTenant }) => {
    const invited = invitedBy(tools, params.token);
    const { tenantId, environment } = invited;
    return inTenant({ tenantId, environment }, async ({ tx, emit }) => {
      const { event, attendee } = await findInvitation(tx, invited, 'write');
      const { isChanged, event: answered } = await writeResponse(tx, event, attendee, body.response);
      if (isChanged) {
        const { userId, email } = attendee;
        emit(calendarEventResponded, {
          data: { calendarEventId: event.row.id, userId, email, response: body.response },
          record: answered.record,
        });
      }
      return asRsvp(answered.record, attendee);
    });
  };
