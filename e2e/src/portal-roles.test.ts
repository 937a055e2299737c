import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Operation, portalRoles, portalRolesOf } from '@tandem/contract';

const services = resolve(import.meta.dirname, '../../services');
const contracts: Record<string, Record<string, unknown>>[] = await Promise.all(
  readdirSync(services).map((service) => import(resolve(services, service, 'contract/index.ts'))),
);
const rows = contracts
  .flatMap((contract) => Object.values(contract))
  .flatMap((value) => (typeof value === 'object' && value ? Object.values(value) : []))
  .filter((row) => (row as Operation | null)?.audience === 'portal') as Operation[];

/** The operations for marketers: co-marketing and training, their own account, and the end of their session. */
const ofMarketers = /^\/v1\/partners\/portal\/(co-marketing|training|me|logout)(\/|$)/;

it('a marketer is admitted to co-marketing, training and the own account, and to nothing else in the portal', () => {
  expect(rows.length).toBeGreaterThan(20);
  const wrong = rows.filter((row) => portalRolesOf(row)?.includes('marketer') !== ofMarketers.test(row.path));
  expect(wrong.map(({ id }) => id)).toEqual([]);
});

it('whatever a member may do in the portal, an owner may do', () => {
  const wrong = rows.filter((row) => portalRolesOf(row)?.includes('member') && !portalRolesOf(row)?.includes('owner'));
  expect(wrong.map(({ id }) => id)).toEqual([]);
  expect(rows.flatMap((row) => portalRolesOf(row) ?? []).every((role) => portalRoles.includes(role))).toBe(true);
});
