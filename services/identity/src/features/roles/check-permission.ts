import { allows, teamResources } from '@tandem/contract';
import type { roles } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';
import { covers } from '../../permissions.ts';

export const checkPermission: Handler<typeof roles.checkPermission> = ({ query, caller }) => {
  const { permission } = query;
  const reach =
    permission === '*' ? (covers(caller.permissions, '*') ? 'all' : undefined) : allows(caller.permissions, permission);
  // Asked without a narrowing, a right over one's own records is a right, and `reach` says how far it goes.
  const allowed =
    permission.split(':').length > 2 || permission === 'users:*'
      ? covers(caller.permissions, permission)
      : reach !== undefined;
  return { permission, allowed, reach: allowed && reach ? shownReach(permission, reach) : null };
};

/** The reach that lists go by: records without a team are reached by their owners only. */
function shownReach(permission: string, reach: 'all' | 'team' | 'own') {
  const [resource = ''] = permission.split(':');
  return reach === 'team' && !teamResources.includes(resource) ? 'own' : reach;
}
