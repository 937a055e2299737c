import type { bookings } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import type { CalendarTools } from '../calendar/tools.ts';
import { type BookingTenant, readOffer, tenantOf } from './offer.ts';

export const getBookingOffer = (tools: CalendarTools): Handler<typeof bookings.getBookingOffer, BookingTenant> => ({
  check: ({ params, caller }) => tenantOf(tools, params.slug, caller.requestId),
  run: ({ params, query, inTenant, found: tenant }) => readOffer(tools, params.slug, { tenant, query, inTenant }),
});
