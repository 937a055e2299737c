import { allows, isPermission, permissionResources, plainPermissions } from '@tandem/contract';
import fc from 'fast-check';
import { keyPermissions } from './features/api-keys/api-key.ts';
import { rightsOf, rightTo } from './features/roles/rights.ts';
import { covers, intersection } from './permissions.ts';

const reachRank = { own: 1, team: 2, all: 3 } as const;
/** How far a set reaches for a permission, as the gateway and every service decide it; 0 for not at all. */
const rankOf = (granted: readonly string[], permission: string): number =>
  reachRank[allows(granted, permission) as keyof typeof reachRank] ?? 0;
const withinEach = (one: readonly string[], other: readonly string[]) =>
  plainPermissions.every((permission) => rankOf(one, permission) <= rankOf(other, permission));

const permission = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...plainPermissions) },
  { weight: 4, arbitrary: fc.constantFrom(...permissionResources).map((resource) => `${resource}:*`) },
  { weight: 1, arbitrary: fc.constant('*') },
);
const narrowed = fc
  .tuple(permission, fc.constantFrom('', ':own', ':team'))
  .map(([one, narrowing]) => (one === '*' ? one : `${one}${narrowing}`));
const permissions = fc.array(narrowed.filter(isPermission), { maxLength: 12 });
const runs = { numRuns: 2_000 };

it('an intersection reaches exactly as far as both sets', () => {
  fc.assert(
    fc.property(permissions, permissions, (one, other) => {
      const both = intersection(one, other);
      const expected = (wanted: string) => Math.min(rankOf(one, wanted), rankOf(other, wanted));
      expect(plainPermissions.filter((wanted) => rankOf(both, wanted) !== expected(wanted))).toEqual([]);
    }),
    runs,
  );
});

it('a permission that a set covers grants nothing that the set does not grant', () => {
  fc.assert(
    fc.property(permissions, narrowed.filter(isPermission), (granted, wanted) => {
      if (covers(granted, wanted)) expect(withinEach([wanted], granted)).toBe(true);
    }),
    runs,
  );
});

it('a key never exceeds the role of its owner, nor its own permissions, and has none while the owner is inactive', () => {
  fc.assert(
    fc.property(permissions, permissions, (own, role) => {
      const active = keyPermissions(own, { status: 'active', role: { permissions: role } });
      expect(withinEach(active, role)).toBe(true);
      if (own.length) expect(withinEach(active, own)).toBe(true);
      for (const status of ['suspended', 'deactivated'])
        expect(keyPermissions(own, { status, role: { permissions: role } })).toEqual([]);
    }),
    runs,
  );
});

it('a key that changes hands any number of times never gains a right', () => {
  fc.assert(
    fc.property(permissions, permissions, fc.array(permissions, { maxLength: 4 }), (own, role, successors) => {
      const owner = (granted: string[]) => ({ status: 'active', role: { permissions: granted } });
      let key = { own, role };
      const first = keyPermissions(own, owner(role));
      for (const next of successors) {
        const now = keyPermissions(key.own, owner(key.role));
        // As in handOverKeys: a key without a right of the successor stays where it is.
        if (intersection(now, next).length) key = { own: now, role: next };
      }
      expect(withinEach(keyPermissions(key.own, owner(key.role)), first)).toBe(true);
    }),
    runs,
  );
});

it('the list of effective rights agrees with each single check', () => {
  fc.assert(
    fc.property(permissions, (granted) => {
      const listed = new Map(rightsOf(granted).map((right) => [right.permission, right]));
      const wrong = plainPermissions.filter((wanted) => {
        const right = listed.get(wanted);
        if (!right) return rankOf(granted, wanted) > 0;
        return right.grantedBy !== rightTo(granted, wanted)?.grantedBy || !withinEach([right.grantedBy], granted);
      });
      expect(wrong).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
