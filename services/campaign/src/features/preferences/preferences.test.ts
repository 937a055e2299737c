import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { campaign } from '@tandem/campaign-contract';
import { createIdCodec } from '@tandem/ids';
import { createSeal } from '@tandem/sealed';
import { type TestService, until } from '@tandem/testing';
import { startCampaign } from '../../campaign.test-service.ts';
import { type CrmPeer, crmPeer } from '../../crm-peer.test-service.ts';
import { type ContactLink, contactToken, oneClickUrl, preferencesUrl, unsubscribeUrl } from './contact-links.ts';

const seal = createSeal(process.env.ENCRYPTION_KEY as string);
const ids = createIdCodec(process.env.IDS_ALPHABET as string);

let crm: CrmPeer;
let service: TestService<typeof campaign>;
beforeAll(async () => {
  crm = await crmPeer();
  service = await startCampaign(undefined, undefined, { CRM_URL: crm.url });
});
afterAll(async () => {
  await service?.close();
  await crm?.close();
});
beforeEach(() => {
  crm.isDown = false;
});

type Api = ReturnType<typeof service.as>;

/** A tenant with a lead who got a message, and the token of its links. */
async function aMessage({ topic, ...fields }: Partial<ContactLink> & { topic?: string } = {}) {
  const api = service.as();
  const tenantId = api.caller.tenantId as number;
  const leadId = Number(crm.addLead(tenantId, { phone: '+491701234567' }));
  const address = `lead${leadId}@example.com`;
  const topicId = topic ? Number((await api.createTopic({ body: { name: topic } })).data.id) : null;
  const link = { tenantId, environment: 'live', leadId, messageId: 5, channel: 'email', topicId } as const;
  const params = { token: contactToken({ seal }, { ...link, address, ...fields }) };
  const code = topicId === null ? '' : ids.encode('topic', tenantId, topicId);
  return { api, tenantId, leadId, address, topicId, code, params };
}

const reasonOf = async (api: Api, value: string, more: { channel?: string; topicId?: string } = {}) => {
  const { data } = await api.checkSuppressions({ body: { channel: 'email', values: [value], ...more } });
  return data.results[0].reason;
};
const eventsOf = (api: Api, name: string) =>
  service.events.filter((event) => event.name === name && event.tenantId === api.caller.tenantId);

it('links of a message point to the one-click target and to the pages', () => {
  const tools = { publicUrl: 'https://api.example.com' };
  expect(oneClickUrl(tools, 't')).toBe('https://api.example.com/v1/public/unsubscribe/t');
  expect(unsubscribeUrl(tools, 't')).toBe('https://api.example.com/unsubscribe/t');
  expect(preferencesUrl(tools, 't')).toBe('https://api.example.com/preferences/t');
});

describe('unsubscribe', () => {
  it('suppresses the address for all messages once; a scanner that follows the link with a GET changes nothing', async () => {
    const { api, address, leadId, params } = await aMessage();
    const before = await service.as().getUnsubscribe({ params });
    expect(before.data).toEqual({
      channel: 'email',
      address: 'l***@example.com',
      topic: null,
      unsubscribedFromTopic: false,
      unsubscribedFromAll: false,
    });
    expect(await reasonOf(api, address)).toBeNull();
    for (const _ of [1, 2]) {
      const reply = await service.as().unsubscribe({ params });
      expect([reply.status, reply.data.unsubscribedFromAll]).toEqual([200, true]);
    }
    expect(await reasonOf(api, address)).toBe('unsubscribe');
    const event = await until('the event arrives', () => eventsOf(api, 'lead.unsubscribed')[0]);
    expect(event).toMatchObject({
      data: { leadId: String(leadId), channel: 'email', topicId: null, messageId: 5 },
      target: { type: 'lead', id: leadId },
    });
    await until('the suppression arrives', () => eventsOf(api, 'suppression.added').length === 1);
    expect(eventsOf(api, 'lead.unsubscribed')).toHaveLength(1);
  });

  it('applies to the topic of the message, unless all is asked for', async () => {
    const { api, address, topicId, params } = await aMessage({ topic: 'News' });
    const first = await service.as().unsubscribe({ params });
    expect(first.data).toMatchObject({ unsubscribedFromTopic: true, unsubscribedFromAll: false });
    expect(await reasonOf(api, address)).toBeNull();
    expect(await reasonOf(api, address, { topicId: String(topicId) })).toBe('unsubscribe');
    const second = await service.as().unsubscribe({ params, body: { all: true } });
    expect(second.data.unsubscribedFromAll).toBe(true);
    expect(await reasonOf(api, address)).toBe('unsubscribe');
  });

  it('applies to all messages if the topic was deleted since', async () => {
    const { api, address, topicId, params } = await aMessage({ topic: 'News' });
    await api.deleteTopic({ params: { id: topicId } });
    await service.as().unsubscribe({ params });
    expect(await reasonOf(api, address)).toBe('unsubscribe');
  });

  it('does not exist for a changed token, and has expired after two years', async () => {
    const { params, ...message } = await aMessage();
    const api = service.as();
    for (const token of ['unknown', `${params.token}A`]) {
      expect((await api.getUnsubscribe({ params: { token } })).status).toBe(404);
      expect((await api.unsubscribe({ params: { token } })).status).toBe(404);
      expect((await api.updatePreferences({ params: { token }, body: {} })).status).toBe(404);
      const page = await api.showUnsubscribePage({ params: { token }, headers: { accept: 'text/html' } });
      expect([page.status, page.text]).toEqual([404, expect.stringContaining('This page does not exist')]);
    }
    const { tenantId, leadId, address } = message;
    const link = { tenantId, environment: 'live', leadId, messageId: null, channel: 'email', address } as const;
    const old = contactToken({ seal }, { ...link, topicId: null }, Date.now() - 2 * 365 * 86_400_000);
    expect((await api.unsubscribe({ params: { token: old } })).body.code).toBe('link_expired');
  });
});

describe('preferences', () => {
  it('tell and change topics, channels and a pause, for all addresses of the person', async () => {
    const { api, leadId, address, topicId, code, params } = await aMessage({ topic: 'News' });
    const person = service.as();
    expect((await person.getPreferences({ params })).data).toEqual({
      channels: { email: true, sms: true },
      topics: { [code]: true },
      availableTopics: [{ id: String(topicId), name: 'News', description: null }],
      pauseUntil: null,
    });
    const change = (body: object) => person.updatePreferences({ params, body });
    const off = await change({ topics: { [code]: false }, channels: { sms: false } });
    expect(off.data).toMatchObject({ topics: { [code]: false }, channels: { email: true, sms: false } });
    const topic = { topicId: String(topicId) };
    expect(await reasonOf(api, address, topic)).toBe('unsubscribe');
    expect(await reasonOf(api, '+491701234567', { channel: 'sms' })).toBe('unsubscribe');
    expect(await reasonOf(api, address)).toBeNull();

    const on = await change({ topics: { [code]: true }, channels: { sms: true } });
    expect(on.data).toMatchObject({ topics: { [code]: true }, channels: { sms: true } });
    expect(await reasonOf(api, address, topic)).toBeNull();
    expect(await reasonOf(api, '+491701234567', { channel: 'sms' })).toBeNull();

    const pauseUntil = new Date(Date.now() + 86_400_000).toISOString();
    expect((await change({ pauseUntil })).data.pauseUntil).toBe(pauseUntil);
    expect(await reasonOf(api, address)).toBe('paused');
    expect(await reasonOf(api, '+491701234567', { channel: 'sms' })).toBe('paused');
    expect((await change({ pauseUntil: null })).data.pauseUntil).toBeNull();
    expect(await reasonOf(api, address)).toBeNull();
    await until('the events arrive', () => eventsOf(api, 'lead.preferences_changed').length === 4);
    // Of the channel only: that of the topic does not concern all messages.
    expect(eventsOf(api, 'lead.resubscribed').map(({ data }) => data)).toEqual([
      { leadId: String(leadId), channel: 'sms', way: 'link' },
    ]);
  });

  it('do not remove what the team suppressed', async () => {
    const { api, address, params } = await aMessage();
    await api.createSuppression({ body: { channel: 'email', value: address, reason: 'hard_bounce' } });
    await service.as().updatePreferences({ params, body: { channels: { email: true } } });
    expect(await reasonOf(api, address)).toBe('hard_bounce');
  });

  it('reject a pause that is over or too long, unknown topics, and a channel without address', async () => {
    const { leadId, params } = await aMessage();
    crm.changeLead(String(leadId), { phone: null });
    const fieldOf = async (body: object) => {
      const reply = await service.as().updatePreferences({ params, body });
      return [reply.status, reply.body.errors?.[0]?.field];
    };
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    expect(await fieldOf({ pauseUntil: inDays(-1) })).toEqual([422, 'pauseUntil']);
    expect(await fieldOf({ pauseUntil: inDays(400) })).toEqual([422, 'pauseUntil']);
    expect(await fieldOf({ topics: { nothing: false } })).toEqual([422, 'topics.nothing']);
    expect(await fieldOf({ channels: { sms: false } })).toEqual([422, 'channels.sms']);
  });

  it('accept only public topics and that of the message', async () => {
    const { api, tenantId, address, topicId, code, params } = await aMessage({ topic: 'Internal' });
    await api.updateTopic({ params: { id: topicId }, body: { public: false } });
    const hidden = (await api.createTopic({ body: { name: 'Hidden', public: false } })).data.id;
    const hiddenCode = ids.encode('topic', tenantId, Number(hidden));
    const change = (topics: object) => service.as().updatePreferences({ params, body: { topics } });
    const refused = await change({ [code]: false, [hiddenCode]: false });
    expect([refused.status, refused.body.errors]).toMatchObject([422, [{ field: `topics.${hiddenCode}` }]]);
    expect(await reasonOf(api, address, { topicId: String(topicId) })).toBeNull();
    const unsubscribed = await service.as().unsubscribe({ params, body: { topicId: hidden } });
    expect([unsubscribed.status, unsubscribed.body.errors]).toMatchObject([422, [{ field: 'topicId' }]]);
    expect(await reasonOf(api, address, { topicId: hidden })).toBeNull();
    expect((await change({ [code]: false })).status).toBe(200);
    expect(await reasonOf(api, address, { topicId: String(topicId) })).toBe('unsubscribe');
  });

  it('are shown for the address of the message while crm is down, and cannot be changed', async () => {
    const { params } = await aMessage();
    crm.isDown = true;
    const shown = await service.as().getPreferences({ params });
    expect([shown.status, shown.data.channels]).toEqual([200, { email: true }]);
    expect((await service.as().updatePreferences({ params, body: {} })).status).toBe(503);
  });
});

describe('the pages', () => {
  it('have a form for the operation, a strict policy, and change nothing', async () => {
    const { api, address, code, params } = await aMessage({ topic: 'News & more' });
    const person = service.as();
    const unsubscribe = await person.showUnsubscribePage({ params });
    expect(unsubscribe.text).toContain(`data-action="/v1/public/unsubscribe/${params.token}"`);
    expect(unsubscribe.text).toContain('News &amp; more');
    const preferences = await person.showPreferencesPage({ params });
    expect(preferences.text).toContain('data-method="PATCH"');
    expect(preferences.text).toContain(`name="topics.${code}" checked`);
    for (const page of [unsubscribe, preferences]) {
      expect(page.headers['content-security-policy']).toContain("default-src 'none'");
      expect(page.text).not.toContain(address);
    }
    expect(await reasonOf(api, address)).toBeNull();
    await person.unsubscribe({ params, body: { all: true } });
    expect((await person.showUnsubscribePage({ params })).text).not.toContain('<form');
  });
});

it('the pages are German for a tenant with a German locale', async () => {
  const settings = { timezone: 'Europe/Berlin', locale: 'de-DE', currency: 'EUR', name: 'Acme' };
  const identity = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ data: settings }));
  });
  await new Promise<void>((resolve) => identity.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(identity.address() as AddressInfo).port}`;
  const german = await startCampaign(undefined, url, { CRM_URL: crm.url });
  try {
    const api = german.as();
    const tenantId = api.caller.tenantId as number;
    const link = { tenantId, environment: 'live', leadId: 1, messageId: null, topicId: null } as const;
    const token = contactToken({ seal }, { ...link, channel: 'email', address: 'ada@example.com' });
    for (const { text } of [
      await api.showUnsubscribePage({ params: { token } }),
      await api.showPreferencesPage({ params: { token } }),
    ])
      expect(text).toMatch(/<html lang="de">[\s\S]*(Abmelden|Speichern)<\/button>/);
  } finally {
    await german.close();
    identity.closeAllConnections();
    await new Promise((resolve) => identity.close(resolve));
  }
});
