import type { campaign } from '@tandem/campaign-contract';
import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { type TestService, until } from '@tandem/testing';
import { aNode, startCampaign } from '../../../campaign.test-service.ts';
import { type CrmPeer, crmPeer } from '../../../crm-peer.test-service.ts';
import {
  type Api,
  codeOf,
  enrolled,
  hurry,
  inARow,
  inStatus,
  publishErrors,
  published,
  ran,
} from '../../../engine.test-service.ts';

let crm: CrmPeer;
let mailbox: Mailbox;
let service: TestService<typeof campaign>;
beforeAll(async () => {
  [crm, mailbox] = await Promise.all([crmPeer(), startMailbox()]);
  const sms = { SMS_URL: mailbox.smsUrl, SMS_FROM: '+15005550006' };
  service = await startCampaign(undefined, undefined, { CRM_URL: crm.url, SMTP_URL: mailbox.smtpUrl, ...sms });
});
afterAll(async () => {
  await service?.close();
  await Promise.all([crm?.close(), mailbox?.close()]);
});

let numbers = 0;
const aNumber = () => `+4917012${String(++numbers).padStart(5, '0')}`;
const sms = (data: Record<string, unknown> = { text: 'Hello {{ lead.firstName }}' }, nodeId = 'text') =>
  aNode(nodeId, { type: 'sms', data });
const textsTo = (phone: string) => mailbox.sms.filter(({ to }) => to === phone).map(({ text }) => text);

function aLead(api: Api, fields: Record<string, unknown> = {}) {
  const phone = aNumber();
  const environment = api.caller.environment;
  const leadId = crm.addLead(api.caller.tenantId as number, { phone, firstName: 'Ada', ...fields }, environment);
  return { phone, leadId };
}

async function messageTo(api: Api, leadId: string) {
  return (await api.listMessages({ query: { leadId } })).data;
}

it('sends the text of its node with the values of the lead, and tells analytics', async () => {
  const api = service.as();
  const { leadId, phone } = aLead(api);
  const { steps } = await ran(api, leadId, sms());
  expect(textsTo(phone)).toEqual(['Hello Ada']);
  expect(steps[1]).toMatchObject({ outcome: 'done', input: { text: 'Hello Ada', recipient: phone } });
  const message = { channel: 'sms', status: 'sent', recipient: phone, subject: null, uncertain: false };
  expect(await messageTo(api, leadId)).toMatchObject([message]);
  const event = await until('message.engaged arrives', () =>
    service.events.find((one) => one.name === 'message.engaged' && one.tenantId === api.caller.tenantId),
  );
  expect(event.data).toMatchObject({ type: 'sms_sent', leadId, automated: false });
});

it('sends a template for SMS, and skips it when a required value is missing', async () => {
  const api = service.as();
  const variables = [{ key: 'lead.customFields.code', required: true }];
  const body = { name: 'Code', channel: 'sms', text: 'Your code: {{ lead.customFields.code }}', variables };
  const { data: template } = await api.createTemplate({ body });
  const node = sms({ templateId: codeOf(api, 'template', template.id) });
  expect(await publishErrors(api, node)).toEqual([
    { field: 'nodes.text.templateId', message: 'Must be the id of an active template for SMS' },
  ]);
  await api.activateTemplate({ params: { id: template.id } });
  const [one, other] = [aLead(api, { customFields: { code: '42' } }), aLead(api)];
  await ran(api, one.leadId, node);
  expect(textsTo(one.phone)).toEqual(['Your code: 42']);
  const { steps } = await ran(api, other.leadId, node);
  expect(steps[1]).toMatchObject({ outcome: 'skipped', skipReason: 'missing_value' });
  expect(textsTo(other.phone)).toEqual([]);
});

it.each<[string, Record<string, unknown>, string]>([
  ['without a number', { phone: null }, 'no_address'],
  [
    'without consent for SMS',
    { consent: { sms: { state: 'denied', at: '2026-01-01T00:00:00.000Z', source: null } } },
    'no_consent',
  ],
])('sends nothing %s, and the execution goes on', async (_, fields, skipReason) => {
  const api = service.as();
  const { leadId } = aLead(api, fields);
  const { steps } = await ran(api, leadId, sms());
  expect(steps[1]).toMatchObject({ outcome: 'skipped', skipReason });
  expect(await messageTo(api, leadId)).toMatchObject([{ channel: 'sms', status: 'skipped', skipReason, sentAt: null }]);
});

it('sends nothing to a suppressed number; a suppressed e-mail address does not matter', async () => {
  const api = service.as();
  const [one, other] = [aLead(api), aLead(api)];
  const pause = aNode('pause', { type: 'wait', data: { duration: 1, durationUnit: 'days' } });
  const id = await published(api, inARow(pause, sms()));
  const executions = [await enrolled(api, id, one.leadId), await enrolled(api, id, other.leadId)] as const;
  for (const executionId of executions) await inStatus(api, executionId, 'waiting');
  const email = `lead${other.leadId}@example.com`;
  await api.createSuppression({ body: { channel: 'sms', value: one.phone, reason: 'hard_bounce' } });
  await api.createSuppression({ body: { channel: 'email', value: email, reason: 'hard_bounce' } });
  for (const executionId of executions) await hurry(service, api, executionId);
  expect((await inStatus(api, executions[0], 'completed')).steps[2]).toMatchObject({ skipReason: 'suppressed' });
  await inStatus(api, executions[1], 'completed');
  expect([textsTo(one.phone), textsTo(other.phone)]).toEqual([[], ['Hello Ada']]);
});

it('counts messages of both channels for the limit per lead and day', async () => {
  const api = service.as();
  const { leadId, phone } = aLead(api);
  const mail = aNode('mail', { type: 'email', data: { subjectLine: 'Hello' } });
  const id = await published(api, inARow(mail, sms()), { maxPerLeadPerDay: 1 });
  const { steps } = await inStatus(api, await enrolled(api, id, leadId), 'waiting');
  expect(steps[2]).toMatchObject({ result: { reason: 'max_per_lead_per_day' } });
  expect(textsTo(phone)).toEqual([]);
});

it('skips a number that the provider refuses, and says why', async () => {
  const api = service.as();
  const { leadId, phone } = aLead(api);
  mailbox.refuseSms(phone, { status: 400, code: 21614 });
  const { steps } = await ran(api, leadId, sms());
  expect(steps[1]).toMatchObject({ outcome: 'skipped', skipReason: 'refused' });
  expect(await messageTo(api, leadId)).toMatchObject([{ status: 'failed', error: expect.stringContaining('21614') }]);
});

it('suppresses a number that sent STOP to the provider', async () => {
  const api = service.as();
  const { leadId, phone } = aLead(api);
  mailbox.refuseSms(phone, { status: 400, code: 21610 });
  expect((await ran(api, leadId, sms())).steps[1]).toMatchObject({ outcome: 'skipped', skipReason: 'refused' });
  expect((await api.listSuppressions()).data).toMatchObject([{ value: phone, reason: 'unsubscribe' }]);
});

it('tries again when the provider is busy, and sends once', async () => {
  const api = service.as();
  const { leadId, phone } = aLead(api);
  mailbox.refuseSms(phone, { status: 429, code: 20429 });
  const executionId = await enrolled(api, await published(api, inARow(sms())), leadId);
  const { steps } = await inStatus(api, executionId, 'waiting');
  expect(steps[1]).toMatchObject({ outcome: 'waiting', result: { reason: 'sms_provider' } });
  mailbox.refuseSms(phone, undefined);
  await hurry(service, api, executionId);
  await inStatus(api, executionId, 'completed');
  expect(textsTo(phone)).toEqual(['Hello Ada']);
});

it('does not try a message again whose execution was cancelled', async () => {
  const api = service.as();
  const { leadId, phone } = aLead(api);
  mailbox.refuseSms(phone, { status: 429, code: 20429 });
  const executionId = await enrolled(api, await published(api, inARow(sms())), leadId);
  await inStatus(api, executionId, 'waiting');
  expect(await messageTo(api, leadId)).toMatchObject([{ status: 'queued' }]);
  await api.cancelExecution({ params: { id: executionId } });
  expect(await messageTo(api, leadId)).toMatchObject([{ status: 'skipped', skipReason: 'execution_ended' }]);
  expect(textsTo(phone)).toEqual([]);
});

it('flags a message whose answer was lost, and does not send it again', async () => {
  const api = service.as();
  const { leadId, phone } = aLead(api);
  mailbox.refuseSms(phone, 'broken');
  const { steps } = await ran(api, leadId, sms());
  expect(steps[1]).toMatchObject({ outcome: 'uncertain' });
  expect(await messageTo(api, leadId)).toMatchObject([{ status: 'sent', uncertain: true }]);
});

it('does not leave the sandbox', async () => {
  const api = service.as({ environment: 'sandbox' });
  const { leadId, phone } = aLead(api);
  await ran(api, leadId, sms());
  expect(await messageTo(api, leadId)).toMatchObject([{ status: 'sent', simulated: true }]);
  expect(textsTo(phone)).toEqual([]);
});

it('cannot be published without a text or template, or with a broken placeholder', async () => {
  const api = service.as();
  const errors = await publishErrors(api, sms({}), sms({ text: '{{ lead.firstName' }, 'broken'));
  expect(errors.map(({ field }) => field)).toEqual(['nodes.text.text', 'nodes.broken.text']);
});

it('sends no more on a day than the tenant may, and the rest waits for the next day', async () => {
  const sms = { SMS_URL: mailbox.smsUrl, SMS_FROM: '+15005550006', SMS_PER_DAY_MAX: 2 };
  const limited = await startCampaign(undefined, undefined, { CRM_URL: crm.url, ...sms });
  try {
    const api = limited.as();
    const id = await published(api, inARow(aNode('text', { type: 'sms', data: { text: 'Hello' } })));
    const executions: string[] = [];
    for (const _ of [1, 2, 3]) {
      executions.push(await enrolled(api, id, aLead(api).leadId));
      await until('it has ended or waits', async () => {
        const { data } = await api.getWorkflowExecution({ params: { id: executions.at(-1) as string } });
        return data.status !== 'running';
      });
    }
    const { dueAt, steps } = await inStatus(api, executions[2] as string, 'waiting');
    expect(steps[1]).toMatchObject({ result: { reason: 'daily_limit' } });
    expect(dueAt).toMatch(/T00:00:00.000Z$/);
  } finally {
    await limited.close();
  }
});

it('counts a message that is tried again once for the day', async () => {
  const sms = { SMS_URL: mailbox.smsUrl, SMS_FROM: '+15005550006', SMS_PER_DAY_MAX: 2 };
  const limited = await startCampaign(undefined, undefined, { CRM_URL: crm.url, ...sms });
  try {
    const api = limited.as();
    const id = await published(api, inARow(aNode('text', { type: 'sms', data: { text: 'Hello' } })));
    const [tried, other] = [aLead(api), aLead(api)];
    mailbox.refuseSms(tried.phone, { status: 429, code: 20429 });
    const executionId = await enrolled(api, id, tried.leadId);
    for (const attempts of [1, 2]) {
      if (attempts > 1) await hurry(limited, api, executionId);
      await until('it was tried', async () => {
        const [message] = await messageTo(api, tried.leadId);
        return message?.status === 'queued' && message.attempts === attempts;
      });
    }
    await inStatus(api, await enrolled(api, id, other.leadId), 'completed');
    expect(textsTo(other.phone)).toEqual(['Hello']);
    mailbox.refuseSms(tried.phone, undefined);
    await hurry(limited, api, executionId);
    await inStatus(api, executionId, 'completed');
    expect(textsTo(tried.phone)).toEqual(['Hello']);
  } finally {
    await limited.close();
  }
});

it('skips messages while no provider is configured', async () => {
  const without = await startCampaign(undefined, undefined, { CRM_URL: crm.url });
  try {
    const api = without.as();
    const { leadId } = aLead(api);
    expect((await ran(api, leadId, sms())).steps[1]).toMatchObject({ skipReason: 'sms_not_configured' });
  } finally {
    await without.close();
  }
});
