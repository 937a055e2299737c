import { randomBytes } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { createCallerSigner } from '@tandem/caller';
import { operations } from '@tandem/contract';
import { z } from 'zod';
import { createServiceClient, ServiceCallError } from './internal.ts';

const rows = operations({
  readThing: {
    method: 'GET',
    path: '/internal/thing',
    audience: 'internal',
    summary: 'Read a thing',
    reply: z.object({ name: z.string(), kind: z.enum(['big', 'small']).optional() }),
    message: 'Thing retrieved',
    timeoutMs: 100,
  },
  awaitThing: {
    method: 'GET',
    path: '/internal/thing/awaited',
    audience: 'internal',
    summary: 'Wait for a thing',
    reply: z.object({}),
    message: 'Thing retrieved',
    timeoutMs: 60_000,
  },
});

let server: Server;
let respond: (response: ServerResponse) => void;
beforeAll(async () => {
  server = createServer((_, response) => respond(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server?.close();
  server?.closeAllConnections();
});

function client() {
  const { port } = server.address() as { port: number };
  return createServiceClient({
    operations: rows,
    baseUrl: `http://127.0.0.1:${port}`,
    service: 'test',
    signer: createCallerSigner(`k1:${randomBytes(32).toString('hex')}`),
  });
}

const as = { environment: 'live', requestId: 'test' } as const;
const readThing = (): Promise<unknown> => client().readThing({ as });

const sendHalf = (response: ServerResponse) => response.writeHead(200, { 'Content-Length': 100 }).write('{"data":');

describe('a call of another service fails with status 503', () => {
  it.each<[string, (response: ServerResponse) => void]>([
    ['the connection breaks before the response', (response) => response.destroy()],
    [
      'the connection breaks within the response',
      (response) => sendHalf(response) && setImmediate(() => response.destroy()),
    ],
    ['the response stops half-way', sendHalf],
    ['the response is not JSON', (response) => response.end('<html>')],
  ])('if %s', async (_, given) => {
    respond = given;
    const error = await readThing().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ServiceCallError);
    expect(error).toMatchObject({ status: 503, code: 'unavailable', message: 'readThing returned 503' });
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['does not begin', () => undefined],
    ['stops half-way', sendHalf],
  ])('if the response %s within the time of the call, before that of the row', async (_, given) => {
    respond = given;
    const error = await client()
      .awaitThing({ as, timeoutMs: 100 })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 503, code: 'unavailable' });
  });

  it('but not if the response is complete', async () => {
    respond = (response) => response.end(JSON.stringify({ data: { name: 'Ada' } }));
    expect(await readThing()).toEqual({ name: 'Ada' });
  });
});

describe('a reply of another release', () => {
  it.each([
    ['has a new enum value', { data: { name: 'Ada', kind: 'huge' } }],
    ['lacks a required field', { data: { kind: 'big' } }],
    ['has no data', {}],
    ['is null', null],
  ])('that %s fails the call with status 502 and names the operation', async (_, reply) => {
    respond = (response) => response.end(JSON.stringify(reply));
    const error = await readThing().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ServiceCallError);
    expect(error).toMatchObject({
      status: 502,
      code: 'bad_gateway',
      message: 'readThing returned a reply that does not match its contract',
    });
    expect((error as Error).cause).toBeInstanceOf(z.ZodError);
  });

  it('is read without its new fields', async () => {
    respond = (response) => response.end(JSON.stringify({ data: { name: 'Ada', kind: 'big', added: 1 } }));
    expect(await readThing()).toEqual({ name: 'Ada', kind: 'big' });
  });
});
