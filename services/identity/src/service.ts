import { createPepper } from '@tandem/api-keys';
import { identity } from '@tandem/identity-contract';
import { createIdCodec } from '@tandem/ids';
import { connectRedis, loginLimiter } from '@tandem/passwords';
import { createLog } from '@tandem/process';
import type { ServiceDefinition } from '@tandem/service';
import { credentialNews } from './credential-news.ts';
import { accessHandlers } from './features/access/index.ts';
import { usageRetention } from './features/access/usage.ts';
import { addonHandlers } from './features/addons/index.ts';
import { apiKeyHandlers } from './features/api-keys/index.ts';
import { auditLogHandlers } from './features/audit-logs/index.ts';
import { keepAuditLog } from './features/audit-logs/on-any-event.ts';
import { auditRetention } from './features/audit-logs/retention.ts';
import { signInHandlers } from './features/auth/index.ts';
import { deliverNotifications } from './features/notifications/deliver-notifications.job.ts';
import { notificationHandlers } from './features/notifications/index.ts';
import { portalSessionHandlers } from './features/portal-sessions/index.ts';
import { roleHandlers } from './features/roles/index.ts';
import { secretHandlers } from './features/secrets/index.ts';
import { endSubscription } from './features/subscriptions/end-subscription.job.ts';
import { subscriptionHandlers } from './features/subscriptions/index.ts';
import { openSubscription } from './features/subscriptions/subscription.ts';
import { teamHandlers } from './features/teams/index.ts';
import { tenantHandlers } from './features/tenants/index.ts';
import { userHandlers } from './features/users/index.ts';
import { Prisma, PrismaClient } from './generated/client.ts';
import type { Tools } from './handler.ts';
import type { IdentitySettings } from './settings.ts';
import { createTokens } from './tokens.ts';

const backgroundDelayMs = 50;

/** The identity service: its contract, its handlers, and the audit log that reads along. */
export function identityService(
  settings: IdentitySettings,
): ServiceDefinition<typeof identity, PrismaClient, IdentitySettings> {
  const log = createLog('identity');
  const redis = connectRedis(settings.REDIS_URL, log);
  const pepper = createPepper(settings.KEY_PEPPER);
  const ids = createIdCodec(settings.IDS_ALPHABET);
  const tools: Tools = {
    pepper,
    ids,
    tokens: createTokens(settings.JWT_PRIVATE_KEY, ids),
    news: credentialNews(redis, log),
    limiter: loginLimiter({ redis, namespace: settings.NAMESPACE, key: pepper.hash, log }),
    // Later, so that the answer leaves before the work takes processor time from it.
    inBackground: (work) =>
      void setTimeout(() => work().catch((error) => log.error('background work failed', { error })), backgroundDelayMs),
  };
  return {
    name: 'identity',
    operations: identity,
    handlers: {
      ...tenantHandlers(tools),
      ...signInHandlers(tools),
      ...userHandlers(tools),
      ...teamHandlers(tools),
      ...roleHandlers(tools),
      ...apiKeyHandlers(tools),
      ...addonHandlers,
      ...subscriptionHandlers,
      ...notificationHandlers,
      ...auditLogHandlers(tools),
      ...accessHandlers(tools),
      ...secretHandlers(tools),
      ...portalSessionHandlers(tools),
    },
    consumers: [keepAuditLog],
    jobs: [endSubscription, deliverNotifications],
    firstUse: openSubscription,
    client: (adapter) => new PrismaClient({ adapter }),
    prisma: Prisma,
    narrowing: {
      Tenant: 'shared',
      Role: 'shared',
      // Which users a narrowed caller sees is a rule of its own: features/users/user.ts.
      User: 'shared',
      Team: { owners: ['createdBy'] },
      TeamMember: 'shared',
      ApiKey: { owners: ['createdBy'] },
      Session: 'shared',
      RefreshToken: 'shared',
      NotificationBatch: { owners: ['createdBy'] },
      Notification: { owners: ['userId'] },
      Subscription: 'shared',
      InstalledAddon: { owners: ['createdBy'] },
      AuditLog: 'shared',
      AuditHead: 'shared',
      FailedSignIn: 'shared',
    },
    purge: [auditRetention, usageRetention],
    settings,
    close: () => redis.disconnect(),
  };
}
