import { actingUserId } from '@tandem/caller';
import { bookingLinkCreated, type bookingLinks } from '@tandem/crm-contract';
import { fail, failField } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import type { CalendarTools } from '../calendar/tools.ts';
import { asBookingLink, checkHosts, checkQuestions } from './booking-link.ts';
import { slugOf } from './slug.ts';

export const createBookingLink = (tools: CalendarTools): Handler<typeof bookingLinks.createBookingLink> => ({
  check: ({ body, caller }) => checkHosts(tools, body.hostIds, caller),
  async run({ body, caller, tx, emit }) {
    const { hostIds, questions, slug: wanted, ...fields } = body;
    const createdBy = actingUserId(caller) ?? null;
    const hosts = hostIds ?? (createdBy === null ? [] : [createdBy]);
    if (!hosts.length) throw failField('hostIds', 'Is required, because the request has no acting user');
    checkQuestions(questions);
    const owner = { tenantId: caller.tenantId as number, environment: caller.environment };
    const slug = slugOf(tools.ids, owner, { title: body.title, ...(wanted !== undefined && { slug: wanted }) });
    await tx.sql`SELECT pg_advisory_xact_lock(hashtextextended(${`booking_link ${slug}`}, 0))`;
    // Also links of other users, which a narrowed caller does not see.
    const [taken] = await tx.sql`SELECT 1 AS one FROM booking_link
      WHERE tenant_id = platform.tenant_id() AND environment = platform.environment() AND slug = ${slug}`;
    if (taken) throw fail('slug_taken', [{ field: 'slug', message: 'Must be unique; another booking link has it' }]);
    const data = { ...fields, slug, hostIds: [...new Set(hosts)], questions, createdBy };
    const link = asBookingLink(await tx.bookingLink.create({ data }), tools);
    emit(bookingLinkCreated, { data: { bookingLinkId: link.id }, record: link });
    return link;
  },
});
