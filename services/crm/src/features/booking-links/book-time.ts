import { randomUUID } from 'node:crypto';
import type { Caller } from '@tandem/caller';
import { type bookings, calendarEventCreated, type leadCreated } from '@tandem/crm-contract';
import type { Emit } from '@tandem/events';
import type { Schedule } from '@tandem/jobs';
import { fail, failField } from '@tandem/service';
import { lockNamed } from '@tandem/tenant-db';
import type { z } from 'zod';
import type { BookingLink as LinkRow } from '../../generated/client.ts';
import type { Handler, Tx } from '../../handler.ts';
import type { CalendarTools } from '../calendar/tools.ts';
import { addAttendees } from '../calendar-events/attendees.ts';
import { asEvent, type StoredEvent } from '../calendar-events/event.ts';
import { mailAttendees } from '../calendar-events/invitations.ts';
import { insertLead } from '../leads/create-lead.ts';
import { asBookingLink } from './booking-link.ts';
import { namesOf, readHostNames } from './host-names.ts';
import { limitBookings } from './limit-bookings.ts';
import { type BookingTenant, bookableSlots, findBookingLink, tenantOf } from './offer.ts';
import { placeBookedLeadJob } from './place-booked-lead.job.ts';

type Body = z.output<typeof bookings.bookTime.body>;

interface Booked {
  link: LinkRow;
  body: Body;
  timezone: string;
  hosts: [number, ...number[]];
  leadId: number;
}

interface Inside {
  tx: Tx;
  emit: Emit<typeof leadCreated>;
  schedule: Schedule;
  caller: Caller;
}

const listed = new Intl.ListFormat('en', { type: 'conjunction' });
const dayMs = 86_400_000;
const minuteMs = 60_000;
// Names of a single word have no last name, which leads require.
const noLastName = '-';

export const bookTime = (tools: CalendarTools): Handler<typeof bookings.bookTime, BookingTenant> => ({
  check: ({ params, caller }) => tenantOf(tools, params.slug, caller.requestId),
  async run({ params, body, inTenant, found: tenant, message }) {
    const { requestId, settings } = tenant;
    const { link: found, scope } = await findBookingLink(inTenant, params.slug, tenant);
    const { tenantId, environment } = scope;
    // Read before the transaction that chooses among the hosts, because it cannot call other services.
    const names = await readHostNames(tools, { ...scope, requestId }, found.hostIds);
    return inTenant(scope, async ({ tx, emit, schedule }) => {
      const { timezone, locale } = settings;
      const link = await tx.bookingLink.lockFirst({ where: { id: found.id } });
      if (!link?.active) throw fail('not_found');
      await limitBookings(tx, { linkId: link.id, email: body.email });
      const description = descriptionOf(link, body, tools);
      await lockHosts(tx, link.hostIds);
      const hosts = await hostsOf(tx, link, { startAt: body.startAt, timezone });
      const leadId = await leadOf(
        { tx, emit, schedule, caller: visitorOf({ tenantId, environment, requestId }) },
        body,
        hosts[0],
      );
      const event = await createEvent(tx, { link, body, timezone, hosts, leadId }, description);
      emit(calendarEventCreated, {
        data: { calendarEventId: event.row.id, title: event.row.title },
        record: event.record,
      });
      const hostNames = namesOf(names, hosts);
      const caller = { name: names.get(hosts[0]) ?? 'Tandem', tenantId, environment };
      const to = event.attendees;
      await mailAttendees(tools, { tx, schedule, caller, locale, hostNames }, [{ event, occasion: 'booked', to }]);
      if (hostNames.length) message(`Your booking with ${listed.format(hostNames)} is confirmed`);
      const { title, location, joinUrl } = link;
      return {
        title,
        hostNames,
        location,
        joinUrl,
        startAt: event.row.startAt,
        endAt: event.row.endAt,
        timezone: event.row.timezone,
      };
    });
  },
});

/** Bookings of the same hosts wait for each other, also through other links: one of two for the same time is refused. */
async function lockHosts(tx: Tx, hostIds: readonly number[]): Promise<void> {
  await lockNamed(tx, 'booking', hostIds.map(String));
}

/** The hosts of a booking, the organizer first. */
async function hostsOf(
  tx: Tx,
  link: LinkRow,
  { startAt, timezone }: { startAt: Date; timezone: string },
): Promise<[number, ...number[]]> {
  const around = { from: new Date(startAt.getTime() - dayMs), to: new Date(startAt.getTime() + dayMs) };
  const slots = await bookableSlots(tx, link, { period: around, timezone });
  const slot = slots.find((one) => one.startAt.getTime() === startAt.getTime());
  if (!slot) throw fail('slot_taken', [{ field: 'startAt', message: 'Must be the start of a free slot' }]);
  const { hostIds, hostMode, turn } = link;
  if (hostMode === 'all') return hostIds as [number, ...number[]];
  const first = hostMode === 'round_robin' ? turn % hostIds.length : 0;
  const inTurn = [...hostIds.slice(first), ...hostIds.slice(0, first)];
  const host = inTurn.find((id) => slot.userIds.includes(id)) as number;
  if (hostMode === 'round_robin')
    await tx.bookingLink.updateMany({ where: { id: link.id }, data: { turn: hostIds.indexOf(host) + 1 } });
  return [host];
}

/** The creator of records of the tenant: nobody, also when the visitor is signed in to another tenant. */
function visitorOf(scope: Pick<Caller, 'tenantId' | 'environment' | 'requestId'>): Caller {
  return { ...scope, type: 'anonymous', permissions: [] };
}

/**
 * The lead with the address of the person, created if there is none. It has no custom fields, also where some are
 * required, because visitors answer the questions of the link only.
 */
async function leadOf(
  { tx, emit, schedule, caller }: Inside,
  { name, email, timezone }: Body,
  ownerId: number,
): Promise<number> {
  const [existing] = await tx.sql<{ id: number }>`SELECT id FROM lead
    WHERE tenant_id = platform.tenant_id() AND environment = platform.environment()
      AND email_key = lower(${email}) AND deleted_at IS NULL ORDER BY id LIMIT 1`;
  if (existing) return existing.id;
  const [firstName = name, ...others] = name.split(/\s+/);
  const person = {
    email,
    firstName: firstName.slice(0, 100),
    lastName: others.join(' ').slice(0, 100) || noLastName,
    ...(timezone !== undefined && { timezone }),
  };
  const body = { ...person, source: 'web', assignedTo: ownerId } as const;
  const { id } = await insertLead({ tx, emit, caller }, body, undefined, { mayLackCustomFields: true });
  await schedule(placeBookedLeadJob, [{ leadId: id }]);
  return id;
}

async function createEvent(tx: Tx, booked: Booked, description: string | null): Promise<StoredEvent> {
  const { link, body, timezone, hosts, leadId } = booked;
  const [organizerId, ...others] = hosts;
  const { startAt, name, email } = body;
  const row = await tx.calendarEvent.create({
    data: {
      uid: randomUUID(),
      // Without words of the visitor, because the title goes to the address that they entered.
      title: link.title,
      description,
      startAt,
      endAt: new Date(startAt.getTime() + link.durationMinutes * minuteMs),
      timezone: body.timezone ?? timezone,
      location: link.location,
      joinUrl: link.joinUrl,
      leadId,
      organizerId,
      bookingLinkId: link.id,
    },
  });
  const accepted = { response: 'accepted', respondedAt: new Date() };
  const attendees = await addAttendees(tx, row.id, [
    { email, name, ...accepted },
    ...others.map((userId) => ({ userId, ...accepted })),
  ]);
  return { row, attendees, record: asEvent(row, attendees) };
}

/**
 * The answers as text of the event.
 * @throws 422 naming a question that is required, or an answer to no question
 */
function descriptionOf(link: LinkRow, { answers = {} }: Body, tools: CalendarTools): string | null {
  const { questions } = asBookingLink(link, tools);
  const unknown = Object.keys(answers).find((key) => !questions.some((question) => question.key === key));
  if (unknown !== undefined) throw failField(`answers.${unknown}`, 'Is not a question of this booking link');
  const missing = questions.find(({ key, required }) => required && !answers[key]?.trim());
  if (missing) throw failField(`answers.${missing.key}`, 'Is required');
  const lines = questions.flatMap(({ key, label }) => (answers[key] ? [`${label}\n${answers[key]}`] : []));
  return lines.length ? lines.join('\n\n').slice(0, 5_000) : null;
}
