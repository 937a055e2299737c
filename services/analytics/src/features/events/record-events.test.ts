import { until } from '@tandem/testing';
import { type Analytics, startAnalytics } from '../../analytics.test-service.ts';

let service: Analytics;
beforeAll(async () => {
  service = await startAnalytics();
});
afterAll(() => service?.close());

const event = (fields: object = {}) => ({ eventType: 'page_visit', ...fields });

describe('a batch of events', () => {
  it('records the events that can be recorded, reports the others by their position, and announces each', async () => {
    const api = service.as();
    const far = new Date(Date.now() + 25 * 3_600_000).toISOString();
    const { status, data } = await api.recordEvents({
      body: {
        events: [event({ leadId: '7' }), event({ leadId: '900' }), event({ timestamp: far, leadId: '901' }), event()],
      },
    });
    expect([status, data.accepted, data.rejected]).toEqual([200, 2, 2]);
    expect(data.results).toEqual([
      { index: 0, status: 'recorded', id: expect.any(String), errors: [] },
      { index: 1, status: 'rejected', id: null, errors: [{ field: 'leadId', message: 'No lead with this id' }] },
      {
        index: 2,
        status: 'rejected',
        id: null,
        errors: [
          { field: 'timestamp', message: 'Must be at most 24 hours in the future' },
          { field: 'leadId', message: 'No lead with this id' },
        ],
      },
      { index: 3, status: 'recorded', id: expect.any(String), errors: [] },
    ]);
    const list = await api.listRecordedEvents();
    const ids = [data.results[0].id, data.results[3].id];
    expect(list.data.map(({ id }: { id: string }) => id).sort()).toEqual([...ids].sort());
    await until('they are announced', () =>
      ids.every((id) => service.events.some(({ record }) => (record as { id: string }).id === id)),
    );
  });

  it('records an insertId once, within a batch, in a second one and beside single events', async () => {
    const api = service.as();
    const first = await api.recordEvent({ body: event({ insertId: 'a' }) });
    const body = { events: [event({ insertId: 'a' }), event({ insertId: 'b' }), event({ insertId: 'b' }), event()] };
    const one = await api.recordEvents({ body });
    expect(one.data.results.map(({ status }: { status: string }) => status)).toEqual([
      'repeated',
      'recorded',
      'repeated',
      'recorded',
    ]);
    expect(one.data.results[0].id).toBe(first.data.id);
    expect(one.data.results[2].id).toBe(one.data.results[1].id);
    const two = await api.recordEvents({ body });
    expect(two.data).toMatchObject({ accepted: 4, rejected: 0 });
    expect((await api.listRecordedEvents()).data).toHaveLength(4);
  });

  it('is recorded once when the same batch is sent several times at once', async () => {
    const api = service.as();
    const events = Array.from({ length: 50 }, (_, n) => event({ insertId: `event-${n}`, leadId: String(n + 1) }));
    const replies = await Promise.all([1, 2, 3].map(() => api.recordEvents({ body: { events } })));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    const recorded = replies.flatMap(({ data }) => data.results).filter(({ status }) => status === 'recorded');
    expect(recorded).toHaveLength(50);
    const ids = replies.map(({ data }) => data.results.map(({ id }: { id: string }) => id).join());
    expect(new Set(ids).size).toBe(1);
  });

  it.each([
    ['no events', []],
    ['more than 500 events', Array.from({ length: 501 }, () => event())],
    ['events that are no list', { 0: event() }],
  ])('refuses %s and records nothing', async (_, events) => {
    const api = service.as();
    const { status } = await api.recordEvents({ body: { events } });
    expect([status, (await api.listRecordedEvents()).data]).toEqual([422, []]);
  });

  it('records the others when events are malformed, and reports each field of these', async () => {
    const api = service.as();
    const { status, data } = await api.recordEvents({
      body: {
        events: [
          { eventType: 'email_forward', timestamp: 'yesterday' },
          event({ leadId: '900' }),
          // The id of another tenant or type, as the gateway passes it on.
          event({ leadId: '-' }),
          event({ insertId: 'kept' }),
          'no object',
          event({ timestamp: '0001-01-01T00:00:00Z' }),
          JSON.parse('{"eventType":"page_visit","properties":{"__proto__":1}}'),
        ],
      },
    });
    expect([status, data.accepted, data.rejected]).toEqual([200, 1, 6]);
    const shown = data.results.map(({ index, status, errors }: (typeof data.results)[number]) => [
      index,
      status,
      errors.map(({ field }: { field: string }) => field).join(),
    ]);
    expect(shown).toEqual([
      [0, 'rejected', 'eventType,timestamp'],
      [1, 'rejected', 'leadId'],
      [2, 'rejected', 'leadId'],
      [3, 'recorded', ''],
      [4, 'rejected', 'body'],
      [5, 'rejected', 'timestamp'],
      [6, 'rejected', 'properties.__proto__'],
    ]);
    expect((await api.listRecordedEvents()).data).toHaveLength(1);
  });

  it('answers 200 when every event is malformed', async () => {
    const { status, data } = await service.as().recordEvents({ body: { events: [{}] } });
    expect([status, data.accepted, data.results[0].errors]).toEqual([
      200,
      0,
      [{ field: 'eventType', message: 'Is required' }],
    ]);
  });

  it('refuses leads of the other environment', async () => {
    const sandbox = service.as({ environment: 'sandbox' });
    const { data } = await sandbox.recordEvents({ body: { events: [event({ leadId: '7' })] } });
    expect(data).toMatchObject({ accepted: 0, rejected: 1 });
  });
});

describe('partitions', () => {
  it('hold events of every month, and exist for the months to come', async () => {
    const api = service.as();
    for (const timestamp of ['2000-01-01T00:00:00Z', '2019-02-28T23:59:59Z', new Date().toISOString()])
      expect((await api.recordEvent({ body: event({ timestamp }) })).status).toBe(201);
    const created = await service.sql('SELECT public.create_engagement_partitions(8) AS months');
    expect(created).toEqual([{ months: 5 }]);
    expect(await service.sql('SELECT public.create_engagement_partitions(8) AS months')).toEqual([{ months: 0 }]);
    expect((await api.listRecordedEvents()).data).toHaveLength(3);
  });
});
