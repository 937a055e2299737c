import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { callerHeader, createCallerSigner } from '@tandem/caller';

/** Ids of records in the peers: unknown ones, and those that are suspended; all others are active or approved. */
export const nobody = '404';
export const suspended = '403';

type Body = {
  ids?: string[];
  userIds?: string[];
  conditions?: unknown[];
  after?: string | null;
  limit?: number;
};

// Users 5001 to 5600 exist for those who read all of them; those with an even id are in the team 5.
const [firstUser, lastUser] = [5_001, 5_600];
const everyUser = Array.from({ length: lastUser - firstUser + 1 }, (_, index) => firstUser + index);
const teamIdsOf = (id: string) => (Number(id) % 2 ? [] : ['5']);
const tierOf = (id: string) => (Number(id) % 2 ? 'bronze' : 'gold');

const person = (id: string) => ({ id, firstName: 'Ada', lastName: `Lovelace ${id}` });
const known = (ids: string[] = []) => ids.filter((id) => id !== nobody);

const answers: [RegExp, (id: string, body: Body) => unknown][] = [
  [
    /^\/internal\/users\/assignees$/,
    (_, { userIds }) =>
      known(userIds)
        .filter((id) => id !== suspended)
        .map((id) => ({ id, teamIds: teamIdsOf(id), email: null, name: `Ada Lovelace ${id}`, roleId: '9' })),
  ],
  [
    /^\/internal\/users\/active$/,
    (_, { after, limit }) =>
      everyUser
        .filter((id) => id > Number(after ?? 0))
        .slice(0, limit)
        .map((id) => ({ id: String(id) })),
  ],
  [/^\/internal\/teams\/(\d+)$/, (id) => ({ id, name: 'Sales' })],
  [/^\/internal\/roles\/(\d+)$/, (id) => ({ id, name: 'Agent' })],
  // Leads with an even id meet every condition.
  [
    /^\/internal\/leads\/select$/,
    (_, { ids, conditions = [] }) => ({
      leads: known(ids)
        .filter((id) => !conditions.length || Number(id) % 2 === 0)
        .map((id) => ({ id, email: `lead${id}@example.com`, phone: null, consent: {} })),
      next: null,
    }),
  ],
  [
    /^\/internal\/users\/(\d+)$/,
    (id) => ({ id, status: id === suspended ? 'suspended' : 'active', name: `Ada Lovelace ${id}`, teamIds: [] }),
  ],
  [
    /^\/internal\/partners\/find$/,
    (_, { ids }) =>
      known(ids).map((id) => ({
        ...person(id),
        status: id === suspended ? 'suspended' : 'approved',
        tier: tierOf(id),
      })),
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
