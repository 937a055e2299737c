import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createLog, type Log } from './log.ts';
import { createServerDrain, type ServerDrain } from './server-drain.ts';

// Longer than the time for which idle connections stay open.
const pauseMs = 1_200;

let server: Server;
let drain: ServerDrain;
let agent: Agent;
let warnings: string[];
let handle: (request: IncomingMessage, response: ServerResponse) => void;

beforeEach(async () => {
  drain = createServerDrain();
  warnings = [];
  agent = new Agent({ keepAlive: true });
  server = createServer({ keepAliveTimeout: 60_000 }, (incoming, response) => {
    drain.track(incoming, response);
    handle(incoming, response);
  });
  drain.watch(server);
  handle = (_, response) => response.end('ok');
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  agent.destroy();
  server.close();
  server.closeAllConnections();
});

function stop(delayMs = 0): void | Promise<void> {
  const log = Object.assign(createLog('test'), { warn: (message: string) => void warnings.push(message) }) as Log;
  return drain.stopServer(server, { delayMs, log }).run();
}

/** Opens a connection and sends `text` on it. Its reply is everything that the server sends until it closes. */
async function rawConnection(text: string): Promise<{ socket: Socket; reply: Promise<string> }> {
  const accepted = new Promise((resolve) => server.once('connection', resolve));
  const socket = connect((server.address() as { port: number }).port, '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk) => (received += chunk));
  // Closing a connection with unread bytes resets it.
  socket.on('error', () => {});
  const reply = new Promise<string>((resolve) => socket.once('close', () => resolve(received)));
  socket.write(text);
  await accepted;
  return { socket, reply };
}

function get(): Promise<{ status: number; connection: string | undefined }> {
  const { port } = server.address() as { port: number };
  return new Promise((resolve, reject) => {
    const outgoing = request({ port, host: '127.0.0.1', agent }, (response) => {
      const { statusCode, headers } = response.resume();
      response.once('end', () => resolve({ status: statusCode as number, connection: headers.connection }));
    });
    outgoing.once('error', reject).end();
  });
}

describe('a draining server', () => {
  it('sends Connection: close to active keep-alive clients, fails none of their requests, and ends', async () => {
    const sendUntilToldToClose = async () => {
      let requests = 0;
      let connection: string | undefined;
      do {
        const answer = await get();
        expect(answer.status).toBe(200);
        connection = answer.connection;
        requests++;
      } while (connection !== 'close');
      return requests;
    };
    const clients = Array.from({ length: 4 }, sendUntilToldToClose);
    await get();
    await stop();
    const requests = await Promise.all(clients);
    expect(Math.min(...requests)).toBeGreaterThan(0);
  });

  it('sends Connection: close for a request in flight, and waits for it to finish', async () => {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<ServerResponse>();
    handle = (_, response) => arrive(response);
    const slow = get();
    const response = await arrived;
    const stopped = Promise.resolve(stop()).then(() => 'stopped');
    response.end('late');
    expect(await slow).toEqual({ status: 200, connection: 'close' });
    expect(await stopped).toBe('stopped');
  });

  it('keeps accepting new connections during the delay', async () => {
    const began = performance.now();
    const stopped = Promise.resolve(stop(300)).then(() => performance.now() - began);
    expect(await get()).toEqual({ status: 200, connection: 'close' });
    expect(await stopped).toBeGreaterThanOrEqual(299);
    expect(server.listening).toBe(false);
  });

  it('closes an idle connection', async () => {
    expect((await get()).connection).toBe('keep-alive');
    await stop();
    const connections = await new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
    expect(connections).toBe(0);
  });

  it('closes connections on which no whole request arrives, before the time limit of requests', async () => {
    const silent = await rawConnection('');
    const begun = await rawConnection('GET / HTTP/1.1\r\nHost:');
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
    handle = (_, response) => void response.once('finish', arrive).end('ok');
    const used = await rawConnection('GET / HTTP/1.1\r\nHost: test\r\n\r\nGET / HTTP/1.1\r\n');
    await arrived;
    await stop();
    const replies = await Promise.all([silent.reply, begun.reply, used.reply]);
    expect(replies).toEqual(['', '', expect.stringContaining('200 OK')]);
    expect(warnings).toEqual([]);
  });

  it('answers a request whose headers arrive after the listener closed', async () => {
    const { socket, reply } = await rawConnection('GET / HTTP/1.1\r\nHost: test\r\n');
    const stopped = stop();
    while (server.listening) await nextTurn();
    socket.write('\r\n');
    expect(await reply).toMatch(/200 OK[\s\S]*Connection: close/);
    await stopped;
  });

  it('answers a request that arrived during a pause of the process, in which the time of the drain passed', async () => {
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    handle = (_, response) => void response.once('finish', answer).end('ok');
    const { socket, reply } = await rawConnection('GET / HTTP/1.1\r\nHost: test\r\n\r\n');
    await answered;
    const stopped = stop();
    socket.write('GET / HTTP/1.1\r\nHost: test\r\n\r\n');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    await stopped;
    expect((await reply).match(/200 OK/g)).toHaveLength(2);
  });
});
