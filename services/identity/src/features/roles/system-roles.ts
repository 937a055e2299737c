import { permissionResources } from '@tandem/contract';

type Resource = (typeof permissionResources)[number];

/** Resources of daily work. */
const dailyResources: readonly Resource[] = [
  'leads',
  'opportunities',
  'accounts',
  'partners',
  'commissions',
  'co_marketing',
  'tasks',
  'calendar',
  'activities',
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
/** Resources that tenant administrators configure. */
const adminResources: readonly Resource[] = ['teams', 'addons', 'integrations', 'webhooks', 'config'];

const permissionsFor = (resources: readonly Resource[], ...actions: string[]) =>
  resources.flatMap((resource) => actions.map((action) => `${resource}:${action}`));
const basePermissions = ['users:read', 'teams:read', 'tenant:read', 'addons:read', 'config:read'];

/** Permissions of the `member` role. */
export const memberPermissions: readonly string[] = [
  ...permissionsFor(dailyResources, 'read', 'write'),
  ...permissionsFor(['leads', 'tasks', 'calendar', 'activities', 'files'], 'delete').map((one) => `${one}:own`),
  ...basePermissions,
];

/** System roles of every tenant, from most to least privileged. */
export const systemRoles: readonly { name: string; description: string; permissions: readonly string[] }[] = [
  { name: 'owner', description: 'Full access, including billing', permissions: ['*'] },
  {
    name: 'admin',
    description: 'Full access, except changes to billing',
    permissions: [
      ...permissionsFor(
        permissionResources.filter((resource) => resource !== 'billing'),
        '*',
      ),
      'billing:read',
    ],
  },
  {
    name: 'manager',
    description: 'All work with records and their configuration; read access to users, API keys and the audit log',
    permissions: [
      ...permissionsFor(dailyResources, '*'),
      ...permissionsFor(adminResources, 'read', 'write', 'delete'),
      'users:read',
      'api_keys:read',
      'audit:read',
      'tenant:read',
    ],
  },
  { name: 'member', description: 'All work with records; deletes only own records', permissions: memberPermissions },
  {
    name: 'viewer',
    description: 'Read-only access to records',
    permissions: [...permissionsFor(dailyResources, 'read'), ...basePermissions],
  },
];

/** Role of the user who signs up a tenant; at least one active user always has it. */
export const ownerRole = 'owner';
/** Role of users created without a role. */
export const defaultRole = 'member';
