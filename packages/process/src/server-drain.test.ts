import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { createLog } from './log.ts';
import { createServerDrain, type ServerDrain } from './server-drain.ts';

let server: Server;
let drain: ServerDrain;
let agent: Agent;
let handle: (request: IncomingMessage, response: ServerResponse) => void;

beforeEach(async () => {
  drain = createServerDrain();
  agent = new Agent({ keepAlive: true });
  server = createServer({ keepAliveTimeout: 60_000 }, (incoming, response) => {
    drain.track(incoming, response);
    handle(incoming, response);
  });
  handle = (_, response) => response.end('ok');
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  agent.destroy();
  server.close();
  server.closeAllConnections();
});

const stop = (delayMs = 0) => drain.stopServer(server, { delayMs, log: createLog('test') }).run();

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
  it('tells active keep-alive clients to go elsewhere, fails none of their requests, and ends', async () => {
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

  it('tells the client of a request in flight to close the connection, and waits for its end', async () => {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<ServerResponse>();
    handle = (_, response) => arrive(response);
    const slow = get();
    const response = await arrived;
    const stopped = Promise.resolve(stop()).then(() => 'stopped');
    response.end('late');
    expect(await slow).toEqual({ status: 200, connection: 'close' });
    expect(await stopped).toBe('stopped');
  });

  it('goes on serving new connections for as long as the delay lasts', async () => {
    const began = performance.now();
    const stopped = Promise.resolve(stop(300)).then(() => performance.now() - began);
    expect(await get()).toEqual({ status: 200, connection: 'close' });
    expect(await stopped).toBeGreaterThanOrEqual(299);
    expect(server.listening).toBe(false);
  });

  it('closes a connection that stays idle', async () => {
    expect((await get()).connection).toBe('keep-alive');
    await stop();
    const connections = await new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
    expect(connections).toBe(0);
  });
});
