import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createApiKey } from '@tandem/api-keys';
import { fillPath, type Operation } from '@tandem/contract';
import { fleet, publicOperations } from './contracts.ts';
import { openApiDocument } from './docs/openapi.ts';
import { startTestGateway, type TestGateway, testPrincipal } from './testing.ts';

const operations = publicOperations();
const { paths } = openApiDocument(operations);
const declared = new Map(
  Object.values(paths)
    .flatMap((item) => Object.values(item))
    .map(({ operationId, responses }) => [operationId as string, Object.keys(responses as object).map(Number)]),
);

const key = createApiKey('sandbox').key;
const identity: Record<string, unknown> = {
  '/internal/keys/resolve': { ...testPrincipal, environment: 'sandbox' },
  '/internal/usage/read': { calls: 0, recorded: [] },
};

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway(fleet, (from: IncomingMessage, to: ServerResponse) => {
    const data = identity[from.url as string];
    const body = data ? JSON.stringify({ data }) : '';
    from.resume().on('end', () => {
      to.writeHead(data ? 200 : 500, { 'content-length': Buffer.byteLength(body) }).end(body);
    });
  });
});
afterAll(() => gateway.close());

interface Probe {
  search?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Sends a request and resolves with the status, then closes the connection. The body may be shorter than announced. */
function ask({ method, path, hosts }: Operation, probe: Probe): Promise<number> {
  const { search = '', body } = probe;
  const target = fillPath(path, () => 'x') + search;
  const headers: Record<string, string> = { ...probe.headers, ...(hosts && { host: 'www.example.com' }) };
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port: gateway.port, method, path: target, headers, agent: false },
      (response) => {
        resolve(response.statusCode as number);
        response.resume();
        sent.destroy();
      },
    );
    sent.on('error', reject);
    if (body !== undefined) sent.write(body);
    sent.setTimeout(30_000, () => sent.destroy(new Error(`${method} ${path} got no response`)));
    if (headers['content-length']) sent.flushHeaders();
    else sent.end();
  });
}

const byKey = { 'x-api-key': key };
const json = { ...byKey, 'content-type': 'application/json' };
const probes: Record<string, Probe> = {
  'no credentials': {},
  'an API key': { headers: byKey },
  'two credentials': { headers: { ...byKey, authorization: 'Bearer a.b.c' } },
  'a contradicting X-Environment': { headers: { ...byKey, 'x-environment': 'live' } },
  'an unknown user in X-On-Behalf-Of': { headers: { ...byKey, 'x-on-behalf-of': 'x' } },
  'a duplicate query parameter': { headers: byKey, search: '?a=1&a=2' },
  'a text body': { headers: { ...byKey, 'content-type': 'text/plain' }, body: 'text' },
  'a body that is not JSON': { headers: json, body: '{' },
  'a body that is too large': { headers: { ...json, 'content-length': '900000000' } },
};

it.each(operations.map(({ row }) => [row.id, row] as const))(
  '%s returns only declared status codes',
  async (id, row) => {
    const undeclared: Record<string, number> = {};
    for (const [name, probe] of Object.entries(probes)) {
      const sendsBody = probe.body !== undefined || probe.headers?.['content-length'] !== undefined;
      if (sendsBody && row.method === 'GET') continue;
      // A form is streamed, so the service checks its size.
      if (row.form && probe.headers?.['content-length']) continue;
      const status = await ask(row, probe);
      if (!declared.get(id)?.includes(status)) undeclared[name] = status;
    }
    expect(undeclared).toEqual({});
  },
);

it('ignores a body of any type sent to an operation that accepts none', async () => {
  const bodyless = operations
    .map(({ row }) => row)
    .filter(({ method, body, form }) => method !== 'GET' && !body && !form);
  expect(bodyless.length).toBeGreaterThan(10);
  for (const row of bodyless)
    expect([row.id, await ask(row, probes['a text body'] as Probe)]).not.toEqual([row.id, 415]);
});

const features = new URL('../..', import.meta.url).pathname;
const indexes = await Array.fromAsync(glob('services/*/src/features/*/index.ts', { cwd: features }), (path) =>
  readFileSync(`${features}/${path}`, 'utf8'),
);

/** The function that makes the handler of an operation, if operations share one: `createLeadImport: createImport(…)`. */
function makerOf(id: string): string {
  const made = new RegExp(`\\b${id}: (\\w+)\\(`);
  return indexes.map((source) => made.exec(source)?.[1]).find((name) => name) ?? id;
}

it.each(operations.map(({ row }) => [row.id, row] as const))(
  '%s declares 412 exactly if its handler checks If-Match',
  async (id) => {
    const file = `${makerOf(id).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.ts`;
    const found = await Array.fromAsync(
      glob(`../services/*/src/features/**/${file}`, { cwd: new URL('..', import.meta.url).pathname }),
    );
    const checks = found.some((path) => {
      const handler = new URL(`../${path}`, import.meta.url);
      const source = readFileSync(handler, 'utf8');
      // A handler can be a call of a function that two operations share: `=> userLeaves(tools, 'suspended')`.
      const [, shared] = /=>\s+(\w+)\(tools/.exec(source) ?? [];
      const [, file] = new RegExp(`import \\{ ${shared} \\} from '(.+)'`).exec(source) ?? [];
      return (file ? readFileSync(new URL(file, handler), 'utf8') : source).includes('ifMatch');
    });
    expect(declared.get(id)?.includes(412)).toBe(checks);
  },
);
