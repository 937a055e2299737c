/** The resources of permissions; a permission is `<resource>:<action>`. */
export const permissionResources = [
  'leads',
  'opportunities',
  'accounts',
  'partners',
  'commissions',
  'co_marketing',
  'users',
  'teams',
  'tasks',
  'calendar',
  'activities',
  'campaigns',
  'workflows',
  'training',
  'addons',
  'files',
  'search',
  'analytics',
  'agents',
  'integrations',
  'webhooks',
  'api_logs',
  'api_keys',
  'audit',
  'billing',
  'config',
  'notifications',
  'tenant',
  'ai',
] as const;

/** Resources whose records belong to a team; for others, `team` is the same as `own`. */
export const teamResources: readonly string[] = [
  'leads',
  'opportunities',
  'accounts',
  'tasks',
  'files',
  'campaigns',
  'workflows',
];

export const actions = ['read', 'write', 'delete', 'manage'] as const;

const extra = ['users:act_as'];
const narrowings = ['own', 'team'];
const known = new Set([
  ...permissionResources.flatMap((resource) => actions.map((action) => `${resource}:${action}`)),
  ...extra,
]);

/** Every permission without wildcard and narrowing. */
export const plainPermissions: readonly string[] = [...known];

/** Whether a text is a grantable permission: `leads:read`, `leads:*`, `*`, or narrowed, `leads:read:own`. */
export function isPermission(text: string): boolean {
  if (text === '*' || known.has(text)) return true;
  const [resource, action, narrowing, ...rest] = text.split(':');
  if (rest.length || !(permissionResources as readonly string[]).includes(resource ?? '')) return false;
  if (narrowing !== undefined && !narrowings.includes(narrowing)) return false;
  return action === '*' || known.has(`${resource}:${action}`);
}

/**
 * How far the granted permissions allow the wanted one: all records, the team's, the caller's own, or none. The widest
 * grant wins; `manage` includes the other three actions of its resource.
 */
export function allows(granted: readonly string[], wanted: string): 'all' | 'team' | 'own' | undefined {
  return grantOf(granted, wanted)?.reach;
}

/** The granted permission with the widest reach for the wanted one, and that reach; undefined if none allows it. */
export function grantOf(
  granted: readonly string[],
  wanted: string,
): { grant: string; reach: 'all' | 'team' | 'own' } | undefined {
  const [resource, action] = wanted.split(':');
  let widest: { grant: string; reach: 'team' | 'own' } | undefined;
  for (const grant of granted) {
    if (grant === '*') return { grant, reach: 'all' };
    const [grantedResource, grantedAction, narrowing] = grant.split(':');
    if (grantedResource !== resource) continue;
    const covers =
      grantedAction === '*' || grantedAction === action || (grantedAction === 'manage' && action !== 'act_as');
    if (!covers) continue;
    if (narrowing === undefined) return { grant, reach: 'all' };
    if (narrowing === 'team') widest = widest?.reach === 'team' ? widest : { grant, reach: 'team' };
    else widest ??= { grant, reach: 'own' };
  }
  return widest;
}
