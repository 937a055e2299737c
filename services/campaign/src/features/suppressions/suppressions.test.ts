import type { campaign } from '@tandem/campaign-contract';
import { type TestService, until } from '@tandem/testing';
import { startCampaign } from '../../campaign.test-service.ts';

let service: TestService<typeof campaign>;
beforeAll(async () => {
  service = await startCampaign();
});
afterAll(() => service?.close());

type Api = ReturnType<typeof service.as>;

const reasonOf = async (api: Api, value: string, more: Record<string, unknown> = {}) => {
  const { data } = await api.checkSuppressions({ body: { channel: 'email', values: [value], ...more } });
  return data.results[0].reason;
};
const eventsOf = (api: Api, name: string) =>
  service.events.filter((event) => event.name === name && event.tenantId === api.caller.tenantId);

describe('createSuppression', () => {
  it('stores an address in lower case once, with an event that does not contain it', async () => {
    const api = service.as();
    const body = { channel: 'email', value: 'Ada@Example.com', note: 'By phone' };
    const first = await api.createSuppression({ body });
    expect([first.status, first.data]).toMatchObject([
      201,
      { value: 'ada@example.com', reason: 'manual', topicId: null, note: 'By phone', createdBy: '1' },
    ]);
    const again = await api.createSuppression({ body: { ...body, value: 'ada@example.COM' } });
    expect([again.status, again.data.id]).toEqual([200, first.data.id]);
    const event = await until('the event arrives', () => eventsOf(api, 'suppression.added')[0]);
    expect(event).toMatchObject({ data: { suppressionId: first.data.id, channel: 'email', reason: 'manual' } });
    expect(JSON.stringify(event)).not.toMatch(/ada@example|By phone/);
  });

  it('stores phone numbers without separators', async () => {
    const { data } = await service.as().createSuppression({ body: { channel: 'sms', value: '+49 (170) 123-4567' } });
    expect(data.value).toBe('+491701234567');
  });

  it.each([
    ['email', 'ada'],
    ['email', '@'],
    ['email', '@localhost'],
    ['sms', '0170 1234567'],
    ['sms', 'ada@example.com'],
  ])('rejects for %s the value %s, naming the field', async (channel, value) => {
    const api = service.as();
    const reply = await api.createSuppression({ body: { channel, value } });
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, 'value']);
    expect((await api.listSuppressions()).data).toEqual([]);
  });

  it('rejects a topic of another tenant', async () => {
    const { data: theirs } = await service.as().createTopic({ body: { name: 'News' } });
    const body = { channel: 'email', value: 'ada@example.com', topicId: theirs.id };
    const reply = await service.as().createSuppression({ body });
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, 'topicId']);
  });
});

describe('checkSuppressions', () => {
  it('finds an address, its domain and the topic of the message, and reports the strongest reason', async () => {
    const api = service.as();
    const { data: news } = await api.createTopic({ body: { name: 'News' } });
    const { data: offers } = await api.createTopic({ body: { name: 'Offers' } });
    const add = (value: string, more = {}) => api.createSuppression({ body: { channel: 'email', value, ...more } });
    await add('@Blocked.example');
    await add('ada@example.com', { reason: 'unsubscribe', topicId: news.id });
    await add('bob@example.com');
    await add('bob@example.com', { reason: 'complaint' });
    expect(await reasonOf(api, 'Eve@blocked.example')).toBe('manual');
    expect(await reasonOf(api, 'eve@notblocked.example')).toBeNull();
    expect(await reasonOf(api, 'ada@example.com')).toBeNull();
    expect(await reasonOf(api, 'ada@example.com', { topicId: news.id })).toBe('unsubscribe');
    expect(await reasonOf(api, 'ada@example.com', { topicId: offers.id })).toBeNull();
    expect(await reasonOf(api, 'BOB@example.com', { topicId: offers.id })).toBe('complaint');
    expect(await reasonOf(service.as(), 'bob@example.com')).toBeNull();
  });

  it('names the invalid values', async () => {
    const reply = await service.as().checkSuppressions({ body: { channel: 'email', values: ['a@b.example', 'x'] } });
    expect([reply.status, reply.body.errors?.map(({ field }) => field)]).toEqual([422, ['values.1']]);
  });
});

describe('deleteSuppression', () => {
  it('removes a manual one, and an unsubscribe only with confirm and a note', async () => {
    const api = service.as();
    const add = async (reason: string) => {
      const body = { channel: 'email', value: `${reason}@example.com`, reason };
      return { id: (await api.createSuppression({ body })).data.id };
    };
    expect((await api.deleteSuppression({ params: await add('manual') })).data.deleted).toBe(true);
    expect((await api.deleteSuppression({ params: await add('hard_bounce') })).status).toBe(200);
    for (const reason of ['unsubscribe', 'complaint']) {
      const params = await add(reason);
      const plain = await api.deleteSuppression({ params });
      expect([plain.status, plain.body.code]).toEqual([409, 'confirmation_required']);
      const silent = await api.deleteSuppression({ params, query: { confirm: 'true' } });
      expect([silent.status, silent.body.errors?.map(({ field }) => field)]).toEqual([409, ['note']]);
      expect(await reasonOf(api, `${reason}@example.com`)).toBe(reason);
      const query = { confirm: 'true', note: 'Asked us to' };
      expect((await api.deleteSuppression({ params, query })).status).toBe(200);
      expect(await reasonOf(api, `${reason}@example.com`)).toBeNull();
    }
    const events = await until('the events arrive', () => {
      const removed = eventsOf(api, 'suppression.removed');
      return removed.length === 4 && removed;
    });
    expect(events.filter(({ data }) => (data as { note: string | null }).note === 'Asked us to')).toHaveLength(2);
  });

  it('keeps an unsubscribe of the same address when the manual one is removed', async () => {
    const api = service.as();
    const body = { channel: 'email', value: 'ada@example.com' };
    const { data } = await api.createSuppression({ body });
    await api.createSuppression({ body: { ...body, reason: 'unsubscribe' } });
    await api.deleteSuppression({ params: { id: data.id } });
    expect(await reasonOf(api, 'ada@example.com')).toBe('unsubscribe');
  });
});

describe('listSuppressions', () => {
  it('finds an exact value, and filters by reason and channel', async () => {
    const api = service.as();
    await api.createSuppression({ body: { channel: 'email', value: 'ada@example.com', reason: 'unsubscribe' } });
    await api.createSuppression({ body: { channel: 'sms', value: '+491701234567' } });
    const values = async (query: Record<string, string>) =>
      (await api.listSuppressions({ query })).data.map(({ value }: { value: string }) => value);
    expect(await values({ value: 'ADA@example.com' })).toEqual(['ada@example.com']);
    expect(await values({ value: '+49 170 1234567' })).toEqual(['+491701234567']);
    expect(await values({ reason: 'unsubscribe' })).toEqual(['ada@example.com']);
    expect(await values({ channel: 'sms' })).toEqual(['+491701234567']);
    expect(await values({})).toHaveLength(2);
  });
});

describe('importSuppressions', () => {
  it('stores valid addresses once, and reports the others', async () => {
    const api = service.as();
    await api.createSuppression({ body: { channel: 'email', value: 'a@example.com', reason: 'hard_bounce' } });
    const values = ['A@example.com', 'b@example.com', 'nobody', 'B@example.com', '@spam.example'];
    const reply = await api.importSuppressions({ body: { channel: 'email', reason: 'hard_bounce', values } });
    expect([reply.status, reply.data]).toEqual([
      200,
      { created: 2, existing: 2, invalid: 1, errors: [{ index: 2, message: expect.stringContaining('e-mail') }] },
    ]);
    expect(await reasonOf(api, 'x@spam.example')).toBe('hard_bounce');
    expect((await api.listSuppressions()).data).toHaveLength(3);
  });
});
