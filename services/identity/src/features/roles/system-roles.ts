import { permissionResources } from '@tandem/contract';

type Resource = (typeof permissionResources)[number];

/** The records that people of a tenant work on day by day. */
const work: readonly Resource[] = [
  'leads',
  'opportunities',
  'partners',
  'commissions',
  'co_marketing',
  'tasks',
  'campaigns',
  'workflows',
  'training',
  'files',
  'search',
  'analytics',
  'agents',
  'notifications',
  'ai',
];
/** What is set up once, by those who run the tenant. */
const setup: readonly Resource[] = ['teams', 'addons', 'integrations', 'webhooks', 'config'];

const each = (resources: readonly Resource[], ...actions: string[]) =>
  resources.flatMap((resource) => actions.map((action) => `${resource}:${action}`));
const everyone = ['users:read', 'teams:read', 'tenant:read', 'addons:read', 'config:read'];

/** What a member may do, which is the least that everybody who works here needs. */
export const memberPermissions: readonly string[] = [
  ...each(work, 'read', 'write'),
  ...each(['leads', 'tasks', 'files'], 'delete').map((one) => `${one}:own`),
  ...everyone,
];

/** The roles that every tenant has from the start, from the widest to the narrowest. */
export const systemRoles: readonly { name: string; description: string; permissions: readonly string[] }[] = [
  { name: 'owner', description: 'Everything, billing included', permissions: ['*'] },
  {
    name: 'admin',
    description: 'Everything but changes to billing',
    permissions: [
      ...each(
        permissionResources.filter((resource) => resource !== 'billing'),
        '*',
      ),
      'billing:read',
    ],
  },
  {
    name: 'manager',
    description: 'All daily work, with its set-up; sees users, keys and the audit log',
    permissions: [
      ...each(work, '*'),
      ...each(setup, 'read', 'write', 'delete'),
      'users:read',
      'api_keys:read',
      'audit:read',
      'tenant:read',
    ],
  },
  { name: 'member', description: 'Daily work; deletes only what is their own', permissions: memberPermissions },
  {
    name: 'viewer',
    description: 'Sees daily work and changes nothing',
    permissions: [...each(work, 'read'), ...everyone],
  },
];

/** The role of whoever signs up a tenant; at least one active user always has it. */
export const ownerRole = 'owner';
/** The role of a user who is created without one. */
export const defaultRole = 'member';
