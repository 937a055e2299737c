import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { callerHeader, createCallerSigner } from '@tandem/caller';
import type { campaign } from '@tandem/campaign-contract';
import { unionNumber } from '@tandem/contract';
import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { identityPeer, type TestService, until } from '@tandem/testing';
import { startCampaign } from '../../campaign.test-service.ts';
import { type CrmPeer, crmPeer } from '../../crm-peer.test-service.ts';

let crm: CrmPeer;
let identity: Awaited<ReturnType<typeof identityPeer>>;
let partner: Awaited<ReturnType<typeof partnerPeer>>;
let mailbox: Mailbox;
let service: TestService<typeof campaign>;
beforeAll(async () => {
  [crm, identity, partner, mailbox] = await Promise.all([crmPeer(), identityPeer(), partnerPeer(), startMailbox()]);
  service = await startCampaign(undefined, identity.url, {
    CRM_URL: crm.url,
    PARTNER_URL: partner.url,
    SMTP_URL: mailbox.smtpUrl,
  });
});
afterAll(async () => {
  await service?.close();
  await Promise.all([crm, identity, partner, mailbox].map((peer) => peer?.close()));
});

/** Partners with the address `partner<id>@example.com`: the one with the id 403 is suspended, all others are approved. */
async function partnerPeer() {
  const signer = createCallerSigner(process.env.INTERNAL_SECRETS as string);
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '' } = request;
    const { ids = [] } = JSON.parse((await text(request)) || '{}') as { ids?: string[] };
    const isKnown = signer.verify(request.headers[callerHeader] as string, method, path);
    const data = ids.map((id) => ({
      id,
      status: id === '403' ? 'suspended' : 'approved',
      firstName: 'Joan',
      lastName: 'Clarke',
      email: `partner${id}@example.com`,
    }));
    response.writeHead(isKnown ? 200 : 403, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ data }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

type Api = ReturnType<TestService<typeof campaign>['as']>;
interface Told {
  type: 'user' | 'partner' | 'lead';
  id: string;
  notice?: string;
  at?: string | null;
  certificateId?: string;
  certificateUrl?: string;
}

const dueAt = '2100-12-01T10:00:00.000Z';

function notified(
  api: Api,
  { type, id, notice = 'certificate_expiring', at = dueAt, ...about }: Told,
  eventId: string = randomUUID(),
) {
  const { tenantId, environment } = api.caller;
  const name = 'training.learner.notified';
  const learnerId = String(unionNumber('learner', type, Number(id)));
  const event = {
    ...{ id: eventId, name, tenantId, environment, occurredAt: '2026-11-21T10:00:00.000Z' },
    ...{ action: 'enrollment.notify', target: { type: 'enrollment', id: 7 }, record: { id: '7' } },
    caller: { type: 'system', name: 'training', requestId: 'job_1' },
    data: { notice, learnerId, courseId: '5', courseTitle: 'Safety', certificateId: null, at, ...about },
  };
  return service.publish(name, event, eventId);
}

let leads = 0;
function aLead(api: Api, domain = 'example.com') {
  const email = `learner${++leads}@${domain}`;
  const { tenantId, environment } = api.caller as { tenantId: number; environment: string };
  return { email, type: 'lead' as const, id: crm.addLead(tenantId, { email, firstName: 'Ada' }, environment) };
}

const mailsTo = (address: string) => mailbox.to(address).map(({ subject }) => subject);
/** The states of the messages that were queued, in the scope of the caller. */
const statesOf = (api: Api) =>
  service.sqlWithin(api.caller, 'SELECT recipient, state, template FROM platform.mail ORDER BY id');

it('a lead is mailed once about a certificate, with its public page and the time in the zone of the tenant', async () => {
  const api = service.as();
  const lead = aLead(api);
  const id = randomUUID();
  const certificateUrl = 'https://api.example.com/certificates/ThisIsOnlyAnExample00';
  const about = { ...lead, certificateId: '3', certificateUrl };
  await notified(api, about, id);
  await notified(api, about, id);
  const last = aLead(api);
  await notified(api, { ...last, notice: 'certificate_issued' });
  const mail = await until('the mail arrives', () => mailbox.to(lead.email)[0]);
  expect(mail.subject).toBe('Your certificate of “Safety” expires soon');
  expect(mail.text).toMatch(/Hello Ada,\s+Your certificate of the course “Safety” expires on .*December.*2100/);
  expect(mail.text).toContain(`View the certificate:\n${certificateUrl}`);
  await until('the later mail arrives', () => mailsTo(last.email).length === 1);
  expect(mailsTo(lead.email)).toHaveLength(1);
});

it('a lead, who cannot open a course, is not told of its dates', async () => {
  const api = service.as();
  const lead = aLead(api);
  const notices = ['enrolled', 'due', 'overdue', 'expiring', 'expired', 'certificate_issued'];
  for (const notice of notices) await notified(api, { ...lead, notice });
  await until('the certificate is announced', () => mailsTo(lead.email).length > 0);
  expect((await statesOf(api)).map(({ template }) => template)).toEqual(['training_certificate_issued']);
});

it('an approved partner is mailed; a suspended one, a deleted lead and a user are not', async () => {
  const api = service.as();
  const gone = aLead(api);
  crm.removeLead(gone.id);
  await notified(api, { ...gone, notice: 'certificate_issued' });
  await notified(api, { type: 'partner', id: '403', notice: 'enrolled' });
  await notified(api, { type: 'user', id: '9', notice: 'enrolled' });
  await notified(api, { type: 'partner', id: '9', notice: 'enrolled', at: null });
  const mail = await until('the mail arrives', () => mailbox.to('partner9@example.com')[0]);
  expect(mail.text).toContain('You are enrolled in the course “Safety”.');
  expect((await statesOf(api)).map(({ recipient }) => recipient)).toEqual(['partner9@example.com']);
});

it.each([
  ['expiring', '“Safety” ends soon', 'ends on'],
  ['expired', '“Safety” has ended', 'ended on'],
])('a partner is mailed about the end of the access: %s', async (notice, subject, text) => {
  const id = notice === 'expiring' ? '21' : '22';
  await notified(service.as(), { type: 'partner', id, notice });
  const mail = await until('the mail arrives', () => mailbox.to(`partner${id}@example.com`)[0]);
  expect(mail.subject).toBe(`Your access to ${subject}`);
  expect(mail.text).toMatch(new RegExp(`Hello Joan,\\s+Your access to the course “Safety” ${text} .*December.*2100`));
});

it('an unsubscription from marketing does not stop a reminder; a bounce, a complaint and a blocked domain do', async () => {
  const api = service.as();
  const [unsubscribed, bouncing, complaining] = [aLead(api), aLead(api), aLead(api)];
  const blocked = aLead(api, 'blocked.example');
  const suppress = (value: string, reason: string) =>
    api.createSuppression({ body: { channel: 'email', value, reason } });
  await suppress(unsubscribed.email, 'unsubscribe');
  await suppress(bouncing.email, 'unsubscribe');
  await suppress(bouncing.email, 'hard_bounce');
  await suppress(complaining.email, 'complaint');
  await suppress('@blocked.example', 'manual');
  for (const lead of [bouncing, complaining, blocked, unsubscribed]) await notified(api, lead);
  await until('the mail arrives', () => mailsTo(unsubscribed.email).length === 1);
  await until('the jobs have ended', async () => {
    const [left] = await service.sqlWithin(
      api.caller,
      `SELECT count(*)::int AS count FROM platform.job WHERE name = 'mail-learner'`,
    );
    return left?.['count'] === 0;
  });
  expect((await statesOf(api)).map(({ recipient }) => recipient)).toEqual([unsubscribed.email]);
});

it('the sandbox sends nothing, and a reminder of a date that has passed is dropped', async () => {
  const api = service.as({ environment: 'sandbox' });
  const at = '2020-01-01T00:00:00.000Z';
  for (const notice of ['due', 'expiring', 'overdue']) await notified(api, { type: 'partner', id: '11', notice, at });
  await until('the message is stored', async () => (await statesOf(api)).length > 0);
  expect(await statesOf(api)).toEqual([
    { recipient: 'partner11@example.com', state: 'suppressed', template: 'training_overdue' },
  ]);
  expect(mailsTo('partner11@example.com')).toEqual([]);
});

it('moves an event that cannot be read to the dead letters', async () => {
  const api = service.as();
  await notified(api, { type: 'lead', id: '1', notice: 'unknown' });
  await until('it is a dead letter', async () => (await service.deadLetters('mail-learners')).length > 0);
});
