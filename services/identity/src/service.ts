import { internalApprovalCounts } from '@tandem/agents-contract';
import { createPepper } from '@tandem/api-keys';
import { createCallerSigner } from '@tandem/caller';
import { createServiceClient } from '@tandem/client/internal';
import { internalLeads, internalTaskCounts } from '@tandem/crm-contract';
import { identity, keptConfigDays } from '@tandem/identity-contract';
import { createIdCodec } from '@tandem/ids';
import { createMailer } from '@tandem/mail';
import { createTarget } from '@tandem/outgoing';
import { internalApplicationCounts } from '@tandem/partner-contract';
import { connectRedis, loginLimiter } from '@tandem/passwords';
import { createLog } from '@tandem/process';
import { createLinkTokens, createSeal } from '@tandem/sealed';
import { type JobLink, personalData, type ServiceDefinition } from '@tandem/service';
import { accountLinks } from './account-links.ts';
import { credentialInvalidation } from './credential-invalidation.ts';
import { accessHandlers } from './features/access/index.ts';
import { usageHourDays, usageRetention } from './features/access/usage.ts';
import { accountHandlers } from './features/account/index.ts';
import { enrollmentRetention, invitationRetention, linkRetention } from './features/account/retention.ts';
import { sealedAddonSecrets } from './features/addons/config.ts';
import { addonHandlers } from './features/addons/index.ts';
import { apiKeyHandlers } from './features/api-keys/index.ts';
import { exportAuditLog } from './features/audit-logs/export-audit-log.job.ts';
import { auditLogHandlers } from './features/audit-logs/index.ts';
import { keepAuditLog } from './features/audit-logs/on-any-event.ts';
import { auditRetention } from './features/audit-logs/retention.ts';
import { signInHandlers } from './features/auth/index.ts';
import { countHandlers } from './features/counts/index.ts';
import { exportHandlers } from './features/exports/index.ts';
import { invitationHandlers } from './features/invitations/index.ts';
import { nameHandlers } from './features/names/index.ts';
import { deliverNotifications, wakeNotification } from './features/notifications/deliver-notifications.job.ts';
import { notificationHandlers } from './features/notifications/index.ts';
import { mailNotification } from './features/notifications/mail-notification.job.ts';
import { notifyOfAgentSchedules, notifyOfApprovals } from './features/notifications/on-agent-waiting.ts';
import { notifyOfPartners, notifyOfWebhooks } from './features/notifications/on-attention-needed.ts';
import { notifyOfCalendar } from './features/notifications/on-calendar-changed.ts';
import { notifyOfConnections } from './features/notifications/on-connection-lost.ts';
import { notifyOfDealRegistrations } from './features/notifications/on-deal-submitted.ts';
import { notifyOfForms } from './features/notifications/on-form-submitted.ts';
import { notifyOfTraining } from './features/notifications/on-learner-notified.ts';
import { sendNotifications } from './features/notifications/on-notification-created.ts';
import { notifyOfReports } from './features/notifications/on-report-failed.ts';
import { notifyOfDueTasks } from './features/notifications/on-task-due.ts';
import { notifyOfWork } from './features/notifications/on-work-assigned.ts';
import { notifyOfWorkflows } from './features/notifications/on-workflow-notified.ts';
import { batchRetention, notificationRetention } from './features/notifications/retention.ts';
import { createStreamSlots } from './features/notifications/stream-slots.ts';
import { identityData } from './features/personal-data/identity-data.ts';
import { portalSessionHandlers } from './features/portal-sessions/index.ts';
import { preferenceHandlers } from './features/preferences/index.ts';
import { roleHandlers } from './features/roles/index.ts';
import { secretHandlers } from './features/secrets/index.ts';
import { sessionHandlers } from './features/sessions/index.ts';
import { sealedSso } from './features/sso/connection.ts';
import { createReadTxt } from './features/sso/domain.ts';
import { ssoHandlers } from './features/sso/index.ts';
import { createSsoProviders } from './features/sso/provider.ts';
import { billingEventRetention } from './features/subscriptions/billing-event.ts';
import { changePlan } from './features/subscriptions/change-plan.job.ts';
import { endSubscription } from './features/subscriptions/end-subscription.job.ts';
import { subscriptionHandlers } from './features/subscriptions/index.ts';
import { openSubscription } from './features/subscriptions/subscription.ts';
import { teamHandlers } from './features/teams/index.ts';
import { tenantLifeHandlers } from './features/tenant-life/index.ts';
import { collectRemovals } from './features/tenant-life/on-tenant-data-removed.ts';
import { tenantRemoval } from './features/tenant-life/removal.ts';
import { removeDeletedTenant } from './features/tenant-life/remove-deleted-tenant.job.ts';
import { tenantHandlers } from './features/tenants/index.ts';
import { totpHandlers } from './features/totp/index.ts';
import { sealedTotp } from './features/totp/secrets.ts';
import { usageAlertHandlers } from './features/usage-alerts/index.ts';
import { userHandlers } from './features/users/index.ts';
import { viewHandlers } from './features/views/index.ts';
import { createFeedWakeups } from './feed-wakeups.ts';
import { Prisma, PrismaClient } from './generated/client.ts';
import type { Tools } from './handler.ts';
import { openWorkCounters } from './open-work.ts';
import type { IdentitySettings } from './settings.ts';
import { createTokens } from './tokens.ts';

const backgroundDelayMs = 50;

/** Definition of the identity service. */
export function identityService(
  settings: IdentitySettings,
): ServiceDefinition<typeof identity, PrismaClient, IdentitySettings> {
  const log = createLog('identity');
  const redis = connectRedis(settings.REDIS_URL, log);
  const pepper = createPepper(settings.KEY_PEPPER);
  const ids = createIdCodec(settings.IDS_ALPHABET);
  const seal = createSeal(settings.ENCRYPTION_KEY);
  const mailer = createMailer({ settings, seal, log });
  const peer = { service: 'identity', signer: createCallerSigner(settings.INTERNAL_SECRETS) };
  const ssoTarget = createTarget({ allowPrivate: settings.WEBHOOK_ALLOW_PRIVATE_TARGETS });
  const tools: Tools = {
    pepper,
    ids,
    tokens: createTokens(settings.JWT_PRIVATE_KEY, ids),
    invalidateCredentials: credentialInvalidation(redis, log),
    openWork: openWorkCounters(settings, peer.signer),
    crm: createServiceClient({
      ...peer,
      operations: { ...internalLeads, ...internalTaskCounts },
      baseUrl: settings.CRM_URL,
    }),
    mail: mailer.queue,
    links: accountLinks(seal, settings.CONSOLE_URL ?? settings.PUBLIC_URL),
    streamSlots: createStreamSlots({ redis, namespace: settings.NAMESPACE, log }),
    feeds: createFeedWakeups({ redis, redisUrl: settings.REDIS_URL, namespace: settings.NAMESPACE, log }),
    agents: createServiceClient({ ...peer, operations: internalApprovalCounts, baseUrl: settings.AGENTS_URL }),
    partner: createServiceClient({ ...peer, operations: internalApplicationCounts, baseUrl: settings.PARTNER_URL }),
    limiter: loginLimiter({ redis, namespace: settings.NAMESPACE, key: pepper.hash, log }),
    seal,
    publicUrl: settings.PUBLIC_URL,
    stripeSecret: settings.STRIPE_WEBHOOK_SECRET,
    consoleUrl: settings.CONSOLE_URL,
    ssoTarget,
    sso: createSsoProviders({ target: ssoTarget, allowHttp: settings.WEBHOOK_ALLOW_PRIVATE_TARGETS }),
    readTxt: createReadTxt(settings.SSO_DNS_SERVERS),
    exportLinks: createLinkTokens<JobLink>(seal, 'audit-export'),
    secureCookies: settings.PUBLIC_URL.startsWith('https:'),
    // Delayed so that the response is sent before the work uses CPU time.
    inBackground: (work) =>
      void setTimeout(() => work().catch((error) => log.error('background work failed', { error })), backgroundDelayMs),
  };
  const person = personalData('identity', identityData(ids));
  return {
    name: 'identity',
    operations: identity,
    handlers: {
      ...tenantHandlers(tools),
      ...tenantLifeHandlers(tools),
      ...signInHandlers(tools),
      ...sessionHandlers(tools),
      ...totpHandlers(tools),
      ...accountHandlers(tools),
      ...invitationHandlers(tools),
      ...ssoHandlers(tools),
      ...userHandlers(tools),
      ...teamHandlers(tools),
      ...roleHandlers(tools),
      ...apiKeyHandlers(tools),
      ...addonHandlers(tools),
      ...subscriptionHandlers(tools),
      ...usageAlertHandlers,
      ...notificationHandlers(tools),
      ...preferenceHandlers,
      ...auditLogHandlers(tools),
      ...exportHandlers(tools),
      ...accessHandlers(tools),
      ...secretHandlers(tools),
      ...portalSessionHandlers(tools),
      ...viewHandlers(tools),
      ...nameHandlers,
      ...countHandlers(tools),
      ...person.handlers,
    },
    consumers: [
      collectRemovals,
      keepAuditLog(ids),
      sendNotifications(tools),
      notifyOfWork(tools),
      notifyOfCalendar(tools),
      notifyOfApprovals(tools),
      notifyOfAgentSchedules(tools),
      notifyOfWebhooks(tools),
      notifyOfConnections(tools),
      notifyOfPartners(tools),
      notifyOfDealRegistrations(tools),
      notifyOfDueTasks(tools),
      notifyOfForms(tools),
      notifyOfWorkflows(tools),
      notifyOfTraining(tools),
      notifyOfReports(tools),
      ...person.consumers,
    ],
    jobs: [
      removeDeletedTenant,
      exportAuditLog(ids),
      endSubscription(tools),
      changePlan(tools),
      deliverNotifications,
      wakeNotification,
      mailNotification(tools),
      ...person.jobs,
    ],
    mail: mailer,
    firstUse: openSubscription,
    client: (adapter) => new PrismaClient({ adapter }),
    prisma: Prisma,
    narrowing: {
      Tenant: 'shared',
      Role: 'shared',
      // features/users/user.ts decides which users a narrowed caller sees.
      User: 'shared',
      Team: { owners: ['createdBy'] },
      TeamMember: 'shared',
      ApiKey: { owners: ['createdBy', 'ownerId'] },
      Session: 'shared',
      RefreshToken: 'shared',
      Totp: 'shared',
      RecoveryCode: 'shared',
      SsoConnection: 'shared',
      SsoDomain: 'shared',
      UserIdentity: 'shared',
      NotificationBatch: { owners: ['createdBy'] },
      Notification: { owners: ['userId'] },
      NotificationFeed: { owners: ['userId'] },
      UserPreference: 'shared',
      Subscription: 'shared',
      BillingEvent: 'shared',
      UsageAlert: 'shared',
      UsageAlertSent: 'shared',
      InstalledAddon: { owners: ['createdBy'] },
      AuditLog: 'shared',
      AuditHead: 'shared',
      FailedSignIn: 'shared',
      RefusedCall: 'shared',
      // features/views/view.ts decides which views a caller sees.
      View: 'shared',
      AccountToken: 'shared',
      Invitation: 'shared',
    },
    tenantRemoval,
    purge: [
      auditRetention,
      usageRetention,
      notificationRetention,
      batchRetention,
      { table: 'installed_addon', column: 'uninstalled_at', days: keptConfigDays },
      linkRetention,
      invitationRetention,
      enrollmentRetention,
      billingEventRetention,
      { table: 'refused_call', column: 'hour', days: 1 },
      { table: 'usage_hour', column: 'hour', days: usageHourDays },
    ],
    sealed: [sealedTotp, sealedSso, sealedAddonSecrets],
    settings,
    async close() {
      tools.feeds.close();
      tools.streamSlots.close();
      redis.disconnect();
      await tools.sso.close();
    },
  };
}
