import type { BookingOffer, bookings } from '@tandem/crm-contract';
import { formPage, noticePage } from '@tandem/pages';
import type { z } from 'zod';
import type { Handler } from '../../handler.ts';
import type { CalendarTools } from '../calendar/tools.ts';
import { type BookingTenant, readOffer, tenantOf } from './offer.ts';

export const showBookingPage = (tools: CalendarTools): Handler<typeof bookings.showBookingPage, BookingTenant> => ({
  check: ({ params, caller }) => tenantOf(tools, params.slug, caller.requestId),
  async run({ params, inTenant, found: tenant }) {
    const offer = await readOffer(tools, params.slug, { tenant, query: {}, inTenant });
    const { title, description, location, questions, slots, timezone } = offer;
    const hosts = hostsOf(offer);
    if (!slots.length)
      return noticePage({ title, text: [hosts, 'There are no free times at the moment.'].filter(Boolean).join('\n') });
    const form = new Intl.DateTimeFormat('en', {
      timeZone: timezone,
      weekday: 'short',
      day: 'numeric',
      month: 'long',
      hour: '2-digit',
      minute: '2-digit',
      timeZoneName: 'short',
    });
    const times = slots.map(({ startAt }) => ({ value: startAt.toISOString(), label: form.format(startAt) }));
    return formPage({
      title,
      text: [hosts, `${offer.durationMinutes} minutes`, location, description].filter(Boolean).join('\n'),
      action: `/v1/public/booking/${params.slug}`,
      fields: [
        { name: 'startAt', label: 'Time', options: times },
        { name: 'name', label: 'Your name', type: 'text', autocomplete: 'name' },
        { name: 'email', label: 'Your e-mail address', type: 'email', autocomplete: 'email' },
        ...questions.map(({ key, label, required }) => ({
          name: `answers.${key}`,
          label,
          type: 'text' as const,
          autocomplete: 'off',
          isOptional: !required,
        })),
      ],
      button: 'Book',
    });
  },
});

/** With whom people book: with one of the hosts, unless all attend. */
function hostsOf({ hostMode, hostNames }: Pick<z.output<typeof BookingOffer>, 'hostMode' | 'hostNames'>) {
  if (!hostNames.length) return undefined;
  const type = hostMode === 'all' ? 'conjunction' : 'disjunction';
  return `With ${new Intl.ListFormat('en', { type }).format(hostNames)}`;
}
