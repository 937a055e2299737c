import { allows, isPermission } from './permissions.ts';

describe('permissions', () => {
  it.each([
    [['*'], 'leads:read', 'all'],
    [['leads:*'], 'leads:delete', 'all'],
    [['leads:manage'], 'leads:write', 'all'],
    [['leads:read'], 'leads:write', undefined],
    [['leads:read'], 'tasks:read', undefined],
    [['leads:read:own'], 'leads:read', 'own'],
    [['leads:read:own', 'leads:read:team'], 'leads:read', 'team'],
    [['leads:read:own', 'leads:read'], 'leads:read', 'all'],
    [['users:manage'], 'users:act_as', undefined],
    [['users:act_as'], 'users:act_as', 'all'],
    [[], 'leads:read', undefined],
  ])('%j grants %s: %s', (granted, wanted, reach) => {
    expect(allows(granted, wanted)).toBe(reach);
  });

  it.each([
    ['*', true],
    ['leads:*', true],
    ['leads:read', true],
    ['leads:read:own', true],
    ['users:act_as', true],
    ['leads:fly', false],
    ['planets:read', false],
    ['leads:read:all', false],
    ['leads:read:own:more', false],
    ['leads', false],
    ['', false],
  ])('%j is grantable: %s', (text, can) => {
    expect(isPermission(text)).toBe(can);
  });
});
