import { createSeal } from '@tandem/sealed';
import { until } from '@tandem/testing';
import { type Reporting, startReporting } from '../../provider-events.test-service.ts';
import { statusCallbackUrl } from './twilio.ts';

let reporting: Reporting;
beforeAll(async () => {
  reporting = await startReporting();
});
afterAll(() => reporting?.close());

type Api = ReturnType<Reporting['service']['as']>;

let numbers = 0;
const aNumber = () => `+4917012345${String(++numbers).padStart(2, '0')}`;

/** A text message that was sent to a number; returns its id and the token of its status callback. */
async function sentText(api: Api, number: string) {
  const [row] = await reporting.service.sqlWithin(
    api.caller,
    `INSERT INTO message (lead_id, channel, recipient, status, sent_at) VALUES (1, 'sms', $1, 'sent', now()) RETURNING id`,
    [number],
  );
  const seal = createSeal(process.env['ENCRYPTION_KEY'] as string);
  const { tenantId, environment } = api.caller;
  const key = { tenantId: tenantId as number, environment, messageId: Number(row?.['id']) };
  const url = new URL(statusCallbackUrl({ seal, publicUrl: 'https://api.example.com' }, key));
  return { id: String(row?.['id']), token: url.searchParams.get('message') as string };
}

const statusOf = async (api: Api, id: string) => (await api.getMessage({ params: { id } })).data.status;
const unsubscribedOf = (api: Api) =>
  reporting.service.events.filter(
    ({ name, tenantId }) => name === 'lead.unsubscribed' && tenantId === api.caller.tenantId,
  );
const reasonsOf = async (api: Api) =>
  (await api.listSuppressions({ query: { channel: 'sms' } })).data.map(
    ({ value, reason }: Record<string, string>) => `${value} ${reason}`,
  );

describe('a status callback of Twilio', () => {
  it('marks its message as delivered', async () => {
    const api = reporting.service.as();
    const To = aNumber();
    const { id, token } = await sentText(api, To);
    const reply = await reporting.twilio({ MessageStatus: 'delivered', To, MessageSid: 'SM1' }, { token });
    expect([reply.status, reply.data]).toEqual([200, { received: 1 }]);
    expect(await statusOf(api, id)).toBe('delivered');
  });

  it('of a number that does not exist is a bounce and suppresses it; a phone that is off is neither', async () => {
    const api = reporting.service.as();
    const [gone, busy] = [aNumber(), aNumber()];
    for (const [To, ErrorCode, status] of [
      [gone, '30005', 'bounced'],
      [busy, '30003', 'failed'],
    ] as const) {
      const { id, token } = await sentText(api, To);
      await reporting.twilio({ MessageStatus: 'undelivered', To, ErrorCode }, { token });
      expect(await statusOf(api, id)).toBe(status);
    }
    expect(await reasonsOf(api)).toEqual([`${gone} hard_bounce`]);
  });

  it.each([
    ['30005', 'bounced'],
    ['30003', 'failed'],
  ])(
    'with the error %s before the answer of Twilio is stored leaves a message that was sent, and %s',
    async (ErrorCode, status) => {
      const api = reporting.service.as();
      const To = aNumber();
      const { id, token } = await sentText(api, To);
      await reporting.service.sqlWithin(
        api.caller,
        `UPDATE message SET status = 'sending', sent_at = NULL WHERE id = $1`,
        [id],
      );
      await reporting.twilio({ MessageStatus: 'undelivered', To, ErrorCode }, { token });
      expect((await api.getMessage({ params: { id } })).data).toMatchObject({ status, sentAt: expect.any(String) });
    },
  );

  it('ignores an error code that is none', async () => {
    const api = reporting.service.as();
    for (const ErrorCode of ['3000\0', 'x'.repeat(5_000)]) {
      const To = aNumber();
      const { id, token } = await sentText(api, To);
      const reply = await reporting.twilio({ MessageStatus: 'failed', To, ErrorCode, Note: '\0' }, { token });
      expect([reply.status, await statusOf(api, id)]).toEqual([200, 'failed']);
      expect((await api.getMessage({ params: { id } })).data.error).toBe(
        'Twilio could not deliver it (without a code)',
      );
    }
  });

  it('needs the signature of its address and all its parameters', async () => {
    const api = reporting.service.as();
    const To = aNumber();
    const { id, token } = await sentText(api, To);
    const wrong = await reporting.twilio({ MessageStatus: 'delivered', To }, { token, wrong: true });
    expect([wrong.status, wrong.body.code]).toEqual([401, 'invalid_signature']);
    expect(await statusOf(api, id)).toBe('sent');
  });
});

describe('an incoming text message', () => {
  it.each(['STOP', 'stop', ' Unsubscribe. ', 'Revoke', 'OPTOUT'])(
    'with %j suppresses the number for the tenants that wrote to it',
    async (Body) => {
      const [api, other, stranger] = [reporting.service.as(), reporting.service.as(), reporting.service.as()];
      const From = aNumber();
      for (const tenant of [api, other]) {
        const { token } = await sentText(tenant, From);
        await reporting.twilio({ MessageStatus: 'sent', To: From }, { token });
      }
      const message = { From, To: '+15005550006', Body, MessageSid: 'SM2' };
      for (const _ of [1, 2]) expect((await reporting.twilio(message)).data).toEqual({ received: 1 });
      for (const tenant of [api, other]) {
        expect(await reasonsOf(tenant)).toEqual([`${From} unsubscribe`]);
        const events = await until(
          'the event arrives',
          () => unsubscribedOf(tenant).length > 0 && unsubscribedOf(tenant),
        );
        expect(events).toMatchObject([{ data: { leadId: '1', channel: 'sms', topicId: null } }]);
      }
      expect(await reasonsOf(stranger)).toEqual([]);
    },
  );

  it('with START removes what STOP stored, and nothing else', async () => {
    const api = reporting.service.as();
    const From = aNumber();
    const { token } = await sentText(api, From);
    await reporting.twilio({ MessageStatus: 'sent', To: From }, { token });
    await api.createSuppression({ body: { channel: 'sms', value: From } });
    await reporting.twilio({ From, Body: 'STOP' });
    expect(await reasonsOf(api)).toHaveLength(2);
    await reporting.twilio({ From, Body: 'Start' });
    expect(await reasonsOf(api)).toEqual([`${From} manual`]);
    const again = await until('the event arrives', () =>
      reporting.service.events.find(
        ({ name, tenantId }) => name === 'lead.resubscribed' && tenantId === api.caller.tenantId,
      ),
    );
    expect(again.data).toEqual({ leadId: '1', channel: 'sms', way: 'text_message' });
  });

  it('with other words has no effect', async () => {
    const reply = await reporting.twilio({ From: aNumber(), Body: 'Please stop by tomorrow' });
    expect([reply.status, reply.data]).toEqual([200, { received: 0 }]);
  });
});
