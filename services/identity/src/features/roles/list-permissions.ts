import { actions, permissionResources } from '@tandem/contract';
import type { roles } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';

const verbs = {
  read: 'Read',
  write: 'Create and change',
  delete: 'Delete',
  manage: 'Manage (read, create, change and delete)',
} as const;

const permissions = [
  ...permissionResources.flatMap((resource) =>
    actions.map((action) => ({
      slug: `${resource}:${action}`,
      description: `${verbs[action]} ${resource.replace('_', ' ')}`,
    })),
  ),
  { slug: 'users:act_as', description: 'Act on behalf of other users with an API key' },
];

export const listPermissions: Handler<typeof roles.listPermissions> = () => permissions;
