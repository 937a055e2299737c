import { type Operation, type PortalRoleName, portalRoles, portalRolesOf } from '@tandem/contract';
import { partner as operations } from '@tandem/partner-contract';
import { type Api, aPeer, missingId, type Peer, type Service, startPartner } from './partner.test-service.ts';
import { aPortalUser, aPortalUserOf } from './portal.test-service.ts';

let peer: Peer;
let service: Service;
beforeAll(async () => {
  peer = await aPeer();
  service = await startPartner(peer);
});
afterAll(async () => {
  await service?.close();
  await peer?.close();
});

const rows = Object.values(operations as Record<string, Operation>).filter(({ audience }) => audience === 'portal');

/** A caller of each role of one partner. */
async function callers() {
  const api = service.as();
  const { partner, ...owner } = await aPortalUser(service, api);
  const member = await aPortalUserOf(service, api, partner, { role: 'member' });
  const marketer = await aPortalUserOf(service, api, partner, { role: 'marketer' });
  const clients: Record<PortalRoleName, Api> = {
    owner: owner.signedIn,
    member: member.signedIn,
    marketer: marketer.signedIn,
  };
  return { api, partner, users: { owner, member, marketer }, clients };
}

/** Sends a request without a body, so that nothing changes. */
const send = (row: Operation, client: Api) => {
  const params = Object.fromEntries(Object.keys(row.params?.shape ?? {}).map((field) => [field, missingId]));
  return service.send(row, { params }, client.caller);
};

it('an operation without roles of its own is not for marketers, nor for users of a partner that is not approved', async () => {
  const { portalRoles: all, ...listPortalCoMarketing } = operations.listPortalCoMarketing;
  const { portalRoles: any, ...getPortalMe } = operations.getPortalMe;
  const restricted = await startPartner(
    peer,
    {},
    {
      change: (definition) => ({
        ...definition,
        operations: {
          ...operations,
          listPortalCoMarketing,
          getPortalMe: { ...getPortalMe, portalRoles: ['owner'] },
        } as unknown as typeof operations,
      }),
    },
  );
  try {
    const api = restricted.as();
    const { partner, ...owner } = await aPortalUser(restricted, api);
    const member = await aPortalUserOf(restricted, api, partner, { role: 'member' });
    const marketer = await aPortalUserOf(restricted, api, partner, { role: 'marketer' });
    const statusesOf = (operation: 'listPortalCoMarketing' | 'getPortalMe') =>
      Promise.all([owner, member, marketer].map(async ({ signedIn }) => (await signedIn[operation]()).status));
    expect(await statusesOf('listPortalCoMarketing')).toEqual([200, 200, 403]);
    expect(await statusesOf('getPortalMe')).toEqual([200, 403, 403]);
    const refused = await marketer.signedIn.listPortalCoMarketing({ query: { page: 'none' } });
    expect([refused.status, refused.body.code]).toEqual([403, 'portal_role']);
    await api.deletePortalUser({ params: { id: partner.id, uid: member.user.id } });
    expect(await statusesOf('listPortalCoMarketing')).toEqual([200, 401, 403]);
    await api.suspendPartner({ params: { id: partner.id }, body: { reason: 'Fraud' } });
    expect(await statusesOf('listPortalCoMarketing')).toEqual([401, 401, 401]);
  } finally {
    await restricted.close();
  }
});

it('every operation of the portal admits the roles of its row, and refuses the others before it reads the request', async () => {
  const { clients } = await callers();
  expect(rows.length).toBeGreaterThan(5);
  for (const row of rows)
    for (const role of portalRoles) {
      const { status, body } = await send(row, clients[role]);
      const isRefused = status === 403 && body.code === 'portal_role';
      expect([row.id, role, isRefused]).toEqual([row.id, role, !portalRolesOf(row)?.includes(role)]);
    }
});

it('a new role has an effect at once', async () => {
  const { api, partner, users, clients } = await callers();
  const change = (role: string) =>
    api.updatePortalUser({ params: { id: partner.id, uid: users.member.user.id }, body: { role } });
  const rename = async () => (await clients.member.updatePortalMe({ body: { company: 'Hut 8' } })).status;
  expect(await rename()).toBe(403);
  await change('owner');
  expect(await rename()).toBe(200);
  await change('marketer');
  expect(await rename()).toBe(403);
});
