import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { callerHeader, createCallerSigner } from '@tandem/caller';

/** Ids of records in the peers: unknown ones, and those that are suspended; all others are active or approved. */
export const nobody = '404';
export const suspended = '403';

type Body = { ids?: string[]; userIds?: string[] };

const person = (id: string) => ({ id, firstName: 'Ada', lastName: `Lovelace ${id}` });
const known = (ids: string[] = []) => ids.filter((id) => id !== nobody);

const answers: [RegExp, (id: string, body: Body) => unknown][] = [
  [
    /^\/internal\/users\/assignees$/,
    (_, { userIds }) =>
      known(userIds)
        .filter((id) => id !== suspended)
        .map((id) => ({ id, teamIds: [], email: null, name: `Ada Lovelace ${id}` })),
  ],
  [
    /^\/internal\/users\/(\d+)$/,
    (id) => ({ id, status: id === suspended ? 'suspended' : 'active', name: `Ada Lovelace ${id}`, teamIds: [] }),
  ],
  [
    /^\/internal\/partners\/find$/,
    (_, { ids }) => known(ids).map((id) => ({ ...person(id), status: id === suspended ? 'suspended' : 'approved' })),
  ],
  [
    /^\/internal\/tenants\/settings$/,
    () => ({ name: 'Analytical Engines Ltd', currency: 'EUR', timezone: 'UTC', locale: 'en' }),
  ],
  [/^\/internal\/leads\/find$/, (_, { ids }) => known(ids).map(aLead)],
];

const now = '2026-03-02T10:00:00.000Z';
function aLead(id: string) {
  return {
    ...person(id),
    email: `lead${id}@example.com`,
    phone: null,
    status: 'new',
    score: 0,
    source: 'web',
    assignedTo: null,
    createdAt: now,
  };
}
/** Starts identity, partner and crm as training knows them. Calls must be signed, as between services. */
export async function startPeers(): Promise<{ url: string; close(): Promise<void> }> {
  const signer = createCallerSigner(process.env['INTERNAL_SECRETS'] as string);
  const server = createServer(async (request, response) => {
    const reply = (status: number, data: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
    const { method = '', url: path = '' } = request;
    const body = JSON.parse((await text(request)) || '{}') as Body;
    if (!signer.verify(request.headers[callerHeader] as string, method, path)) return reply(403, null);
    for (const [pattern, answer] of answers) {
      const match = pattern.exec(path);
      if (match) return match[1] === nobody ? reply(404, null) : reply(200, answer(match[1] ?? '', body));
    }
    return reply(404, null);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
