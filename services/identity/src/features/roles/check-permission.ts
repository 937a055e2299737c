import { allows, teamResources } from '@tandem/contract';
import type { roles } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';
import { covers } from '../../permissions.ts';

export const checkPermission: Handler<typeof roles.checkPermission> = ({ query, caller }) => {
  const { permission } = query;
  const reach =
    permission === '*' ? (covers(caller.permissions, '*') ? 'all' : undefined) : allows(caller.permissions, permission);
  // Without `:own` or `:team` in the query, any reach counts as allowed, and `reach` returns how far it extends.
  const allowed =
    permission.split(':').length > 2 || permission === 'users:*'
      ? covers(caller.permissions, permission)
      : reach !== undefined;
  return { permission, allowed, reach: allowed && reach ? listReach(permission, reach) : null };
};

/** The reach that lists apply: for resources without teams, `team` means `own`. */
function listReach(permission: string, reach: 'all' | 'team' | 'own') {
  const [resource = ''] = permission.split(':');
  return reach === 'team' && !teamResources.includes(resource) ? 'own' : reach;
}
