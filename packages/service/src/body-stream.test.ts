import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { bodyChunks } from './body-stream.ts';

const max = 1_000_000;

let server: Server;
let read: (request: IncomingMessage) => Promise<string>;
beforeAll(async () => {
  server = createServer(async (request, response) => {
    response.end(await read(request).catch((error: { code: string }) => error.code));
  });
  // On a loaded machine, the server would close a connection that the client is about to use again.
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server?.close();
  server?.closeAllConnections();
});

const port = () => (server.address() as AddressInfo).port;
const send = async (size: number) => {
  const response = await fetch(`http://127.0.0.1:${port()}`, { method: 'POST', body: 'x'.repeat(size) });
  return response.text();
};
const sizeOf = async (request: IncomingMessage) => {
  let size = 0;
  for await (const chunk of bodyChunks(request, max)) size += chunk.length;
  return String(size);
};

it('yields a body up to the limit, and refuses a longer one with a response', async () => {
  read = sizeOf;
  expect([await send(0), await send(max), await send(max + 1)]).toEqual(['0', String(max), 'body_too_large']);
  expect(await send(30 * max)).toBe('body_too_large');
});

it('lets a reader stop, whose response arrives all the same', async () => {
  read = async (request) => {
    for await (const _ of bodyChunks(request, 100 * max)) return 'stopped';
    return 'ended';
  };
  expect(await send(30 * max)).toBe('stopped');
});

it('fails when the client disconnects', async () => {
  const failure = new Promise<unknown>((resolve) => {
    read = (request) => {
      request.once('readable', () => socket.destroy());
      const size = sizeOf(request);
      size.catch(resolve);
      return size;
    };
  });
  const socket = connect(port(), '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf');
  expect(await failure).toMatchObject({ code: 'malformed_request' });
});
