import { randomUUID } from 'node:crypto';
import type { crm } from '@tandem/crm-contract';
import { type TestService, until } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';

let service: TestService<typeof crm>;
beforeAll(async () => {
  service = await startCrm();
});
afterAll(() => service?.close());

type Api = ReturnType<typeof service.as>;
type Name = 'lead.unsubscribed' | 'lead.resubscribed';

/** Publishes a decision of a lead, as campaign does. */
async function decide(
  api: Api,
  name: Name,
  leadId: string,
  { at = new Date(), id = randomUUID() as string, ...data }: { at?: Date; id?: string; [field: string]: unknown } = {},
): Promise<void> {
  const event = {
    id,
    name,
    tenantId: api.caller.tenantId,
    environment: 'live',
    occurredAt: at.toISOString(),
    action: name,
    caller: { type: 'anonymous', requestId: 'r1' },
    target: { type: 'lead', id: Number(leadId) },
    data: {
      leadId,
      channel: 'email',
      way: 'link',
      ...(name === 'lead.unsubscribed' && { topicId: null, messageId: 5 }),
      ...data,
    },
    record: { id: leadId },
  };
  await service.publish(name, event, id);
}

const newLead = async (api: Api, fields: Record<string, unknown> = {}) =>
  (await api.createLead({ body: aLead(fields) })).data.id as string;
const leadOf = async (api: Api, id: string) => (await api.getLead({ params: { id } })).data;
const becomes = (api: Api, id: string, state: string, channel = 'email') =>
  until(`the consent is ${state}`, async () => {
    const consent = (await leadOf(api, id)).consent[channel];
    return consent?.state === state && consent;
  });
const granted = { email: { state: 'granted', source: 'Newsletter form', at: '2026-03-02T09:00:00.000Z' } };
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);

it('an unsubscription from all messages denies the consent of the channel, and the timeline shows it', async () => {
  const api = service.as();
  const id = await newLead(api, { consent: { ...granted, sms: granted.email } });
  const at = new Date();
  await decide(api, 'lead.unsubscribed', id, { at });
  const denied = { state: 'denied', source: 'Unsubscribe link', at: at.toISOString() };
  expect(await becomes(api, id, 'denied')).toEqual(denied);
  expect((await leadOf(api, id)).consent.sms).toEqual(granted.email);
  const entry = await until('the timeline has the entry', async () => {
    const { data } = await api.getLeadTimeline({ params: { id } });
    return data.find(({ kind }: { kind: string }) => kind === 'lead_consent_changed');
  });
  expect(entry.details).toMatchObject({ channel: 'email', from: 'granted', to: 'denied' });
  await decide(api, 'lead.unsubscribed', id, { channel: 'sms', way: 'text_message' });
  expect(await becomes(api, id, 'denied', 'sms')).toMatchObject({ source: 'Text message' });
});

it('one from a topic changes nothing, and neither does a repeated event or one that cannot be read', async () => {
  const api = service.as();
  const [id, other] = [await newLead(api, { consent: granted }), await newLead(api)];
  await decide(api, 'lead.unsubscribed', id, { topicId: '7' });
  await decide(api, 'lead.unsubscribed', id, { channel: 'pigeon' });
  const event = { id: randomUUID() as string };
  for (const _ of [1, 2]) await decide(api, 'lead.unsubscribed', other, event);
  await becomes(api, other, 'denied');
  await decide(api, 'lead.unsubscribed', other, { channel: 'sms' });
  await becomes(api, other, 'denied', 'sms');
  expect((await leadOf(api, other)).version).toBe(3);
  expect(await leadOf(api, id)).toMatchObject({ consent: granted, version: 1 });
  const [dead] = await until('the event is a dead letter', async () => {
    const letters = await service.deadLetters('note-unsubscriptions');
    return letters.length > 0 && letters;
  });
  expect(dead?.error).toMatch(/channel/);
});

it('the person who subscribes again, by the page of preferences or a confirmed form, is granted it again', async () => {
  const api = service.as();
  const id = await newLead(api, { consent: granted });
  await decide(api, 'lead.unsubscribed', id, { at: daysAgo(3) });
  await becomes(api, id, 'denied');
  await decide(api, 'lead.resubscribed', id, { at: daysAgo(2) });
  expect(await becomes(api, id, 'granted')).toMatchObject({ source: 'Preferences page' });
  await decide(api, 'lead.unsubscribed', id, { at: daysAgo(1) });
  await becomes(api, id, 'denied');
  const { email } = await leadOf(api, id);
  const system = service.as({ type: 'system', tenantId: api.caller.tenantId as number });
  const confirmed = { source: 'Form', isConfirmed: true, at: new Date().toISOString() };
  await system.upsertLeadByEmail({ body: { email, consent: confirmed } });
  expect((await leadOf(api, id)).consent.email).toMatchObject({ state: 'granted', source: 'Form' });
});

it('the later decision wins, and a denial that the team recorded stays', async () => {
  const api = service.as();
  const [late, called] = [await newLead(api), await newLead(api)];
  await decide(api, 'lead.resubscribed', late, { at: daysAgo(1) });
  await api.updateLead({ params: { id: late }, body: { consent: { email: { state: 'granted', source: 'Call' } } } });
  await decide(api, 'lead.unsubscribed', late, { at: daysAgo(2) });
  const byCall = { email: { state: 'denied', source: 'Call' } };
  await api.updateLead({ params: { id: called }, body: { consent: byCall } });
  await decide(api, 'lead.resubscribed', called);
  for (const id of [late, called]) {
    await decide(api, 'lead.unsubscribed', id, { channel: 'sms' });
    await becomes(api, id, 'denied', 'sms');
  }
  expect((await leadOf(api, late)).consent.email).toMatchObject({ state: 'granted', source: 'Call' });
  expect((await leadOf(api, called)).consent).toMatchObject(byCall);
});

it('the link of a merged lead denies the consent of the lead that remains', async () => {
  const api = service.as();
  const [kept, merged] = [await newLead(api), await newLead(api)];
  const reply = await api.mergeLeads({ params: { id: kept }, body: { mergeIds: [merged] } });
  expect(reply.status).toBe(200);
  await decide(api, 'lead.unsubscribed', merged);
  await becomes(api, kept, 'denied');
});
