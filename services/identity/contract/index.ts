// The contract of identity: sign-in, tenants, plans, API keys, roles, users and the audit log, and internal operations
// that resolve callers.

import { jobOperations, personalDataOperations, recordPages } from '@tandem/contract';
import { account } from './account.ts';
import { accountPages } from './account-pages.ts';
import { addons } from './addons.ts';
import { apiKeys } from './api-keys.ts';
import { auditLogs } from './audit-logs.ts';
import { billingEvents } from './billing-events.ts';
import { counts } from './counts.ts';
import { entitlements } from './entitlements.ts';
import {
  internalAccess,
  internalAdmin,
  internalAssignees,
  internalRoles,
  internalTeams,
  internalUsers,
} from './internal.ts';
import { internalEntitlements } from './internal-entitlements.ts';
import { internalNotificationActions } from './internal-notification-actions.ts';
import { internalPortal } from './internal-portal.ts';
import { internalRefusals } from './internal-refusals.ts';
import { internalSecrets } from './internal-secrets.ts';
import { invitations } from './invitations.ts';
import { internalNames } from './names.ts';
import { notifications } from './notifications.ts';
import { preferences } from './preferences.ts';
import { roles } from './roles.ts';
import { sessions } from './sessions.ts';
import { signIn } from './sign-in.ts';
import { sso } from './sso.ts';
import { ssoSignIn } from './sso-sign-in.ts';
import { subscriptions } from './subscriptions.ts';
import { teams } from './teams.ts';
import { internalTenantLife } from './tenant-life.ts';
import { internalTenantSlugs, internalTenants } from './tenant-settings.ts';
import { tenants } from './tenants.ts';
import { totp } from './totp.ts';
import { usage } from './usage.ts';
import { usageAlerts } from './usage-alerts.ts';
import { users } from './users.ts';
import { internalViews, views } from './views.ts';

export * from './account.ts';
export * from './account-pages.ts';
export * from './addon.ts';
export * from './addon-settings.ts';
export * from './addons.ts';
export * from './api-keys.ts';
export * from './audit-logs.ts';
export * from './auth.ts';
export * from './billing-events.ts';
export * from './counts.ts';
export * from './entitlements.ts';
export * from './internal.ts';
export * from './internal-entitlements.ts';
export * from './internal-notification-actions.ts';
export * from './internal-portal.ts';
export * from './internal-refusals.ts';
export * from './internal-secrets.ts';
export * from './invitations.ts';
export * from './names.ts';
export * from './notification.ts';
export * from './notifications.ts';
export * from './preferences.ts';
export * from './roles.ts';
export * from './sessions.ts';
export * from './sign-in.ts';
export * from './sso.ts';
export * from './sso-sign-in.ts';
export * from './subscriptions.ts';
export * from './team.ts';
export * from './teams.ts';
export * from './tenant-life.ts';
export * from './tenant-settings.ts';
export * from './tenants.ts';
export * from './totp.ts';
export * from './usage.ts';
export * from './usage-alerts.ts';
export * from './users.ts';
export * from './views.ts';

export const identity = {
  ...tenants,
  ...signIn,
  ...sessions,
  ...sso,
  ...ssoSignIn,
  ...totp,
  ...account,
  ...invitations,
  ...accountPages,
  ...users,
  ...teams,
  ...roles,
  ...apiKeys,
  ...addons,
  ...entitlements,
  ...subscriptions,
  ...billingEvents,
  ...usage,
  ...usageAlerts,
  ...notifications,
  ...preferences,
  ...auditLogs,
  ...jobOperations,
  ...internalUsers,
  ...internalAssignees,
  ...internalRoles,
  ...internalTeams,
  ...internalAccess,
  ...internalRefusals,
  ...internalAdmin,
  ...internalPortal,
  ...internalSecrets,
  ...internalTenants,
  ...internalTenantSlugs,
  ...internalEntitlements,
  ...views,
  ...internalViews,
  ...internalNotificationActions,
  ...internalTenantLife,
  ...internalNames,
  ...counts,
  ...personalDataOperations,
  ...recordPages,
};
