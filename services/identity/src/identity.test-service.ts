import { randomBytes } from 'node:crypto';
import type { Caller } from '@tandem/caller';
import type { identity } from '@tandem/identity-contract';
import { type TestService, testService } from '@tandem/testing';
import { identityService } from './service.ts';
import { identitySettings } from './settings.ts';

export type Service = TestService<typeof identity>;

const own = identitySettings.pick({ KEY_PEPPER: true, IDS_ALPHABET: true, JWT_PRIVATE_KEY: true });

/** The secrets that `npm test` made. */
export const secrets = own.parse(process.env);

/** The service for one test file. */
export function startIdentity(overrides: { REDIS_URL?: string } = {}): Promise<Service> {
  return testService('identity', (settings) => identityService({ ...settings, ...secrets, ...overrides }));
}

export const password = 'correct horse battery';

const anonymous: Partial<Caller> = { type: 'anonymous', permissions: [] };

/** Calls without credentials, from an address of its own. */
export function anybody(service: Service, ip = `10.${[...randomBytes(3)].join('.')}`) {
  return service.as({
    ...anonymous,
    tenantId: undefined,
    userId: undefined,
    keyId: undefined,
    ip,
    userAgent: 'test',
  } as never);
}

/** A service of the fleet. */
export function fleet(service: Service, tenantId?: number) {
  return service.as({ type: 'system', name: 'gateway', tenantId, userId: undefined, keyId: undefined } as never);
}

/** A new tenant, seen by its owner signed in. */
export async function aTenant(service: Service, email = `${randomBytes(6).toString('hex')}@example.com`) {
  const owner = { email, password, firstName: 'Ada', lastName: 'Lovelace' };
  const { data, status } = await anybody(service).createTenant({ body: { name: 'Analytical Engines', owner } });
  if (status !== 201) throw new Error(`sign-up answered ${status}`);
  const tenantId = Number(data.tenant.id);
  const { data: roles } = await service.as({ tenantId, userId: Number(data.user.id) }).listRoles();
  const roleId = (name: string) => roles.find((role: { name: string }) => role.name === name).id as string;
  const as = (userId: string | number, can: readonly string[] = ['*'], more: Partial<Caller> = {}) =>
    service.as({
      type: 'user',
      tenantId,
      userId: Number(userId),
      keyId: undefined,
      name: 'Ada Lovelace',
      can,
      ...more,
    } as never);
  const addUser = async (role: string, fields: object = {}) => {
    const person = {
      email: `${randomBytes(6).toString('hex')}@example.com`,
      password,
      firstName: 'Grace',
      lastName: 'Hopper',
    };
    const reply = await as(data.user.id).createUser({ body: { ...person, roleId: roleId(role), ...fields } });
    return { id: reply.data.id as string, email: (fields as { email?: string }).email ?? person.email };
  };
  const signedUp = data as { tenant: { id: string }; user: { id: string }; accessToken: string; refreshToken: string };
  return { tenantId, email, ...signedUp, roleId, as, addUser, owner: as(data.user.id) };
}
