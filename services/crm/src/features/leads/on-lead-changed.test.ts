import { randomUUID } from 'node:crypto';
import type { crm } from '@tandem/crm-contract';
import { type TestService, until } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';

let service: TestService<typeof crm>;
beforeAll(async () => {
  service = await startCrm();
});
afterAll(() => service?.close());

type Api = ReturnType<TestService<typeof crm>['as']>;

const pairs = async (api: Api) =>
  (await api.listLeadDuplicates()).data as { leadIds: string[]; confidence: number; matchedOn: string[] }[];
const somePairs = (api: Api, count: number) =>
  until(`${count} pairs are found`, async () => {
    const found = await pairs(api);
    return found.length >= count && found;
  });

describe('duplicate detection', () => {
  it('pairs leads with the same address, ignoring case, and reports the matching field', async () => {
    const api = service.as();
    const { data: first } = await api.createLead({ body: aLead({ email: 'Same@Example.com' }) });
    const { data: second } = await api.createLead({ body: aLead({ email: 'same@example.com' }) });
    const [pair] = await somePairs(api, 1);
    expect(pair).toMatchObject({ leadIds: [first.id, second.id], confidence: 1, matchedOn: ['email'] });
    expect((await api.getLead({ params: { id: first.id } })).data.duplicateCount).toBe(1);
  });

  it('rates equal names as a weak match and equal phones as a strong one', async () => {
    const api = service.as();
    await api.createLead({ body: aLead({ firstName: 'Ada', lastName: 'Byron' }) });
    await api.createLead({ body: aLead({ firstName: 'ada', lastName: 'byron', email: 'ada@byron.example' }) });
    const grace = { firstName: 'Grace', lastName: '-', phone: '+491701111111' };
    await api.createLead({ body: aLead(grace) });
    await api.createLead({ body: aLead(grace) });
    const found = await somePairs(api, 2);
    expect(found.map((pair) => [pair.matchedOn, pair.confidence]).sort()).toEqual([
      [['name'], 0.6],
      [['phone'], 0.95],
    ]);
  });

  it('checks again when an address changes', async () => {
    const api = service.as();
    await api.createLead({ body: aLead({ email: 'goal@example.com' }) });
    const { data } = await api.createLead({ body: aLead() });
    await api.updateLead({ params: { id: data.id }, body: { email: 'goal@example.com' } });
    expect(await somePairs(api, 1)).toHaveLength(1);
  });

  it('keeps a phone match when there are more name matches than the pair limit', async () => {
    const api = service.as();
    const namesake = { firstName: 'Maria', lastName: 'Schmidt' };
    const phone = '+491701234599';
    const { data: same } = await api.createLead({ body: aLead({ phone }) });
    for (let n = 0; n < 22; n++) await api.createLead({ body: aLead(namesake) });
    const { data } = await api.createLead({ body: aLead({ ...namesake, phone }) });
    const found = await until('the last lead is paired', async () => {
      const { data: all } = await api.listLeadDuplicates({ query: { minConfidence: '0.7' } });
      return all.length > 0 && all;
    });
    expect(found).toMatchObject([{ leadIds: [same.id, data.id], confidence: 0.7, matchedOn: ['phone'] }]);
  });

  it('updates a pair when its leads change, and removes it when they share nothing', async () => {
    const api = service.as();
    const name = { firstName: 'Grace', lastName: 'Hopper' };
    const { data: first } = await api.createLead({ body: aLead({ ...name, email: 'one@one.example' }) });
    const { data: second } = await api.createLead({ body: aLead({ ...name, email: 'two@two.example' }) });
    const become = (what: string, expected: object[]) =>
      until(what, async () => {
        const now = (await pairs(api)).map(({ confidence, matchedOn }) => ({ confidence, matchedOn }));
        return JSON.stringify(now) === JSON.stringify(expected);
      });
    const update = (id: string, body: object) => api.updateLead({ params: { id }, body });
    await become('namesakes', [{ confidence: 0.6, matchedOn: ['name'] }]);
    await update(first.id, { email: 'two@two.example' });
    await become('the same address and name', [{ confidence: 1, matchedOn: ['email', 'name'] }]);
    await update(second.id, { lastName: 'Murray' });
    await become('the same address', [{ confidence: 1, matchedOn: ['email'] }]);
    await update(second.id, { email: 'grace@example.com' });
    await become('nothing in common', []);
    expect((await api.getLead({ params: { id: first.id } })).data.duplicateCount).toBe(0);
    await update(second.id, { lastName: 'hopper' });
    await become('namesakes again', [{ confidence: 0.6, matchedOn: ['name'] }]);
  });

  it('checks a restored lead again', async () => {
    const api = service.as();
    const { data } = await api.createLead({ body: aLead({ email: 'back@example.com' }) });
    await api.deleteLead({ params: { id: data.id } });
    const { data: other } = await api.createLead({ body: aLead({ email: 'back@example.com' }) });
    await api.restoreLead({ params: { id: data.id } });
    expect(await somePairs(api, 1)).toMatchObject([{ leadIds: [data.id, other.id], confidence: 1 }]);
  });

  it.each([
    [{ firstName: 'José', lastName: 'Núñez' }, { firstName: 'jose', lastName: 'NUNEZ' }, 0.6, 'name'],
    [{ firstName: 'Jörg', lastName: 'Müller-Weiß' }, { firstName: 'Jorg', lastName: 'Muller-Weiss' }, 0.6, 'name'],
    [{ firstName: 'Łukasz', lastName: 'Ørsted' }, { firstName: 'Lukasz', lastName: 'Orsted' }, 0.6, 'name'],
    [{ firstName: 'Ada', lastName: 'Lovelace' }, { firstName: 'Lovelace', lastName: 'Ada' }, 0.57, 'name_swapped'],
    [{ firstName: 'Ada', lastName: 'Lovelace' }, { firstName: 'A.', lastName: 'Lovelace' }, 0.45, 'name_initials'],
    [{ firstName: 'Jon', lastName: 'Schmidt' }, { firstName: 'John', lastName: 'Schmitt' }, 0.45, 'name_similar'],
    [{ firstName: 'Grace', lastName: 'Hopper' }, { firstName: 'Garce', lastName: 'Hopper' }, 0.47, 'name_similar'],
    [{ firstName: 'Eva', lastName: 'Müller' }, { firstName: 'Eva', lastName: 'Mueller' }, 0.57, 'name_similar'],
    [{ phone: '+49 (0)170 1234567' }, { phone: '+49 170 123-4567' }, 0.7, 'phone'],
    [{ email: 'john.smith+news@company.example' }, { email: 'John.Smith@company.example' }, 0.75, 'email_variant'],
    [{ email: 'john.smith+x@gmail.com' }, { email: 'johnsmith+y@googlemail.com' }, 0.75, 'email_variant'],
  ])('pairs %j with %j, with confidence %d', async (one, other, confidence, signal) => {
    const api = service.as();
    await api.createLead({ body: aLead({ email: 'one@one.example', ...one }) });
    await api.createLead({ body: aLead({ email: 'other@other.example', ...other }) });
    expect(await somePairs(api, 1)).toMatchObject([{ confidence, matchedOn: [signal] }]);
  });

  it.each([
    ['an equal name', { firstName: 'Ada', lastName: 'Lovelace' }, 0.9, 'name'],
    ['a similar name', { firstName: 'Ada', lastName: 'Lovelase' }, 0.83, 'name_similar'],
    ['an equal name and phone', { firstName: 'Ada', lastName: 'Lovelace', phone: '+442071234567' }, 0.99, 'name'],
  ])('rates %s higher in the same company', async (_, other, confidence, reason) => {
    const api = service.as();
    const ada = { firstName: 'Ada', lastName: 'Lovelace', phone: '+442071234567' };
    await api.createLead({ body: aLead({ ...ada, email: 'ada@engines.example' }) });
    await api.createLead({ body: aLead({ ...other, email: 'sales@engines.example' }) });
    const matchedOn = [...('phone' in other ? ['phone'] : []), reason, 'email_domain_and_name'];
    expect(await somePairs(api, 1)).toMatchObject([{ confidence, matchedOn }]);
  });

  it('does not pair other persons: short names with one other letter, and colleagues', async () => {
    const api = service.as();
    for (const [firstName, lastName] of [
      ['Tim', 'Smith'],
      ['Tom', 'Smith'],
      ['Mark', 'Meier'],
      ['Mary', 'Meier'],
      ['Anna', 'Schulz'],
    ])
      await api.createLead({ body: aLead({ firstName, lastName, email: `${firstName}@firm.example` }) });
    const last = { email: 'end@end.example' };
    await api.createLead({ body: aLead(last) });
    await api.createLead({ body: aLead(last) });
    expect(await somePairs(api, 1)).toMatchObject([{ confidence: 1 }]);
  });

  it('keeps a dismissed pair until a change of one of its leads raises the confidence', async () => {
    const api = service.as();
    const name = { firstName: 'Alan', lastName: 'Turing' };
    const { data: first } = await api.createLead({ body: aLead({ ...name, email: 'a@one.example' }) });
    const { data: second } = await api.createLead({ body: aLead({ ...name, email: 'a@two.example' }) });
    const [found] = (await somePairs(api, 1)) as unknown as [{ id: string }];
    const params = { pairId: found.id };
    const stale = await api.dismissDuplicate({ params, headers: { 'if-match': '"7"' } });
    expect(stale.status).toBe(412);
    const [won, lost] = (await Promise.all([api.dismissDuplicate({ params }), api.dismissDuplicate({ params })])).sort(
      (one, other) => one.status - other.status,
    );
    expect([won?.status, won?.data.status, lost?.status, lost?.body.code]).toEqual([
      200,
      'dismissed',
      409,
      'pair_decided',
    ]);
    await until('the event arrives', () =>
      service.events.find((one) => one.name === 'duplicate_pair.dismissed' && one.target.id === Number(found.id)),
    );
    expect((await api.getLead({ params: { id: first.id } })).data.duplicateCount).toBe(0);
    await api.updateLead({ params: { id: second.id }, body: { lastName: 'TURING' } });
    await api.createLead({ body: aLead({ email: 'end@example.com' }) });
    await api.createLead({ body: aLead({ email: 'end@example.com' }) });
    await until('the change was compared', async () => (await pairs(api)).length === 2);
    const ofFirst = async (query: Record<string, string>) =>
      (await api.getLeadDuplicates({ params: { id: first.id }, query })).data as { status: string }[];
    expect(await ofFirst({ status: 'open' })).toEqual([]);
    expect(await ofFirst({})).toMatchObject([{ id: found.id, status: 'dismissed' }]);
    await api.updateLead({ params: { id: second.id }, body: { email: 'a@one.example' } });
    await until('it is open again', async () => (await ofFirst({ status: 'open' })).length === 1);
    expect(await ofFirst({ minConfidence: '0.9' })).toMatchObject([{ confidence: 1, matchedOn: ['email', 'name'] }]);
    const narrow = service.as({ tenantId: api.caller.tenantId as number, userId: 77, can: ['leads:write:own'] });
    expect((await narrow.dismissDuplicate({ params })).status).toBe(404);
  });

  it('does not pair addresses whose dots or tags are significant', async () => {
    const api = service.as();
    for (const email of ['jo.hn@firm.example', 'john@firm.example', '+a@firm.example', '+b@firm.example'])
      await api.createLead({ body: aLead({ email }) });
    await api.createLead({ body: aLead({ email: 'end@example.com' }) });
    await api.createLead({ body: aLead({ email: 'end@example.com' }) });
    expect(await somePairs(api, 1)).toMatchObject([{ confidence: 1 }]);
  });

  it('compares the current lead, not the record in a late event', async () => {
    const api = service.as();
    const { data: first } = await api.createLead({ body: aLead({ email: 'was@example.com' }) });
    await api.updateLead({ params: { id: first.id }, body: { email: 'now@example.com' } });
    await api.createLead({ body: aLead({ email: 'was@example.com' }) });
    const event = await until('the creation event arrives', () =>
      service.events.find(
        ({ name, data }) => name === 'lead.created' && (data as { leadId: string }).leadId === first.id,
      ),
    );
    await service.publish('lead.created', { ...event, id: randomUUID() }, randomUUID());
    await api.createLead({ body: aLead({ email: 'end@example.com' }) });
    await api.createLead({ body: aLead({ email: 'end@example.com' }) });
    const found = await until('the last two are paired', async () => {
      const all = await pairs(api);
      return all.length > 0 && all;
    });
    expect(found.map(({ leadIds }) => leadIds.includes(first.id))).toEqual([false]);
  });

  it('does not pair leads across tenants or environments', async () => {
    const api = service.as();
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    const body = aLead({ email: 'shared@example.com' });
    for (const one of [api, sandbox, service.as()]) await one.createLead({ body });
    await api.createLead({ body: aLead({ email: 'shared@example.com' }) });
    await somePairs(api, 1);
    expect([(await pairs(api)).length, (await pairs(sandbox)).length]).toEqual([1, 0]);
  });

  it('does not list a pair with a deleted lead', async () => {
    const api = service.as();
    await api.createLead({ body: aLead({ email: 'gone@example.com' }) });
    const { data } = await api.createLead({ body: aLead({ email: 'gone@example.com' }) });
    await somePairs(api, 1);
    await api.deleteLead({ params: { id: data.id } });
    expect(await pairs(api)).toEqual([]);
  });

  it.each(['own', 'team'])('limits a caller with leads:read:%s to pairs of two readable leads', async (reach) => {
    const api = service.as({ userId: 1 });
    const tenantId = api.caller.tenantId as number;
    const email = 'triplet@example.com';
    const { data: created } = await api.createLead({ body: aLead({ email }) });
    const { data: another } = await api.createLead({ body: aLead({ email }) });
    await service.as({ tenantId, userId: 2 }).createLead({ body: aLead({ email }) });
    await somePairs(api, 3);
    const narrow = service.as({ tenantId, userId: 1, can: [`leads:read:${reach}`] });
    const { status, data, body } = await narrow.listLeadDuplicates();
    expect([status, body.pagination?.total]).toEqual([200, 1]);
    expect(data[0].leadIds).toEqual([created.id, another.id]);
    await api.deleteLead({ params: { id: another.id } });
    expect(await pairs(narrow)).toEqual([]);
  });

  it('handles a duplicate event once', async () => {
    const api = service.as();
    await api.createLead({ body: aLead({ email: 'twice@example.com' }) });
    await api.createLead({ body: aLead({ email: 'twice@example.com' }) });
    await somePairs(api, 1);
    const event = service.events.find((one) => one.name === 'lead.created' && one.tenantId === api.caller.tenantId);
    await service.publish('lead.created', event, event?.id as string);
    const marker = await api.createLead({ body: aLead({ email: 'twice@example.com' }) });
    expect(marker.status).toBe(201);
    expect(await somePairs(api, 3)).toHaveLength(3);
  });

  it('dead-letters a malformed event and continues with the next', async () => {
    const api = service.as();
    await service.publish('lead.created', Buffer.from('{ not json'), randomUUID());
    await service.publish(
      'lead.created',
      { id: randomUUID(), name: 'lead.created', tenantId: 1, environment: 'live', data: {}, record: {} },
      randomUUID(),
    );
    await api.createLead({ body: aLead({ email: 'after@example.com' }) });
    await api.createLead({ body: aLead({ email: 'after@example.com' }) });
    expect(await somePairs(api, 1)).toHaveLength(1);
    expect(
      await until('both are dead letters', async () => (await service.deadLetters('detect-duplicates')).length === 2),
    ).toBe(true);
  });
});
