import { bookingSlotsMax } from '@tandem/crm-contract';
import type { KnownSettings } from '@tandem/identity-contract';
import { fail, type InTenant } from '@tandem/service';
import type { BookingLink as LinkRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { busyTimes } from '../calendar/busy.ts';
import { freeSlots, type Slot } from '../calendar/free-slots.ts';
import { widened } from '../calendar/period.ts';
import { type CalendarTools, settingsFor } from '../calendar/tools.ts';
import { type Period, workingHoursOf } from '../calendar/working-hours.ts';
import { asBookingLink } from './booking-link.ts';
import { namesOf, readHostNames } from './host-names.ts';
import { ownerOf } from './slug.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** Longest period that one response covers; `from` reads further. */
const offerDaysMax = 31;

/** The tenant of a public booking page. */
export interface BookingTenant {
  tenantId: number;
  /** The environments that can have the link of the page, in the order in which it is looked for. */
  environments: readonly ('live' | 'sandbox')[];
  /** The request that reads the page. */
  requestId: string;
  settings: NonNullable<KnownSettings>;
}

/** Finds the tenant of a slug with its settings, before a transaction opens. */
export async function tenantOf(tools: CalendarTools, slug: string, requestId: string): Promise<BookingTenant> {
  const owner = ownerOf(tools.ids, slug);
  if (!owner) throw fail('not_found');
  const { tenantId, environments } = owner;
  const settings = await settingsFor(tools, { tenantId, environment: environments[0], requestId });
  return { ...owner, requestId, settings };
}

/** The free slots of a booking link within a period, as far as its notice and horizon allow. */
export async function bookableSlots(
  tx: Tx,
  link: LinkRow,
  { period, timezone }: { period: Period; timezone: string },
): Promise<Slot[]> {
  const now = Date.now();
  const from = new Date(Math.max(period.from.getTime(), now + link.noticeMinutes * minuteMs));
  const to = new Date(Math.min(period.to.getTime(), now + link.horizonDays * dayMs));
  if (to <= from) return [];
  const hours = await workingHoursOf(tx, link.hostIds, timezone);
  const busy = await busyTimes(tx, link.hostIds, widened({ from, to }));
  const { durationMinutes } = link;
  const mode = link.hostMode === 'all' ? 'all' : 'any';
  return freeSlots({ period: { from, to }, hours, busy, durationMinutes, timezone, mode });
}

/** Finds an active booking link by its slug, and the environment that has it. */
export async function findBookingLink(
  inTenant: InTenant<Tx>,
  slug: string,
  { tenantId, environments }: BookingTenant,
): Promise<{ link: LinkRow; scope: Parameters<InTenant<Tx>>[0] }> {
  for (const environment of environments) {
    const scope = { tenantId, environment };
    const link = await inTenant(scope, ({ tx }) => tx.bookingLink.findFirst({ where: { slug } }));
    if (link?.active) return { link, scope };
    if (link) break;
  }
  throw fail('not_found');
}

/** The content of a booking page: the link with the names of its hosts, and its free slots. */
export async function readOffer(
  tools: CalendarTools,
  slug: string,
  { tenant, query, inTenant }: { tenant: BookingTenant; query: { from?: Date; to?: Date }; inTenant: InTenant<Tx> },
) {
  const { timezone } = tenant.settings;
  const { link, scope } = await findBookingLink(inTenant, slug, tenant);
  const { hostIds, ...offer } = await inTenant(scope, async ({ tx }) => {
    const from = query.from && query.from.getTime() > Date.now() ? query.from : new Date();
    const latest = new Date(from.getTime() + offerDaysMax * dayMs);
    const to = query.to && query.to < latest ? query.to : latest;
    const slots = await bookableSlots(tx, link, { period: { from, to }, timezone });
    const { title, description, durationMinutes, location, questions, hostIds, hostMode } = asBookingLink(link, tools);
    return {
      hostIds,
      hostMode,
      title,
      description,
      durationMinutes,
      location,
      questions,
      timezone,
      slots: slots.slice(0, bookingSlotsMax),
    };
  });
  return {
    ...offer,
    hostNames: namesOf(await readHostNames(tools, { ...scope, requestId: tenant.requestId }, hostIds), hostIds),
  };
}
