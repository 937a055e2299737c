import { type ImapServer, startImapServer, until } from '@tandem/testing';
import { type Google, startGoogle } from '@tandem/testing/google';
import { dayAt } from '../../connectors/calendar.test-service.ts';
import { connect } from '../../google.test-service.ts';
import { type Api, type Integrations, startIntegrations } from '../../testing.ts';

let google: Google;
let mailbox: ImapServer;
let service: Integrations;
beforeAll(async () => {
  [google, mailbox] = await Promise.all([startGoogle(), startImapServer()]);
  service = await startIntegrations(google.settings);
});
afterAll(async () => {
  await service?.close();
  await Promise.all([google?.close(), mailbox?.close()]);
});
beforeEach(() => {
  google.set('issues');
  google.calendar.events.clear();
  mailbox.reset();
});

const shown = async (api: Api, id: string, settings: object = {}) => {
  const reply = await api.previewConnection({ params: { id }, body: { settings } });
  expect(reply.status).toBe(200);
  return reply.data;
};
const statusOf = async (api: Api, id: string) => (await api.getConnection({ params: { id } })).data.status;
const credentials = () => ({ host: '127.0.0.1', port: mailbox.port, username: 'ada', password: 'a"b\\c' });
async function aMailbox(api: Api, own: object = {}): Promise<string> {
  const body = { connectorKey: 'imap', name: 'Mailbox', credentials: { ...credentials(), ...own } };
  return (await api.createConnection({ body })).data.id;
}

describe('a failure', () => {
  it('is part of the answer, and ends a connection whose credentials are rejected', async () => {
    const api = service.as();
    const id = await aMailbox(api, { password: 'b' });
    expect(await shown(api, id)).toEqual({ records: [], error: 'credentials_rejected' });
    expect(await statusOf(api, id)).toBe('error');
    await until('the failure is emitted', () =>
      service.events.some(
        ({ name, data }) => name === 'integration.failed' && (data as { connectionId?: string }).connectionId === id,
      ),
    );
    // A password is tried again, because nobody can authorize it.
    expect(await shown(api, id)).toEqual({ records: [], error: 'credentials_rejected' });
  });

  it('tells that the access was removed at the provider, and counts the refusal', async () => {
    const api = service.as();
    const id = await connect(service, google, api);
    await google.endGrant();
    expect(await shown(api, id)).toEqual({ records: [], error: 'reauth_required' });
    expect(await shown(api, id)).toMatchObject({ records: [] });
    expect(await statusOf(api, id)).toBe('needs_reauth');
  });

  it('tells an outage during the refresh of an expired token from a lost connection', async () => {
    const api = service.as();
    const id = await connect(service, google, api);
    await service.sqlWithin(api.caller, 'UPDATE connection SET expires_at = now() WHERE id = $1', [id]);
    google.set('fails');
    expect(await shown(api, id)).toEqual({ records: [], error: 'provider_unavailable' });
    expect(await statusOf(api, id)).toBe('connected');
  });

  it('names a calendar and a folder that do not exist', async () => {
    const api = service.as();
    const id = await connect(service, google, api);
    const calendarId = 'nobody@group.calendar.google.com';
    expect(await shown(api, id, { calendarId })).toEqual({ records: [], error: 'status_404' });
    const error = 'request_rejected';
    expect(await shown(api, await aMailbox(api), { folder: 'Nowhere' })).toEqual({ records: [], error });
  });
});

describe('private content', () => {
  it('of mails is shown only to the user who created the connection', async () => {
    const api = service.as({ userId: 7 });
    const { tenantId } = api.caller as { tenantId: number };
    const id = await aMailbox(api);
    mailbox.append('Message-ID: <a@example.com>\nSubject: Salary\n\nSecret');
    const own = await shown(api, id);
    expect(own).toMatchObject({ records: [{ kind: 'mail', source: { folder: 'INBOX' } }], error: null });
    expect(own.records[0].result.header).toContain('Salary');
    const [record] = (await shown(service.as({ tenantId, userId: 8 }), id)).records;
    expect(record).toEqual({ kind: 'mail', externalId: own.records[0].externalId, source: {}, result: {}, errors: [] });
  });

  it('of calendars is shown only to that user', async () => {
    const api = service.as({ userId: 7 });
    const { tenantId } = api.caller as { tenantId: number };
    const id = await connect(service, google, api);
    const times = { start: { dateTime: dayAt(1) }, end: { dateTime: dayAt(1, '10:00') } };
    google.calendar.edit({ ...times, id: 'doctor', summary: 'Doctor', visibility: 'private' });
    google.calendar.edit({ ...times, id: 'lunch', summary: 'Lunch' });
    const titles = async (as: Api) => {
      const { records } = await shown(as, id);
      const found = records.map(({ externalId, source, result }: Record<string, Record<string, unknown>>) => [
        externalId,
        [source?.['summary'], result?.['title']],
      ]);
      return Object.fromEntries(found);
    };
    const lunch = ['Lunch', 'Lunch'];
    expect(await titles(api)).toEqual({ lunch, doctor: ['Doctor', 'Doctor'] });
    const hidden = [undefined, undefined];
    expect(await titles(service.as({ tenantId, userId: 8 }))).toEqual({ lunch: hidden, doctor: hidden });
  });
});

it('reads no more records than it shows', async () => {
  const api = service.as();
  const id = await aMailbox(api);
  for (let count = 0; count < 30; count++) mailbox.append(`Message-ID: <${count}@example.com>\n\nHello`);
  mailbox.commands.length = 0;
  expect((await shown(api, id)).records).toHaveLength(10);
  const fetched = mailbox.commands.filter((command) => command.startsWith('UID FETCH'));
  expect(fetched).toHaveLength(1);
  expect(fetched[0]?.split(' ')[2]?.split(',')).toHaveLength(10);
});
