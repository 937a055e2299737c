// The contract of identity: sign-in, tenants, plans, API keys, roles, users and the audit log, and internal operations
// that resolve callers.
import { addons } from './addons.ts';
import { apiKeys } from './api-keys.ts';
import { auditLogs } from './audit-logs.ts';
import { internalAccess, internalAdmin, internalTeams, internalUsers } from './internal.ts';
import { internalPortal } from './internal-portal.ts';
import { internalSecrets } from './internal-secrets.ts';
import { notifications } from './notifications.ts';
import { roles } from './roles.ts';
import { signIn } from './sign-in.ts';
import { subscriptions } from './subscriptions.ts';
import { teams } from './teams.ts';
import { internalTenants } from './tenant-settings.ts';
import { tenants } from './tenants.ts';
import { users } from './users.ts';

export * from './addons.ts';
export * from './api-keys.ts';
export * from './audit-logs.ts';
export * from './auth.ts';
export * from './internal.ts';
export * from './internal-portal.ts';
export * from './internal-secrets.ts';
export * from './notifications.ts';
export * from './roles.ts';
export * from './sign-in.ts';
export * from './subscriptions.ts';
export * from './teams.ts';
export * from './tenant-settings.ts';
export * from './tenants.ts';
export * from './users.ts';

export const identity = {
  ...tenants,
  ...signIn,
  ...users,
  ...teams,
  ...roles,
  ...apiKeys,
  ...addons,
  ...subscriptions,
  ...notifications,
  ...auditLogs,
  ...internalUsers,
  ...internalTeams,
  ...internalAccess,
  ...internalAdmin,
  ...internalPortal,
  ...internalSecrets,
  ...internalTenants,
};
