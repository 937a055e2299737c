import type { crm } from '@tandem/crm-contract';
import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { identityPeer, members, type TestService, teams, until, users } from '@tandem/testing';
import { startCrm } from '../../crm.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let mailbox: Mailbox;
let service: TestService<typeof crm>;
beforeAll(async () => {
  identity = await identityPeer();
  identity.names.set(users.active, 'Grace Hopper');
  mailbox = await startMailbox();
  service = await startCrm({ IDENTITY_URL: identity.url, SMTP_URL: mailbox.smtpUrl });
});
afterAll(async () => {
  await service?.close();
  await mailbox?.close();
  await identity?.close();
});

type Api = ReturnType<typeof service.as>;
type Fields = Record<string, unknown>;

const aLink = async (api: Api, fields: Fields = {}) =>
  (
    await api.createBookingLink({
      body: { title: 'Intro call', durationMinutes: 30, hostIds: [users.active], ...fields },
    })
  ).data;
/** A person outside of the tenant. */
const visitor = () => {
  const { tenantId: _, ...caller } = service.as({ type: 'anonymous' }).caller;
  return caller;
};
const offer = (slug: string, query: Record<string, string> = {}) =>
  service.send(service.operations.getBookingOffer, { params: { slug }, query }, visitor());
const slotsOf = async (slug: string) => (await offer(slug)).data.slots.map((slot: { startAt: string }) => slot.startAt);
const book = (slug: string, fields: Fields) =>
  service.send(
    service.operations.bookTime,
    { params: { slug }, body: { name: 'Ada Lovelace', email: 'ada@example.com', ...fields } },
    visitor(),
  );
const eventOf = (api: Api, name: string) =>
  until(`${name} arrives`, () =>
    service.events.find((event) => event.name === name && event.tenantId === api.caller.tenantId),
  );

describe('booking links', () => {
  it('are created, changed, listed and deleted, with events', async () => {
    const api = service.as({ userId: Number(users.active) });
    const created = await api.createBookingLink({ body: { title: 'Erstgespräch & Demo', durationMinutes: 45 } });
    expect([created.status, created.data]).toEqual([
      201,
      expect.objectContaining({
        slug: expect.stringMatching(/^erstgesprach-demo-[0-9A-Za-z]{16,17}$/),
        url: `https://api.example.com/book/${created.data.slug}`,
        hostIds: [users.active],
        hostMode: 'any',
        noticeMinutes: 60,
        horizonDays: 30,
        active: true,
        version: 1,
      }),
    ]);
    const params = { id: created.data.id };
    const changed = await api.updateBookingLink({ params, body: { title: 'Demo', active: false } });
    expect(changed.data).toMatchObject({ title: 'Demo', slug: created.data.slug, version: 2 });
    expect((await api.updateBookingLink({ params, body: { title: 'Demo' } })).data.version).toBe(2);
    expect((await api.listBookingLinks({ query: { active: 'false' } })).data).toEqual([changed.data]);
    expect((await api.getBookingLink({ params })).data).toEqual(changed.data);
    expect((await api.deleteBookingLink({ params, headers: { 'if-match': '"1"' } })).status).toBe(412);
    expect((await api.deleteBookingLink({ params })).data).toEqual({ id: params.id, deleted: true });
    for (const name of ['created', 'updated', 'deleted']) await eventOf(api, `booking_link.${name}`);
  });

  it('have a slug that is unique in the tenant, even with requests at once', async () => {
    const api = service.as();
    const body = { title: 'Intro', slug: 'intro', durationMinutes: 30, hostIds: [users.active] };
    const replies = await Promise.all([1, 2].map(() => api.createBookingLink({ body })));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect((await service.as().createBookingLink({ body })).status).toBe(201);
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    expect((await sandbox.createBookingLink({ body })).data.slug).toMatch(/^intro--sandbox-/);
    const { data: live } = await api.createBookingLink({ body: { ...body, slug: 'intro-sandbox' } });
    const { tenantId: _, ...visitor } = service.as({ type: 'anonymous' }).caller;
    const params = { slug: live.slug };
    expect((await service.send(service.operations.getBookingOffer, { params }, visitor)).status).toBe(200);
  });

  it('of the sandbox are found under a slug of an earlier release, unless live has the same', async () => {
    const api = service.as();
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    const { slug } = await aLink(sandbox, { slug: 'early' });
    const earlier = slug.replace('--sandbox-', '-sandbox-');
    await service.sqlWithin(sandbox.caller, `UPDATE booking_link SET slug = '${earlier}'`);
    const shown = await offer(earlier);
    expect([shown.status, shown.data.title]).toEqual([200, 'Intro call']);
    const [startAt] = await slotsOf(earlier);
    expect((await book(earlier, { startAt, timezone: 'Asia/Tokyo' })).status).toBe(201);
    expect((await sandbox.listLeads()).data).toMatchObject([{ timezone: 'Asia/Tokyo' }]);
    await aLink(api, { slug: 'early-sandbox', title: 'Live' });
    expect((await offer(earlier)).data.title).toBe('Live');
  });

  it.each([
    ['an unknown host', { hostIds: [users.nobody] }, 'hostIds.0'],
    ['a suspended host', { hostIds: [users.suspended] }, 'hostIds.0'],
    ['a slug with other characters', { slug: 'Intro call' }, 'slug'],
    ['a duration of a minute', { durationMinutes: 1 }, 'durationMinutes'],
    [
      'a question twice',
      {
        questions: [
          { key: 'a', label: 'A' },
          { key: 'a', label: 'B' },
        ],
      },
      'questions.1.key',
    ],
  ])('refuse %s', async (_, fields, field) => {
    const body = { title: 'Intro', durationMinutes: 30, hostIds: [users.active], ...fields };
    const reply = await service.as().createBookingLink({ body });
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, field]);
  });

  it('of others are not found by a caller narrowed to their own', async () => {
    const api = service.as();
    const { id } = await aLink(api);
    const can = ['calendar:read:own', 'calendar:write:own', 'calendar:delete:own'];
    const other = service.as({ tenantId: api.caller.tenantId as number, userId: Number(members.seller), can });
    expect((await other.getBookingLink({ params: { id } })).status).toBe(404);
    expect((await other.updateBookingLink({ params: { id }, body: { title: 'X' } })).status).toBe(404);
    expect((await other.listBookingLinks()).data).toEqual([]);
  });

  it('have no hosts but the caller if that is narrowed to their own calendar', async () => {
    const api = service.as({ userId: Number(members.seller), can: ['calendar:read:own', 'calendar:write:own'] });
    const body = { title: 'Intro', durationMinutes: 30 };
    const hostIds = [members.seller, users.active];
    const { data: own } = await api.createBookingLink({ body });
    expect(own.hostIds).toEqual([members.seller]);
    const replies = [
      await api.createBookingLink({ body: { ...body, hostIds } }),
      await api.updateBookingLink({ params: { id: own.id }, body: { hostIds } }),
    ];
    for (const { status, body: reply } of replies)
      expect([status, reply.errors?.map(({ field }) => field)]).toEqual([422, ['hostIds.1']]);
  });
});

describe('a booking page', () => {
  it('shows free times within notice and horizon, to everybody', async () => {
    const api = service.as();
    const { slug } = await aLink(api, { noticeMinutes: 1_440, horizonDays: 10 });
    const { status, data } = await offer(slug);
    expect([status, data]).toEqual([200, expect.objectContaining({ title: 'Intro call', timezone: 'Europe/Berlin' })]);
    const times = data.slots.map(({ startAt }: { startAt: string }) => Date.parse(startAt) - Date.now());
    expect(Math.min(...times)).toBeGreaterThan(86_400_000 - 60_000);
    expect(Math.max(...times)).toBeLessThan(10 * 86_400_000);
    const page = await service.send(service.operations.showBookingPage, { params: { slug } }, visitor());
    expect(page.text).toContain(`<option value="${data.slots[0].startAt}">`);
    const later = await offer(slug, { from: data.slots[5].startAt });
    expect(later.data.slots[0]).toEqual(data.slots[5]);
  });

  it.each([
    ['any', 'With Grace Hopper or Ada Lovelace'],
    ['all', 'With Grace Hopper and Ada Lovelace'],
  ])('names its hosts, of whom %s attend', async (hostMode, text) => {
    const { slug } = await aLink(service.as(), { hostIds: [users.active, members.seller], hostMode });
    const { data } = await offer(slug);
    expect(data).toMatchObject({ hostNames: ['Grace Hopper', 'Ada Lovelace'], hostMode });
    const page = await service.send(service.operations.showBookingPage, { params: { slug } }, visitor());
    expect(page.text).toContain(`<p>${text}<br>30 minutes</p>`);
  });

  it('works without the names of its hosts while identity does not answer', async () => {
    const { slug } = await aLink(service.as());
    identity.failing.add('/internal/users/assignees');
    try {
      const { status, data } = await offer(slug);
      expect([status, data.hostNames]).toEqual([200, []]);
      const page = await service.send(service.operations.showBookingPage, { params: { slug } }, visitor());
      expect(page.text).toContain('<p>30 minutes</p>');
      const email = 'unnamed-host@example.com';
      const { body } = await book(slug, { startAt: data.slots[0].startAt, email });
      expect(body).toMatchObject({ message: 'Your booking is confirmed', data: { hostNames: [] } });
      const mail = await until('the confirmation arrives', () => mailbox.to(email)[0]);
      expect(mail.text).toContain('Your booking is confirmed.');
    } finally {
      identity.failing.clear();
    }
  });

  it('does not exist for an unknown slug, and while the link is inactive', async () => {
    const api = service.as();
    const { id, slug } = await aLink(api);
    expect([(await offer('intro')).status, (await offer(`other-${slug.split('-').at(-1)}`)).status]).toEqual([
      404, 404,
    ]);
    const [startAt] = await slotsOf(slug);
    await api.updateBookingLink({ params: { id }, body: { active: false } });
    expect([(await offer(slug)).status, (await book(slug, { startAt })).status]).toEqual([404, 404]);
  });
});

describe('a booking', () => {
  it('creates an event and a lead, and confirms by mail', async () => {
    const api = service.as();
    const questions = [{ key: 'size', label: 'How many?', required: true }];
    const { slug } = await aLink(api, { questions, location: 'Room 4' });
    const [startAt] = await slotsOf(slug);
    const email = 'first-booking@example.com';
    const { status, body } = await book(slug, { startAt, email, answers: { size: '12' } });
    expect([status, body]).toMatchObject([
      201,
      {
        message: 'Your booking with Grace Hopper is confirmed',
        data: { title: 'Intro call', hostNames: ['Grace Hopper'], startAt, location: 'Room 4' },
      },
    ]);
    const [lead] = (await api.listLeads()).data;
    expect(lead).toMatchObject({
      email,
      firstName: 'Ada',
      lastName: 'Lovelace',
      source: 'web',
      assignedTo: users.active,
    });
    const [event] = (await api.listCalendarEvents()).data;
    expect(event).toMatchObject({
      title: 'Intro call',
      description: 'How many?\n12',
      startAt,
      leadId: lead.id,
      organizerId: users.active,
      attendees: [{ email, name: 'Ada Lovelace', response: 'accepted' }],
    });
    await eventOf(api, 'calendar_event.created');
    await eventOf(api, 'lead.created');
    const mail = await until('the confirmation arrives', () => mailbox.to(email)[0]);
    expect([mail.subject, mail.invitation]).toEqual([
      'Booked: Intro call',
      expect.stringMatching(/METHOD:REQUEST[\s\S]*ORGANIZER;CN="Grace Hopper"/),
    ]);
    expect(mail.text).toContain('Your booking with Grace Hopper is confirmed.');
    expect(await slotsOf(slug)).not.toContain(startAt);
  });

  it('creates the lead without custom fields, also required ones', async () => {
    const api = service.as();
    const field = { entityType: 'lead', key: 'region', label: 'Region', type: 'text', required: true };
    expect((await api.createCustomField({ body: field })).status).toBe(201);
    const { slug } = await aLink(api);
    const [startAt] = await slotsOf(slug);
    expect((await book(slug, { startAt })).status).toBe(201);
    expect((await api.listLeads()).data).toMatchObject([{ email: 'ada@example.com', customFields: {} }]);
  });

  it('creates the lead with the default status, and in the account of its domain', async () => {
    const api = service.as();
    const status = { entityType: 'lead', code: 'booked', name: 'Booked', category: 'contacted', sortOrder: 1 };
    const { data: created } = await api.createStatus({ body: { ...status, isDefault: true } });
    expect(created).toMatchObject({ isDefault: true });
    const { data: account } = await api.createAccount({ body: { name: 'Engines', domain: 'engines.example' } });
    const { slug } = await aLink(api);
    const [startAt] = await slotsOf(slug);
    expect((await book(slug, { startAt, email: 'Ada@engines.example' })).status).toBe(201);
    expect((await api.listLeads()).data).toMatchObject([
      { status: 'contacted', statusCode: 'booked', accountId: account.id, source: 'web', createdBy: null },
    ]);
  });

  it('gives the lead the only team of its host', async () => {
    const api = service.as();
    const { slug } = await aLink(api, { hostIds: [members.seller] });
    const [startAt] = await slotsOf(slug);
    expect((await book(slug, { startAt })).status).toBe(201);
    const lead = await until('the lead has a team', async () => {
      const [found] = (await api.listLeads()).data;
      return found.teamId !== null && found;
    });
    expect(lead).toMatchObject({ assignedTo: members.seller, teamId: teams.sales });
  });

  it('keeps the lead that has the address', async () => {
    const api = service.as();
    const { data: lead } = await api.createLead({
      body: { email: 'Known@example.com', firstName: 'K', lastName: 'N' },
    });
    const { slug } = await aLink(api);
    const [startAt] = await slotsOf(slug);
    expect((await book(slug, { startAt, email: 'known@example.com' })).status).toBe(201);
    expect((await api.listLeads()).data).toHaveLength(1);
    expect((await api.listCalendarEvents()).data).toMatchObject([{ leadId: lead.id }]);
  });

  it('has one winner when two people book the same time at once, also through two links of a host', async () => {
    const api = service.as();
    const links = [await aLink(api, { slug: 'one' }), await aLink(api, { slug: 'two' })];
    const [startAt] = await slotsOf(links[0].slug);
    const replies = await Promise.all([...links, ...links].map(({ slug }) => book(slug, { startAt })));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    expect(replies.find(({ status }) => status === 409)?.body.code).toBe('slot_taken');
    expect((await api.listCalendarEvents()).data).toHaveLength(1);
  });

  it('takes hosts in turn, the next one who is free, or all of them', async () => {
    const api = service.as();
    const hostIds = [users.active, members.seller];
    const { slug } = await aLink(api, { hostIds, hostMode: 'round_robin' });
    const [first, second] = await slotsOf(slug);
    for (const startAt of [first, second, first]) expect((await book(slug, { startAt })).status).toBe(201);
    const events = (await api.listCalendarEvents({ query: { sort: 'createdAt' } })).data;
    expect(events.map(({ organizerId }: Fields) => organizerId)).toEqual([
      users.active,
      members.seller,
      members.seller,
    ]);
    const all = await aLink(api, { hostIds, hostMode: 'all', slug: 'all' });
    const [startAt] = await slotsOf(all.slug);
    await book(all.slug, { startAt });
    const [latest] = (await api.listCalendarEvents({ query: { sort: '-createdAt' } })).data;
    expect(latest).toMatchObject({ organizerId: users.active, attendees: [{}, { userId: members.seller }] });
  });

  it.each([
    ['a time outside of the working hours', { startAt: '2027-03-28T03:00:00.000Z' }, 409, 'startAt'],
    ['no name', { name: '' }, 422, 'name'],
    ['a bad address', { email: 'ada' }, 422, 'email'],
    ['a required answer that is missing', {}, 422, 'answers.size'],
    ['an answer to no question', { answers: { size: '1', other: 'x' } }, 422, 'answers.other'],
  ])('refuses %s', async (_, fields, status, field) => {
    const api = service.as();
    const { slug } = await aLink(api, { questions: [{ key: 'size', label: 'How many?', required: true }] });
    const [startAt] = await slotsOf(slug);
    const answers = field === 'startAt' ? { answers: { size: '1' } } : {};
    const reply = await book(slug, { startAt, ...answers, ...fields });
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([status, field]);
    expect((await api.listLeads()).data).toEqual([]);
  });
});
