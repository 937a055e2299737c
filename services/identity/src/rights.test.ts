import { allows, plainPermissions, teamResources } from '@tandem/contract';
import { until } from '@tandem/testing';
import fc from 'fast-check';
import { startSso } from './features/sso/sso.test-service.ts';
import { type Attack, actions, attackerMoves, type Credential, resolve } from './rights.test-attack.ts';

let sso: Awaited<ReturnType<typeof startSso>>;
beforeAll(async () => {
  sso = await startSso();
});
afterAll(() => sso?.close());

const reachRank = { own: 1, team: 2, all: 3 } as const;
const rankOf = (granted: readonly string[], permission: string): number =>
  reachRank[allows(granted, permission) as keyof typeof reachRank] ?? 0;

// Rights over people, keys and teams are the ways to more rights; those over records are what could be gained.
const ofPeople = [
  'users:read',
  'users:write',
  'users:manage',
  'users:act_as',
  'users:*',
  'users:*:own',
  'users:write:own',
];
const ofKeys = ['api_keys:manage', 'api_keys:*', 'api_keys:manage:own', 'api_keys:*:team'];
const ofSettings = ['tenant:manage'];
const ofTeams = ['teams:read', 'teams:write', 'teams:*', 'teams:delete'];
const ofRecords = [
  ...['leads:read', 'leads:write', 'leads:*', 'leads:read:team', 'leads:*:own', 'files:*:team', 'audit:read'],
  ...['opportunities:write', 'tasks:write', 'billing:manage', 'campaigns:read:team', '*'],
];
const anyPermissions = fc.uniqueArray(
  fc.constantFrom(...ofPeople, ...ofKeys, ...ofTeams, ...ofSettings, ...ofRecords),
  {
    minLength: 1,
    maxLength: 6,
  },
);
const attackerPermissions = fc
  .tuple(
    fc.subarray(ofPeople, { minLength: 1, maxLength: 3 }),
    fc.subarray(ofKeys, { maxLength: 2 }),
    fc.subarray(ofTeams, { maxLength: 2 }),
    fc.subarray(ofSettings),
    fc.subarray(
      ofRecords.filter((one) => one !== '*'),
      { maxLength: 4 },
    ),
  )
  .map((sets) => sets.flat());

const step = fc.record({
  // Keys more often than the rest: they outlast a change of rights.
  action: fc.oneof(fc.constantFrom(...actions), fc.constantFrom('createKey', 'rotateKey', 'updateKey')),
  permissions: anyPermissions,
  // Which credential acts, whether it acts for somebody else, and on what: by position in the lists of that time.
  by: fc.nat(),
  actsFor: fc.option(fc.nat(), { freq: 2 }),
  on: fc.nat(),
  other: fc.nat(),
});
/** The rights that a credential has beyond those with which the attackers began. */
async function gained(attack: Attack, credential: Credential): Promise<string[]> {
  const now = await resolve(sso.service, attack, credential);
  if (!now) return [];
  const more = plainPermissions.filter(
    (permission) => rankOf(now.permissions, permission) > rankOf(attack.permissions, permission),
  );
  // Team records of a team in which none of them was before, unless they could reach the records of every team.
  const isOfTeams = plainPermissions.some(
    (permission) =>
      teamResources.includes(permission.split(':')[0] as string) &&
      allows(now.permissions, permission) === 'team' &&
      allows(attack.permissions, permission) !== 'all',
  );
  const joined = isOfTeams ? now.teamIds.filter((id: string) => !attack.teams.has(id)) : [];
  return [...more, ...joined.map((id: string) => `team ${id}`)];
}

/** Teams into which the steps brought records of other people, if team records are all that attackers could read of some resource. */
async function openedRecords({ tenant, permissions }: Attack): Promise<unknown[]> {
  const { tenantId, owner } = tenant;
  const isLimited = plainPermissions.some(
    (one) => teamResources.includes(one.split(':')[0] as string) && allows(permissions, one) === 'team',
  );
  if (!isLimited) return [];
  const { data: last } = await owner.createTeam({ body: { name: `last ${tenantId}` } });
  const inOrder = await until('the events arrive', () => {
    const found = sso.service.events.filter((one) => one.tenantId === tenantId);
    return (
      found.some(({ name, data }) => name === 'team.created' && (data as { teamId: string }).teamId === last.id) &&
      found
    );
  });
  const isOfOwner = (userId: unknown) => userId === Number(tenant.user.id);
  return inOrder
    .filter(({ name, caller }) => name === 'team.members_changed' && !isOfOwner(caller.userId))
    .flatMap(({ data }) => (data as { follow: unknown[] }).follow);
}

// One of the other people has rights of the attacker only, so that the attacker may change this user and their keys.
const anyAttack = attackerPermissions.chain((permissions) =>
  fc.record({
    permissions: fc.constant(permissions),
    others: fc.tuple(anyPermissions, fc.subarray(permissions, { minLength: 1 })).map((sets) => sets as string[][]),
    steps: fc.array(step, { minLength: 4, maxLength: 14 }),
  }),
);

it('no sequence of calls gives anybody a right that they did not have, whomever the owner promotes', async () => {
  const { begin, attempt, promoteOthers } = attackerMoves(sso);
  await fc.assert(
    fc.asyncProperty(anyAttack, async ({ permissions, others, steps }) => {
      const attack = await begin(permissions, others);
      for (const one of steps) {
        await attempt(attack, one);
        for (const credential of attack.credentials) expect(await gained(attack, credential)).toEqual([]);
      }
      await promoteOthers(attack);
      for (const credential of attack.credentials) expect(await gained(attack, credential)).toEqual([]);
      expect(await openedRecords(attack)).toEqual([]);
    }),
    { numRuns: 20, endOnFailure: true },
  );
}, 240_000);
