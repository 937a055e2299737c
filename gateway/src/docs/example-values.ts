// What fields hold in examples, by name; `<owner>.<field>` wins over the field alone. The owner is the named schema, the
// field that holds the object, or the operation.

/** Texts by field. */
export const texts: Record<string, string> = {
  email: 'ada@example.com',
  firstName: 'Ada',
  lastName: 'Lovelace',
  phone: '+491701234567',
  name: 'Analytical Engines',
  'ApiKey.name': 'Website form',
  'NewApiKey.name': 'Website form',
  'updateApiKey.name': 'Website form',
  'Role.name': 'Sales',
  'role.name': 'Sales',
  'PlanOffer.name': 'Free',
  'actor.name': 'Ada Lovelace',
  'Team.name': 'Sales',
  'createTeam.name': 'Sales',
  'updateTeam.name': 'Sales',
  'Team.description': 'Everybody who talks to customers',
  'createTeam.description': 'Everybody who talks to customers',
  'updateTeam.description': 'Everybody who talks to customers',
  'Addon.key': 'advanced_search',
  'Addon.name': 'Advanced Search',
  'Addon.description': 'Full-text search over leads, opportunities and partners that forgives typing errors.',
  'Addon.category': 'data',
  'Addon.version': '1.4.0',
  'Addon.features': 'search',
  'AddonDetail.key': 'advanced_search',
  'AddonDetail.name': 'Advanced Search',
  'AddonDetail.description': 'Full-text search over leads, opportunities and partners that forgives typing errors.',
  'AddonDetail.category': 'data',
  'AddonDetail.version': '1.4.0',
  'AddonDetail.versions': '1.4.0',
  'AddonDetail.features': 'search',
  'InstalledAddon.name': 'Advanced Search',
  'InstalledAddon.version': '1.4.0',
  'addons.name': 'Advanced Search',
  'addons.version': '1.4.0',
  'installAddon.name': 'Advanced Search',
  'installAddon.version': '1.4.0',
  'series.date': '2026-03-02',
  title: 'Your import is done',
  body: '214 leads were added, 3 were there already.',
  category: 'imports',
  groupKey: 'import-214',
  'Notification.status': 'delivered',
  'Notification.priority': 'normal',
  'installAddon.status': 'installed',
  'pricing.currency': 'USD',
  'actions.id': 'open',
  'actions.label': 'Open',
  'actions.url': '/v1/leads',
  description: 'Leads of the website',
  'Role.description': 'Works on leads, sees partners',
  'listPermissions.description': 'Read leads',
  'getWebhookCatalog.description': 'A new lead is created',
  'listPermissions.slug': 'leads:read',
  slug: 'analytical-engines',
  status: 'active',
  'Delivery.status': 'succeeded',
  'DeliveryDetail.status': 'succeeded',
  reason: 'Asked to be called next quarter',
  externalId: 'web-10423',
  tag: 'vip',
  tags: 'vip',
  password: 'a long phrase is best',
  timezone: 'Europe/Berlin',
  locale: 'en',
  currency: 'EUR',
  url: 'https://example.com/hooks/tandem',
  events: 'lead.*',
  event: 'lead.created',
  type: 'lead.created',
  'targets.type': 'lead',
  'targets.id': 'k3VqPz81RtLm0WcY',
  action: 'lead.update',
  permission: 'leads:read',
  permissions: 'leads:write',
  features: 'webhooks',
  fields: 'url',
  allowedIps: '203.0.113.0/24',
  ip: '203.0.113.7',
  userAgent: 'curl/8.5.0',
  requestId: 'req_5f0c9a7be21d4836c0a1f9e2',
  keyPrefix: 'svc_live_sk_',
  last4: 'mple',
  fullKey: 'svc_live_sk_ThisIsOnlyAnExampleThisIsOnlyAnExampleExample',
  secret: 'whsec_dGhpcyBpcyBvbmx5IGFuIGV4YW1wbGUgc2VjcmV0ISE=',
  secretHint: 'ISE=',
  accessToken: 'eyJhbGciOiJSUzI1NiIsImtpZCI6ImsxIn0.eyJzdWIiOiJleGFtcGxlIn0.c2lnbmF0dXJl',
  refreshToken: 'rt_ThisIsOnlyAnExampleOfARefreshToken',
  kid: '2026-03',
  n: 'u1SU1LfVLPHCozMxH2Mo4lgOEePzNm0tRgeLezV6ffAt0gunVTLw7onLRnrq0_IzW7yWR7QkrmBL7jTKEn5u',
  e: 'AQAB',
  error: 'http_status',
  responseBody: '{"received":true}',
  rawBody:
    '{"id":"Yh2GkS9bNc64VtQw","type":"lead.created","createdAt":"2026-03-02T09:15:00.000Z","data":{"leadId":"k3VqPz81RtLm0WcY","email":"ada@example.com","source":"web"}}',
  requestHeaders: 'application/json',
  responseHeaders: 'application/json',
  customHeaders: 'blue',
  customFields: 'engineering',
  from: 'new',
  to: 'contacted',
};

/** Numbers by field. */
export const numbers: Record<string, number> = {
  score: 42,
  confidence: 0.92,
  version: 3,
  duplicateCount: 0,
  expiresIn: 900,
  statusCode: 200,
  lastStatusCode: 200,
  durationMs: 184,
  attemptCount: 1,
  manualAttemptCount: 0,
  maxAttempts: 10,
  matched: 12,
  monthlyCalls: 1000,
  ratePerMinute: 60,
  burst: 10,
  rateLimitPerSecond: 20,
  memberCount: 4,
  'pricing.monthlyPrice': 0,
  'apiCalls.used': 420,
  'apiCalls.limit': 1000,
  'apiCalls.remaining': 580,
  'apiCalls.percent': 42,
  'apiCalls.projected': 930,
  'series.calls': 37,
};

/** Times by field; others get `now`. */
export const times: Record<string, string> = {
  updatedAt: '2026-03-04T16:40:12.000Z',
  expiresAt: '2027-03-02T09:15:00.000Z',
  previousSecretExpiresAt: '2026-03-05T16:40:12.000Z',
  lastLoginAt: '2026-03-04T08:02:47.000Z',
  lastUsedAt: '2026-03-04T16:35:00.000Z',
  since: '2026-03-01T00:00:00.000Z',
  until: '2026-03-02T00:00:00.000Z',
  currentPeriodStart: '2026-03-01T00:00:00.000Z',
  currentPeriodEnd: '2026-04-01T00:00:00.000Z',
  'period.start': '2026-03-01T00:00:00.000Z',
  'period.end': '2026-04-01T00:00:00.000Z',
};

/** The time of every other field. */
export const now = '2026-03-02T09:15:00.000Z';

/** Booleans that are false in an ordinary record. */
export const usuallyFalse = ['isSystem', 'deleted', 'cancelAtPeriodEnd'];

/** Fields that are null in an ordinary record. */
export const usuallyNull = [
  'disabledReason',
  'disabledAt',
  'failureSince',
  'revokedAt',
  'endedAt',
  'endReason',
  'nextAttemptAt',
  'lastError',
  'error',
  'onBehalfOf',
  'canceledAt',
  'cancelReason',
  'readAt',
  'scheduledFor',
];

/** Fields that a request in an example should not set: who tries it out would share a secret or lock themselves out. */
export const leftOut = ['secret', 'allowedIps', 'expiresAt', 'customHeaders', 'scheduledFor'];

/** A key of an object whose keys are free. */
export const recordKeys: Record<string, string> = {
  customFields: 'industry',
  customHeaders: 'X-Region',
  requestHeaders: 'content-type',
  responseHeaders: 'content-type',
  changes: 'status',
  getWebhookCatalog: 'leads',
};

/** Whole objects, where what a program reads is in the contract but not in the type. */
export const objects: Record<string, object> = {
  payload: envelopeExample(),
  examplePayload: envelopeExample(),
  'StoredEvent.data': envelopeExample().data,
  configSchema: { type: 'object', properties: { typoTolerance: { type: 'boolean', default: true } } },
  config: { typoTolerance: true },
  'Notification.data': { imported: 214 },
  fields: { email: 'ada@example.com', message: 'Please call me back' },
};

function envelopeExample() {
  return {
    id: 'Yh2GkS9bNc64VtQw',
    type: 'lead.created',
    createdAt: now,
    data: { leadId: 'k3VqPz81RtLm0WcY', email: 'ada@example.com', source: 'web' },
  };
}
