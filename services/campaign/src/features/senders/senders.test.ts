import type { campaign } from '@tandem/campaign-contract';
import { type TestService, until } from '@tandem/testing';
import { startCampaign } from '../../campaign.test-service.ts';
import { type NameServer, nameServer } from '../../dns.test-service.ts';

let names: NameServer;
let service: TestService<typeof campaign>;
beforeAll(async () => {
  names = await nameServer();
  service = await startCampaign(undefined, undefined, {
    DNS_SERVERS: [names.address],
    MAIL_SPF_INCLUDE: 'mail.tandem.example',
  });
});
afterAll(async () => {
  await service?.close();
  await names?.close();
});

type Api = ReturnType<typeof service.as>;
type Domain = { id: string; domain: string; records: { purpose: string; name: string; value: string }[] };

let domains = 0;
const aDomain = async (api: Api): Promise<Domain> =>
  (await api.createSendingDomain({ body: { domain: `d${++domains}.example` } })).data;

/** Enters the records of a domain at its name server. */
function enterRecords({ records }: Domain, purposes = ['ownership', 'dkim', 'spf', 'dmarc']): void {
  for (const { purpose, name, value } of records)
    if (purposes.includes(purpose)) names.txt.set(name, [...(names.txt.get(name) ?? []), value]);
}

async function verifiedDomain(api: Api): Promise<Domain> {
  const domain = await aDomain(api);
  enterRecords(domain);
  expect((await api.verifySendingDomain({ params: { id: domain.id } })).data.status).toBe('verified');
  return domain;
}

const statusesOf = (data: { records: { purpose: string; status: string }[] }) =>
  Object.fromEntries(data.records.map(({ purpose, status }) => [purpose, status]));
const eventsOf = (api: Api, name: string) =>
  service.events.filter((event) => event.name === name && event.tenantId === api.caller.tenantId);

describe('a sending domain', () => {
  it('shows the DNS records that it needs, and never its private key', async () => {
    const api = service.as();
    const { status, data } = await api.createSendingDomain({ body: { domain: 'Mail.Example.ORG.' } });
    expect([status, data]).toMatchObject([
      201,
      { domain: 'mail.example.org', status: 'pending', verifiedAt: null, version: 1 },
    ]);
    expect(data.records).toMatchObject([
      { purpose: 'ownership', type: 'TXT', name: '_tandem.mail.example.org', required: true, status: 'unchecked' },
      { purpose: 'dkim', name: expect.stringMatching(/^tandem-[0-9a-f]{8}\._domainkey\.mail\.example\.org$/) },
      { purpose: 'spf', name: 'mail.example.org', value: 'v=spf1 include:mail.tandem.example ~all' },
      { purpose: 'dmarc', name: '_dmarc.mail.example.org', value: 'v=DMARC1; p=none' },
    ]);
    const [row] = await service.sqlWithin(api.caller, 'SELECT private_key FROM sending_domain');
    expect(row?.['private_key']).not.toContain('PRIVATE KEY');
    expect(JSON.stringify(data)).not.toMatch(/private|seal/i);
  });

  it.each([
    'example',
    'exa mple.com',
    '-a.com',
    'ada@example.com',
    '127.0.0.1',
    'example.com/a',
    'example.com?a',
    'a%2eb.com',
  ])('rejects %s, naming the field', async (domain) => {
    const reply = await service.as().createSendingDomain({ body: { domain } });
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, 'domain']);
  });

  it('is in the list once', async () => {
    const api = service.as();
    await api.createSendingDomain({ body: { domain: 'twice.example' } });
    const reply = await api.createSendingDomain({ body: { domain: 'TWICE.example' } });
    expect([reply.status, reply.body.code]).toEqual([409, 'domain_exists']);
    expect((await api.listSendingDomains({ query: { status: 'pending' } })).data).toHaveLength(1);
    expect((await service.as().createSendingDomain({ body: { domain: 'twice.example' } })).status).toBe(201);
  });

  it('is verified by its DNS records, and reports each with what was found', async () => {
    const api = service.as();
    const domain = await aDomain(api);
    const params = { id: domain.id };
    const first = await api.verifySendingDomain({ params });
    expect(statusesOf(first.data)).toEqual({ ownership: 'missing', dkim: 'missing', spf: 'missing', dmarc: 'missing' });
    names.txt.set(domain.domain, ['google-site-verification=x', 'v=spf1 -all']);
    enterRecords(domain, ['ownership', 'dkim']);
    const second = await api.verifySendingDomain({ params });
    expect(statusesOf(second.data)).toEqual({ ownership: 'found', dkim: 'found', spf: 'wrong', dmarc: 'missing' });
    expect(second.data.records[2].found).toEqual(['v=spf1 -all']);
    expect(second.data).toMatchObject({ status: 'verified', verifiedAt: second.data.checkedAt });
    names.txt.set(domain.domain, ['v=spf1 mx include:mail.tandem.example -all']);
    names.txt.set(`_dmarc.${domain.domain}`, ['v=DMARC1; p=reject']);
    const third = await api.verifySendingDomain({ params });
    expect(statusesOf(third.data)).toEqual({ ownership: 'found', dkim: 'found', spf: 'found', dmarc: 'found' });
    expect(third.data.verifiedAt).toBe(second.data.verifiedAt);
    await until('the event arrives', () => eventsOf(api, 'sending_domain.verified').length === 1);
  });

  it('loses its verification when a required record is gone, and keeps it while name servers do not answer', async () => {
    const api = service.as();
    const domain = await verifiedDomain(api);
    const params = { id: domain.id };
    names.isDown = true;
    const during = await api.verifySendingDomain({ params });
    names.isDown = false;
    expect([during.data.status, statusesOf(during.data).dkim]).toEqual(['verified', 'unavailable']);
    names.txt.delete(domain.records.find(({ purpose }) => purpose === 'dkim')?.name as string);
    expect((await api.verifySendingDomain({ params })).data).toMatchObject({
      status: 'pending',
      verifiedAt: null,
    });
    await until('the event arrives', () => eventsOf(api, 'sending_domain.lost').length === 1);
  });

  it('is checked once a day, so that records which are entered late or removed are noticed', async () => {
    const api = service.as();
    const domain = await aDomain(api);
    const params = { id: domain.id };
    const nextDay = () =>
      service.sqlWithin(
        api.caller,
        `UPDATE platform.job SET due_at = now() WHERE name = 'check-sending-domain' AND state = 'waiting'`,
      );
    const inStatus = (status: string) =>
      until(`the domain is ${status}`, async () => (await api.getSendingDomain({ params })).data.status === status);
    enterRecords(domain);
    await nextDay();
    await inStatus('verified');
    names.txt.delete(domain.records[0]?.name as string);
    await until('the job waits for the next day', async () => {
      await nextDay();
      return (await api.getSendingDomain({ params })).data.status === 'pending';
    });
    await until('the event arrives', () => eventsOf(api, 'sending_domain.lost').length === 1);
    await api.deleteSendingDomain({ params });
  });

  it('signs with the old key until the record of the new one was found', async () => {
    const api = service.as();
    const domain = await verifiedDomain(api);
    const params = { id: domain.id };
    const keysInUse = async () =>
      (await service.sqlWithin(api.caller, 'SELECT selector, private_key FROM sending_domain'))[0];
    const dkim = (data: Domain, purpose = 'dkim') => data.records.find((record) => record.purpose === purpose);
    const before = await keysInUse();
    const { status, data } = await api.updateSendingDomain({ params, body: { rotateKey: true } });
    expect([status, data]).toMatchObject([200, { status: 'verified', version: 3 }]);
    expect(dkim(data)).toMatchObject({ name: dkim(domain)?.name, status: 'found' });
    const next = dkim(data, 'next_dkim');
    expect(next).toMatchObject({ required: false, status: 'unchecked' });
    expect([next?.name, next?.value]).not.toEqual([dkim(domain)?.name, dkim(domain)?.value]);
    const early = await api.verifySendingDomain({ params });
    expect(early.data.status).toBe('verified');
    expect(statusesOf(early.data)).toMatchObject({ dkim: 'found', next_dkim: 'missing' });
    expect(await keysInUse()).toEqual(before);
    enterRecords(data, ['next_dkim']);
    const { data: rotated } = await api.verifySendingDomain({ params });
    expect(rotated).toMatchObject({ status: 'verified', verifiedAt: early.data.verifiedAt });
    expect(dkim(rotated)).toMatchObject({ name: next?.name, value: next?.value, required: true, status: 'found' });
    expect(dkim(rotated, 'next_dkim')).toBeUndefined();
    const after = await keysInUse();
    expect(next?.name).toBe(`${after?.['selector']}._domainkey.${domain.domain}`);
    expect(after?.['private_key']).not.toBe(before?.['private_key']);
    names.txt.delete(dkim(domain)?.name as string);
    expect((await api.verifySendingDomain({ params })).data.status).toBe('verified');
    await until('the events arrive', () => eventsOf(api, 'sending_domain.updated').length === 2);
  });

  it('begins a rotation anew when the key is rotated again, and honours If-Match', async () => {
    const api = service.as();
    const domain = await verifiedDomain(api);
    const params = { id: domain.id };
    const rotate = (headers = {}) => api.updateSendingDomain({ params, body: { rotateKey: true }, headers });
    const first = (await rotate()).data;
    const second = (await rotate()).data;
    enterRecords(first, ['next_dkim']);
    expect(statusesOf((await api.verifySendingDomain({ params })).data).next_dkim).toBe('missing');
    enterRecords(second, ['next_dkim']);
    expect(statusesOf((await api.verifySendingDomain({ params })).data)).not.toHaveProperty('next_dkim');
    expect((await rotate({ 'if-match': '"1"' })).status).toBe(412);
    const reply = await api.updateSendingDomain({ params, body: { rotateKey: false } as never });
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, 'rotateKey']);
  });

  it('is not removed while it has senders, and honours If-Match', async () => {
    const api = service.as();
    const domain = await aDomain(api);
    const params = { id: domain.id };
    const body = { name: 'Ada', fromEmail: `ada@${domain.domain}` };
    const { data: sender } = await api.createSender({ body });
    const used = await api.deleteSendingDomain({ params });
    expect([used.status, used.body.code]).toEqual([409, 'domain_in_use']);
    await api.deleteSender({ params: { id: sender.id } });
    expect((await api.deleteSendingDomain({ params, headers: { 'if-match': '"9"' } })).status).toBe(412);
    expect((await api.verifySendingDomain({ params, headers: { 'if-match': '"9"' } })).status).toBe(412);
    expect((await api.deleteSendingDomain({ params })).status).toBe(200);
    expect((await api.getSendingDomain({ params })).status).toBe(404);
    expect((await api.verifySendingDomain({ params })).status).toBe(404);
  });
});

describe('a sender', () => {
  it('is created, changed, listed and deleted', async () => {
    const api = service.as();
    const domain = await verifiedDomain(api);
    const body = { name: 'Ada', fromEmail: `Ada@${domain.domain}`, dailyCap: 500, warmupPlan: {} };
    const { status, data } = await api.createSender({ body });
    expect([status, data]).toMatchObject([
      201,
      {
        fromEmail: `ada@${domain.domain}`,
        replyTo: null,
        dailyCap: 500,
        warmupPlan: { start: 50, growthPercent: 40 },
        domainId: domain.id,
        isVerified: true,
        allowedToday: 50,
        sentToday: 0,
        version: 1,
      },
    ]);
    const params = { id: data.id };
    const changed = await api.updateSender({ params, body: { replyTo: 'team@example.com', warmupPlan: null } });
    expect(changed.data).toMatchObject({
      replyTo: 'team@example.com',
      warmupPlan: null,
      allowedToday: 500,
      version: 2,
    });
    const stale = await api.updateSender({ params, body: { name: 'X' }, headers: { 'if-match': '"1"' } });
    expect(stale.status).toBe(412);
    expect((await api.listSenders({ query: { domainId: domain.id } })).data).toMatchObject([{ id: data.id }]);
    expect((await api.deleteSender({ params })).data).toEqual({ id: data.id, deleted: true });
    expect((await api.getSender({ params })).status).toBe(404);
  });

  it('has an address of a domain of the tenant, once', async () => {
    const api = service.as();
    const theirs = await aDomain(service.as());
    const foreign = await api.createSender({ body: { name: 'Ada', fromEmail: `ada@${theirs.domain}` } });
    expect([foreign.status, foreign.body.errors]).toEqual([
      422,
      [{ field: 'fromEmail', message: `Must be of a sending domain: add ${theirs.domain} first` }],
    ]);
    const domain = await aDomain(api);
    const add = (name: string) => api.createSender({ body: { name: 'Ada', fromEmail: `${name}@${domain.domain}` } });
    expect((await add('ada')).data.isVerified).toBe(false);
    const { data: bob } = await add('bob');
    const again = await add('ADA');
    const renamed = await api.updateSender({ params: { id: bob.id }, body: { fromEmail: `ada@${domain.domain}` } });
    for (const { status, body } of [again, renamed]) expect([status, body.code]).toEqual([409, 'email_taken']);
  });

  it('needs a cap for its warm-up', async () => {
    const api = service.as();
    const { domain } = await aDomain(api);
    const body = { name: 'Ada', fromEmail: `ada@${domain}`, warmupPlan: { start: 10 } };
    const reply = await api.createSender({ body });
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, 'dailyCap']);
  });

  it('keeps its address, and is not deleted, while a campaign uses it', async () => {
    const api = service.as();
    const { domain } = await aDomain(api);
    const { data: sender } = await api.createSender({ body: { name: 'Ada', fromEmail: `ada@${domain}` } });
    const { data } = await api.createCampaign({ body: { name: 'Spring', senderId: sender.id } });
    expect(data.senderId).toBe(sender.id);
    const params = { id: sender.id };
    const renamed = await api.updateSender({ params, body: { fromEmail: `bob@${domain}` } });
    const deleted = await api.deleteSender({ params });
    const errors = [{ field: 'id', message: `Is used by the campaign ‹campaign ${data.id}›` }];
    for (const { status, body } of [renamed, deleted])
      expect([status, body.code, body.errors]).toEqual([409, 'sender_in_use', errors]);
    expect((await api.updateSender({ params, body: { name: 'Ada of Example' } })).data.name).toBe('Ada of Example');
  });

  it('of another tenant is unknown to a campaign', async () => {
    const theirs = service.as();
    const { domain } = await aDomain(theirs);
    const { data: sender } = await theirs.createSender({ body: { name: 'Ada', fromEmail: `ada@${domain}` } });
    const reply = await service.as().createCampaign({ body: { name: 'Spring', senderId: sender.id } });
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, 'senderId']);
  });
});
