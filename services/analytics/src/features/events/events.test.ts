import { analytics, engagementTypes } from '@tandem/analytics-contract';
import { everyOperation, until } from '@tandem/testing';
import { type Analytics, startAnalytics } from '../../analytics.test-service.ts';

let service: Analytics;
beforeAll(async () => {
  service = await startAnalytics();
});
afterAll(() => service?.close());

const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString();

// Every tenant has every model.
everyOperation(analytics, () => service, { recordless: ['trainPredictionModel'] });

describe('recording an event', () => {
  it.each(engagementTypes)('stores %s, and returns its type as type', async (eventType) => {
    const tenant = service.as();
    const { status, data, body } = await tenant.recordEvent({ body: { eventType, leadId: '7' } });
    expect([status, body.message]).toEqual([201, 'Event recorded']);
    expect(data).toMatchObject({ type: eventType, leadId: '7', messageId: null, automated: false, properties: {} });
    expect(Math.abs(Date.now() - new Date(data.timestamp).getTime())).toBeLessThan(60_000);
    expect((await tenant.listRecordedEvents()).data).toEqual([data]);
  });

  it('emits engagement.recorded with the record', async () => {
    const { data } = await service.as().recordEvent({ body: { eventType: 'email_open', messageId: 'm-1' } });
    const event = await until('it is announced', () =>
      service.events.find(({ record }) => (record as { id: string }).id === data.id),
    );
    expect([event.name, event.data]).toEqual([
      'engagement.recorded',
      { eventId: data.id, type: 'email_open', leadId: null },
    ]);
  });

  it.each([
    ['an invalid type', { eventType: 'email_forward' }, 'eventType'],
    ['no type', {}, 'eventType'],
    ['an invalid time', { eventType: 'page_visit', timestamp: 'yesterday' }, 'timestamp'],
    ['a time more than a day ahead', { eventType: 'page_visit', timestamp: hours(25) }, 'timestamp'],
    ['a time before the year 2000', { eventType: 'page_visit', timestamp: '1999-12-31T23:59:59Z' }, 'timestamp'],
    ['an invalid lead id', { eventType: 'page_visit', leadId: 'x' }, 'leadId'],
    ['an unknown lead', { eventType: 'page_visit', leadId: '900' }, 'leadId'],
  ])('rejects %s', async (_, body, field) => {
    const tenant = service.as();
    const reply = await tenant.recordEvent({ body });
    expect([reply.status, reply.body.errors?.map((error) => error.field)]).toEqual([422, [field]]);
    expect((await tenant.listRecordedEvents()).data).toEqual([]);
  });

  it('rejects a lead of the other environment', async () => {
    const sandbox = service.as({ environment: 'sandbox' });
    const { status, body } = await sandbox.recordEvent({ body: { eventType: 'page_visit', leadId: '7' } });
    expect([status, body.errors]).toEqual([422, [{ field: 'leadId', message: 'No lead with this id' }]]);
  });

  it('returns the first record for a repeated insertId, even if the lead was deleted', async () => {
    const tenant = service.as();
    const body = { eventType: 'page_visit', leadId: '77', insertId: 'visit-1' };
    const { data } = await tenant.recordEvent({ body });
    service.forget('77');
    const again = await tenant.recordEvent({ body });
    expect([again.status, again.data]).toEqual([200, data]);
    expect((await tenant.recordEvent({ body: { ...body, insertId: 'visit-2' } })).status).toBe(422);
  });

  it('is recorded once per insertId, even with concurrent requests', async () => {
    const tenant = service.as();
    const send = () => tenant.recordEvent({ body: { eventType: 'link_click', insertId: 'click-1' } });
    const answers = await Promise.all([send(), send(), send()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
    expect(new Set(answers.map(({ data }) => data.id)).size).toBe(1);
    expect(answers.every(({ status, body }) => body.status === status)).toBe(true);
    expect((await service.as().recordEvent({ body: { eventType: 'link_click', insertId: 'click-1' } })).status).toBe(
      201,
    );
  });
});

describe('the list', () => {
  it('is sorted by timestamp, filters by type, lead and time, and excludes automated events', async () => {
    const tenant = service.as();
    const record = async (body: object) => (await tenant.recordEvent({ body })).data.id as string;
    const late = await record({ eventType: 'email_open', leadId: '1', timestamp: hours(-1) });
    const early = await record({ eventType: 'email_sent', leadId: '1', timestamp: hours(-3) });
    const other = await record({ eventType: 'email_open', leadId: '2', timestamp: hours(-2) });
    const machine = await record({ eventType: 'email_open', leadId: '1', timestamp: hours(-4), automated: true });
    const ids = async (query: Record<string, string>) =>
      (await tenant.listRecordedEvents({ query })).data.map(({ id }: { id: string }) => id);
    expect(await ids({})).toEqual([late, other, early]);
    expect(await ids({ includeAutomated: 'true', sort: 'timestamp' })).toEqual([machine, early, other, late]);
    expect(await ids({ leadId: '1', type: 'email_open' })).toEqual([late]);
    expect(await ids({ from: hours(-2.5), to: hours(-1.5) })).toEqual([other]);
  });

  it('refuses a time range that ends before it begins', async () => {
    const { status, body } = await service.as().listRecordedEvents({ query: { from: hours(-1), to: hours(-2) } });
    expect([status, body.errors]).toEqual([422, [{ field: 'from', message: 'Must not be after `to`' }]]);
    const [createdFrom, createdTo] = [hours(-1), hours(-2)];
    const api = service.as({ userId: 1 });
    for (const list of [api.listReports, api.listCohortDefinitions, api.listExports]) {
      const reply = await list({ query: { createdFrom, createdTo } });
      expect([reply.status, reply.body.errors?.map(({ field }) => field)]).toEqual([422, ['createdFrom']]);
    }
  });

  it('has only events of leads that the caller may read', async () => {
    const api = service.as();
    for (const leadId of ['1', '2', null]) await api.recordEvent({ body: { eventType: 'page_visit', leadId } });
    service.crm.owners.set('1', 77).set('2', 79);
    const narrowed = (can: string[], userId = 77) =>
      service.as({ tenantId: api.caller.tenantId as number, userId, can });
    const leadsOf = async (reader: typeof api, query: Record<string, string> = {}) =>
      (await reader.listRecordedEvents({ query })).data.map(({ leadId }: { leadId: string }) => leadId);
    const seller = narrowed(['analytics:read', 'leads:read:own']);
    expect(await leadsOf(seller)).toEqual(['1']);
    expect([await leadsOf(seller, { leadId: '1' }), await leadsOf(seller, { leadId: '2' })]).toEqual([['1'], []]);
    expect(await leadsOf(narrowed(['analytics:read', 'leads:read:own'], 78))).toEqual([]);
    expect(await leadsOf(narrowed(['analytics:read', 'leads:read']))).toHaveLength(3);
    for (const can of [['analytics:read'], ['analytics:read:own', 'leads:read']])
      expect((await narrowed(can).listRecordedEvents()).status).toBe(403);
  });

  it('is separate for each tenant and environment', async () => {
    const tenant = service.as();
    await tenant.recordEvent({ body: { eventType: 'page_visit' } });
    const sandbox = service.as({ tenantId: tenant.caller.tenantId as number, environment: 'sandbox' });
    expect([(await sandbox.listRecordedEvents()).data, (await service.as().listRecordedEvents()).data]).toEqual([
      [],
      [],
    ]);
  });
});
