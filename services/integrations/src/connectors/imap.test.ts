import net from 'node:net';
import { type Integrations, startIntegrations } from '../testing.ts';

// A mail server, which knows one user.
const seen: string[] = [];
let greeting = '* OK ready\r\n';
const server = net.createServer((socket) => {
  socket.on('error', () => {});
  socket.write(greeting);
  socket.on('data', (data) => {
    for (const line of data.toString().split('\r\n').filter(Boolean)) {
      seen.push(line);
      if (line === 'a1 LOGIN "ada" "a\\"b\\\\c"') socket.write('* CAPABILITY IMAP4rev1\r\na1 OK done\r\n');
      else if (line.startsWith('a1 LOGIN "busy"')) socket.write('a1 NO [UNAVAILABLE] later\r\n');
      else if (line.startsWith('a1')) socket.write('a1 NO [AUTHENTICATIONFAILED] no\r\n');
      else socket.end('* BYE\r\na2 OK\r\n');
    }
  });
});
let port: number;
let service: Integrations;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as net.AddressInfo).port;
  service = await startIntegrations();
});
afterAll(async () => {
  await service?.close();
  server.close();
});
beforeEach(() => {
  greeting = '* OK ready\r\n';
  seen.length = 0;
});

async function tested(credentials: object) {
  const api = service.as();
  const body = {
    connectorKey: 'imap',
    name: 'Sales mailbox',
    credentials: { host: '127.0.0.1', port, username: 'ada', password: 'a"b\\c', ...credentials },
  };
  const created = await api.createConnection({ body });
  if (created.status !== 201) return created.body.errors?.map(({ field }) => field);
  const { data } = await api.testConnection({ params: { id: created.data.id } });
  return [data.error, (await api.getConnection({ params: { id: created.data.id } })).data.status];
}

it('signs in to the mailbox', async () => {
  expect(await tested({})).toEqual([null, 'connected']);
  expect(seen[0]).toBe('a1 LOGIN "ada" "a\\"b\\\\c"');
});

it.each([
  ['a wrong password', { password: 'b' }, ['credentials_rejected', 'error']],
  ['an outage', { username: 'busy' }, ['provider_unavailable', 'connected']],
  ['a line break in the password', { password: 'a\r\na2 DELETE INBOX' }, ['credentials.password']],
  ['no password', { password: '' }, ['credentials.password']],
  ['a path in the host', { host: 'mail.example.com/x' }, ['credentials.host']],
  ['the metadata service', { host: '169.254.169.254' }, ['credentials.host']],
])('reports %s', async (_, credentials, expected) => {
  expect(await tested(credentials)).toEqual(expected);
});

it.each([['* BYE full\r\n'], ['HTTP/1.1 400 Bad Request\r\n'], ['x'.repeat(20_000)]])(
  'reports a server that greets with %.10j as unavailable',
  async (text) => {
    greeting = text;
    expect(await tested({})).toEqual(['provider_unavailable', 'connected']);
    expect(seen).toEqual([]);
  },
);
