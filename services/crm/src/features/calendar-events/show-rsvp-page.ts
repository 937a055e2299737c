import type { rsvps } from '@tandem/crm-contract';
import { formPage, noticePage } from '@tandem/pages';
import type { Handler } from '../../handler.ts';
import type { CalendarTools } from '../calendar/tools.ts';
import { periodOf } from './invitation-letter.ts';
import { readRsvp } from './rsvp.ts';

const answers = [
  { value: 'accepted', label: 'Yes' },
  { value: 'tentative', label: 'Maybe' },
  { value: 'declined', label: 'No' },
];
const answered = {
  pending: '',
  accepted: 'You accepted.',
  tentative: 'You answered maybe.',
  declined: 'You declined.',
};

export const showRsvpPage =
  (tools: CalendarTools): Handler<typeof rsvps.showRsvpPage> =>
  async ({ params, inTenant }) => {
    const { title, location, joinUrl, response, status, ...times } = await readRsvp(tools, params.token, inTenant);
    const lines = [periodOf(times, 'en'), location, joinUrl, answered[response]].filter(Boolean);
    if (status === 'cancelled') return noticePage({ title, text: 'This event is cancelled.' });
    return formPage({
      title,
      text: lines.join('\n'),
      action: `/v1/public/rsvp/${params.token}`,
      fields: [{ name: 'response', label: 'Will you attend?', options: answers, value: response }],
      button: 'Answer',
    });
  };
