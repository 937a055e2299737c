import { until } from '@tandem/testing';
import { type Reporting, sesBounce, sesComplaint, startReporting } from '../../provider-events.test-service.ts';

let reporting: Reporting;
beforeAll(async () => {
  reporting = await startReporting();
});
afterAll(() => reporting?.close());

type Api = ReturnType<Reporting['service']['as']>;

const messageOf = async (api: Api, id: string) => (await api.getMessage({ params: { id } })).data;
const reasonsOf = async (api: Api) =>
  (await api.listSuppressions()).data.map(({ value, reason }: Record<string, string>) => `${value} ${reason}`);
const deedsOf = (api: Api, type: string) =>
  reporting.service.events.filter(
    ({ name, tenantId, data }) =>
      name === 'message.engaged' && tenantId === api.caller.tenantId && (data as { type: string }).type === type,
  );

describe('a report of Amazon SES', () => {
  it('of a hard bounce suppresses the address at once, ends the workflow that exits on bounces, and counts once', async () => {
    const api = reporting.service.as();
    const sent = await reporting.sentTo(api, { settings: { exitOn: ['bounce'] } });
    for (const _ of [1, 2]) {
      const reply = await reporting.ses(sesBounce(sent));
      expect([reply.status, reply.data]).toEqual([200, { received: 1 }]);
    }
    expect(await messageOf(api, sent.id)).toMatchObject({ status: 'bounced', bouncedAt: expect.any(String) });
    expect(await reasonsOf(api)).toEqual([`${sent.address} hard_bounce`]);
    const { data } = await api.getWorkflowExecution({ params: { id: sent.executionId } });
    expect([data.status, data.endReason]).toEqual(['exited', 'bounce']);
    await until('analytics is told', () => deedsOf(api, 'email_bounce').length > 0);
    expect(deedsOf(api, 'email_bounce')).toHaveLength(1);
  });

  it('of a complaint suppresses the address for its own reason, and ends workflows like an unsubscribe', async () => {
    const api = reporting.service.as();
    const sent = await reporting.sentTo(api);
    await reporting.ses(sesComplaint(sent));
    expect((await messageOf(api, sent.id)).status).toBe('complained');
    expect(await reasonsOf(api)).toEqual([`${sent.address} complaint`]);
    const { data } = await api.getWorkflowExecution({ params: { id: sent.executionId } });
    expect([data.status, data.endReason]).toEqual(['exited', 'unsubscribe']);
    await until('analytics is told', () => deedsOf(api, 'email_complaint').length === 1);
  });

  it('of a soft bounce suppresses after three within 7 days, each counted once', async () => {
    const api = reporting.service.as();
    const sent = await reporting.sentTo(api);
    const bounce = (feedbackId: string) => reporting.ses(sesBounce(sent, 'Transient', feedbackId));
    for (const id of ['a', 'a', 'a', 'b']) await bounce(id);
    expect(await reasonsOf(api)).toEqual([]);
    expect((await messageOf(api, sent.id)).status).toBe('sent');
    await bounce('c');
    expect(await reasonsOf(api)).toEqual([`${sent.address} hard_bounce`]);
  });

  it('of a delivery marks the message, and a bounce after it counts', async () => {
    const api = reporting.service.as();
    const sent = await reporting.sentTo(api);
    const mail = { messageId: 'ses-1', commonHeaders: { messageId: sent.messageId } };
    const delivery = { timestamp: new Date().toISOString(), recipients: [sent.address] };
    await reporting.ses({ eventType: 'Delivery', delivery, mail });
    expect((await messageOf(api, sent.id)).status).toBe('delivered');
    await reporting.ses(sesBounce(sent));
    expect((await messageOf(api, sent.id)).status).toBe('bounced');
  });

  it('confirms its subscription by an address of SNS only', async () => {
    const { sns } = reporting;
    const fields = { Type: 'SubscriptionConfirmation', Token: 't', Message: 'Confirm' };
    const send = (SubscribeURL: string) =>
      reporting.report('ses', { content: sns.message({ ...fields, SubscribeURL }), type: 'text/plain' });
    expect((await send(`${sns.origin}/confirm?Token=t`)).status).toBe(200);
    expect(sns.confirmed).toEqual(['/confirm?Token=t']);
    expect((await send('http://127.0.0.1:9/confirm')).status).toBe(401);
  });

  it('has a signature of version 1 or 2, of a known topic and an allowed host', async () => {
    const { sns } = reporting;
    const status = async (content: string) => (await reporting.report('ses', { content, type: 'text/plain' })).status;
    expect([await status(sns.message({}, '1')), await status(sns.message({}, '2'))]).toEqual([200, 200]);
    const changed = { ...JSON.parse(sns.message()), Message: 'Changed' };
    expect(await status(JSON.stringify(changed))).toBe(401);
    expect(await status(sns.message({ TopicArn: 'arn:aws:sns:eu-west-1:999999999999:theirs' }))).toBe(401);
    expect(await status(sns.message({ SigningCertURL: 'http://127.0.0.1:9/cert.pem' }))).toBe(401);
    expect(await status(sns.message({ SigningCertURL: `${sns.origin}/other.pem` }))).toBe(401);
    expect(await status('{}')).toBe(422);
  });

  it('has a time within an hour, which is how long SNS repeats a message', async () => {
    const { sns } = reporting;
    const status = async (Timestamp: string) =>
      (await reporting.report('ses', { content: sns.message({ Timestamp }), type: 'text/plain' })).status;
    const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
    expect([await status(ago(58)), await status(ago(62)), await status(ago(-62))]).toEqual([200, 401, 401]);
    for (const time of ['', 'yesterday', '+275760-09-13T00:00:00.001Z', '-271821-04-20T00:00:00.000Z'])
      expect(await status(time)).toBe(401);
  });

  it('with a time or an id that cannot be stored changes nothing', async () => {
    const api = reporting.service.as();
    const sent = await reporting.sentTo(api);
    const { bounce, ...others } = sesBounce(sent);
    for (const timestamp of ['-271821-04-20T00:00:00.000Z', 'yesterday']) {
      const reply = await reporting.ses({ ...others, bounce: { ...bounce, timestamp } });
      expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, 'timestamp']);
    }
    expect((await reporting.ses(sesBounce(sent, 'Transient', 'a\0'))).data).toEqual({ received: 0 });
    expect((await messageOf(api, sent.id)).status).toBe('sent');
  });
});

describe('a report of SendGrid', () => {
  it('is signed, and separates bounces, blocks and complaints', async () => {
    const api = reporting.service.as();
    const [bounced, blocked, complained] = [
      await reporting.sentTo(api),
      await reporting.sentTo(api),
      await reporting.sentTo(api),
    ];
    const event = ({ messageId, address }: typeof bounced, fields: object) => ({
      email: address,
      timestamp: Math.floor(Date.now() / 1_000),
      sg_event_id: messageId,
      'smtp-id': messageId,
      ...fields,
    });
    const events = [
      event(bounced, { event: 'bounce', type: 'bounce' }),
      event(blocked, { event: 'bounce', type: 'blocked' }),
      event(complained, { event: 'spamreport' }),
      event(complained, { event: 'open' }),
      { ...event(bounced, { event: 'delivered' }), 'smtp-id': '<stranger@example.com>' },
      { event: 'account_status_change', type: 'compliance_suspend', timestamp: 1_700_000_000, sg_event_id: 'account' },
    ];
    expect((await reporting.sendgrid(events, { wrong: true })).status).toBe(401);
    expect(await reasonsOf(api)).toEqual([]);
    const reply = await reporting.sendgrid(events);
    expect([reply.status, reply.data]).toEqual([200, { received: 3 }]);
    expect((await reasonsOf(api)).toSorted()).toEqual(
      [`${bounced.address} hard_bounce`, `${complained.address} complaint`].toSorted(),
    );
    expect((await messageOf(api, blocked.id)).status).toBe('sent');
  });

  it('was signed within the last day, for which SendGrid repeats it', async () => {
    const status = async (ageMinutes: number) =>
      (await reporting.sendgrid([], { timestamp: String(Math.floor(Date.now() / 1_000) - ageMinutes * 60) })).status;
    expect([await status(24 * 60), await status(24 * 60 + 12)]).toEqual([200, 401]);
    expect([await status(-8), await status(-12)]).toEqual([200, 401]);
    for (const timestamp of ['now', '9'.repeat(13), '-1', '1e9'])
      expect((await reporting.sendgrid([], { timestamp })).status).toBe(401);
  });

  it('with a time or an id that cannot be stored changes nothing, and the other events of its batch do', async () => {
    const api = reporting.service.as();
    const [sent, bounced] = [await reporting.sentTo(api), await reporting.sentTo(api)];
    const event = { event: 'bounce', email: sent.address, sg_event_id: 'a', 'smtp-id': sent.messageId };
    const timestamp = 1_700_000_000;
    const unreadable = [
      ...[-1e11, -1e13, 1e300].map((wrong) => ({ ...event, timestamp: wrong })),
      { ...event, timestamp, sg_event_id: 'a\0' },
    ];
    const good = { ...event, timestamp, email: bounced.address, 'smtp-id': bounced.messageId };
    const reply = await reporting.sendgrid([...unreadable, good]);
    expect([reply.status, reply.data]).toEqual([200, { received: 1 }]);
    expect((await messageOf(api, sent.id)).status).toBe('sent');
    expect((await messageOf(api, bounced.id)).status).toBe('bounced');
  });
});

describe('mail outside of campaigns', () => {
  it('suppresses its address when a test message bounces', async () => {
    const api = reporting.service.as();
    const body = { name: 'T', channel: 'email', subject: 'Test', text: 'Hello' };
    const { data: template } = await api.createTemplate({ body });
    const to = `test${api.caller.tenantId}@example.com`;
    await api.testSendTemplate({ params: { id: template.id }, body: { to: [to] } });
    const mail = await until('the mail arrives', () => reporting.mailbox.to(to)[0]);
    const sent = { messageId: mail.messageId, address: to, leadId: '', executionId: '', id: '' };
    expect((await reporting.ses(sesBounce(sent))).status).toBe(200);
    expect(await reasonsOf(api)).toEqual([`${to} hard_bounce`]);
  });

  it('reports of strangers have no effect', async () => {
    const api = reporting.service.as();
    const sent = { messageId: '<x@elsewhere.example>', address: 'a@example.com', leadId: '', executionId: '', id: '' };
    expect((await reporting.ses(sesBounce(sent))).data).toEqual({ received: 0 });
    expect(await reasonsOf(api)).toEqual([]);
  });
});

it('does not know other providers', async () => {
  const raw = { content: '{}', type: 'application/json' };
  expect((await reporting.report('mailgun', raw)).status).toBe(404);
});
