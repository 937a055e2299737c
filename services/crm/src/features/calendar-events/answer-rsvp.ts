import type { rsvps } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import type { CalendarTools } from '../calendar/tools.ts';
import { respond } from './response.ts';
import { asRsvp, findInvitation, invitedBy } from './rsvp.ts';

export const answerRsvp =
  (tools: CalendarTools): Handler<typeof rsvps.answerRsvp> =>
  async ({ params, body, inTenant }) => {
    const invited = invitedBy(tools, params.token);
    const { tenantId, environment } = invited;
    return inTenant({ tenantId, environment }, async ({ tx, emit }) => {
      const { event, attendee } = await findInvitation(tx, invited, 'write');
      const answered = await respond({ tx, emit }, event, attendee, body.response);
      return asRsvp(answered.record, attendee);
    });
  };
