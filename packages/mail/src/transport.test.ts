import { type AddressInfo, createServer, type Server } from 'node:net';
import { createTransport, type Transport } from './transport.ts';

let server: Server;
let transport: Transport;
const commands: string[] = [];
beforeEach(() => void commands.splice(0));
afterEach(async () => {
  transport.close();
  await new Promise((resolve) => server.close(resolve));
});

/** A mail server that closes the connection when a client sends the line `at`, or never. */
async function serverThatEndsAt(at?: string, returnPath?: string): Promise<void> {
  server = createServer((socket) => {
    socket.on('error', () => {});
    socket.write('220 test ESMTP\r\n');
    let isContent = false;
    let rest = '';
    socket.on('data', (chunk) => {
      rest += chunk;
      const lines = rest.split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        commands.push(line);
        if (at !== undefined && line.startsWith(at)) return void socket.destroy();
        if (isContent && line !== '.') continue;
        if (line === '.') isContent = false;
        if (line.startsWith('DATA')) isContent = true;
        socket.write(line.startsWith('DATA') ? '354 go on\r\n' : '250 ok\r\n');
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  transport = createTransport(`smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, 1, returnPath);
}

const send = () =>
  transport.send({
    idLeft: 'a-ref',
    from: 'Tandem <no-reply@example.com>',
    to: 'ada@example.com',
    createdAt: new Date(),
    content: { subject: 'Hello', text: 'Hello', html: '<p>Hello</p>' },
  });

it('reports a message that the server accepted as sent', async () => {
  await serverThatEndsAt();
  expect(await send()).toMatchObject({ outcome: 'sent' });
});

it.each(['MAIL FROM', 'RCPT TO', 'DATA'])(
  'a connection that ends at %s leaves no doubt: nothing was sent',
  async (at) => {
    await serverThatEndsAt(at);
    const attempt = await send();
    expect(attempt).toMatchObject({ outcome: 'postponed' });
    expect(attempt).not.toHaveProperty('isUncertain');
  },
);

it('a connection that ends before the answer to the content is uncertain', async () => {
  await serverThatEndsAt('.');
  expect(await send()).toMatchObject({ outcome: 'postponed', isUncertain: true });
});

it('sends bounces to the return path', async () => {
  await serverThatEndsAt(undefined, 'bounces@example.org');
  await send();
  expect(commands).toContain('MAIL FROM:<bounces@example.org>');
  expect(commands).toContain('RCPT TO:<ada@example.com>');
  expect(commands).toContain('From: Tandem <no-reply@example.com>');
});
