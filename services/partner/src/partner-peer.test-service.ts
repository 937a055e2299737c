import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Caller, callerHeader, createCallerSigner } from '@tandem/caller';

export const publicUrl = 'https://api.example.com';

/** Ids of records that exist in the peer, for every tenant. */
/** The address of the landing page. */
export const landingPageUrl = 'https://pages.example.com/p/tenant/a';
export const existing = { lead: '5', file: '11', quarantined: '12', landingPage: '21', campaign: '31' };
/** An id without a record in any service. */
export const missingId = '999';

export interface Peer {
  url: string;
  /** Received requests, in order. */
  requests: { method: string; path: string; body: Record<string, unknown>; caller: Caller }[];
  /** Records that the exports of crm return, for every tenant and environment. */
  exports: { leads: ExportedRecord[]; opportunities: ExportedRecord[] };
  /** Completions of courses that training returns, for every tenant and environment. */
  completions: CompletedCourse[];
  /** The ids of the leads that crm has for an address, for every tenant; none by default. */
  leadsByEmail: Map<string, string[]>;
  /** How crm answers requests for the deal of a registration; by default with the numbers of the registration. */
  openDeal: (body: Record<string, unknown>) => Reply;
  /** Keeps the next reply with completions, as they are now, until the returned function is called. */
  holdCompletions(): { asked: Promise<void>; release: () => void };
  /** Sets the active addons of a tenant in identity, with their settings; none by default. */
  setAddons(tenantId: number, configs: Record<string, object>): void;
  close(): Promise<void>;
}

interface CompletedCourse {
  partnerId: string;
  courseId: string;
  completedAt: string;
  validUntil: string | null;
}

interface ExportedRecord {
  record: { id: string };
  isDeleted: boolean;
  referredAt?: string;
  wonAt?: string;
}

// So small that a rebuild takes several pages.
const exportPageMax = 2;

export interface Reply {
  status: number;
  data?: unknown;
  code?: string;
}

/** Starts a loopback server that stands in for crm, files, campaign and identity. */
export async function aPeer(): Promise<Peer> {
  const signer = createCallerSigner(process.env.INTERNAL_SECRETS as string);
  const requests: Peer['requests'] = [];
  const exports: Peer['exports'] = { leads: [], opportunities: [] };
  const completions: Peer['completions'] = [];
  const addons = new Map<number | undefined, object[]>();
  let held: { asked: PromiseWithResolvers<void>; released: PromiseWithResolvers<void> } | undefined;
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const [method, path] = [request.method as string, request.url as string];
    const caller = signer.verify(request.headers[callerHeader] as string, method, path);
    const body = text ? JSON.parse(text) : {};
    const [, , kind, name] = path.split('/');
    if (caller && kind !== 'entitlements' && kind !== 'tenants') requests.push({ method, path, body, caller });
    const { status, ...rest } =
      caller?.type !== 'system'
        ? { status: 403, code: 'forbidden' }
        : kind === 'entitlements'
          ? { status: 200, data: { plan: 'pro', features: [], addons: addons.get(caller.tenantId) ?? [] } }
          : name === 'export'
            ? { status: 200, data: exportPageOf(exports[kind as keyof Peer['exports']], body.after) }
            : kind === 'training'
              ? { status: 200, data: trainingReply(completions, name as string, body) }
              : name === 'open-registered'
                ? peer.openDeal(body)
                : name === 'find-by-email'
                  ? { status: 200, data: (peer.leadsByEmail.get(body.email) ?? []).map(wholeLeadOf) }
                  : replyTo(path, body, caller);
    if (name === 'completions' && held) {
      const { asked, released } = held;
      held = undefined;
      asked.resolve();
      await released.promise;
    }
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(rest));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const peer: Peer = {
    openDeal: openedDeal,
    leadsByEmail: new Map(),
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    exports,
    completions,
    holdCompletions() {
      const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      held = { asked, released };
      return { asked: asked.promise, release: released.resolve };
    },
    setAddons(tenantId, configs) {
      const active = Object.entries(configs).map(([key, config]) => ({ addonId: '1', key, version: '1.0.0', config }));
      addons.set(tenantId, active);
    },
    close: () => {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return peer;
}

/** The numbers of the lead and the opportunity that the peer creates for a registration. */
export function openedDeal({ dealRegistrationId }: Record<string, unknown>): Reply {
  const number = 1_000 + Number(dealRegistrationId);
  return { status: 200, data: { leadId: `${number}`, opportunityId: `${number}` } };
}

const tenant = {
  name: 'Analytical Engines',
  currency: 'EUR',
  timezone: 'UTC',
  locale: 'en-GB',
};
const notFound: Reply = { status: 404, code: 'not_found' };
/** When the records were created. */
export const now = '2026-03-02T09:15:00.000Z';
const later = () => new Date(Date.now() + 900_000).toISOString();

function exportPageOf(records: ExportedRecord[], after: string | null): ExportedRecord[] {
  return records.filter(({ record }) => Number(record.id) > Number(after ?? 0)).slice(0, exportPageMax);
}

/** Courses with numbers from 900 on do not exist, those from 800 on are for users, and those from 700 on are archived. */
function trainingReply(completions: CompletedCourse[], name: string, body: Record<string, unknown>): unknown {
  const { ids = [], partnerIds = [], courseIds = [] } = body as Record<string, string[] | undefined>;
  if (name === 'completions')
    return completions.filter(
      ({ partnerId, courseId }) => partnerIds.includes(partnerId) && courseIds.includes(courseId),
    );
  return ids.flatMap((id) => {
    if (Number(id) >= 900) return [];
    const audience = Number(id) < 800 ? 'partners' : 'users';
    return [{ id, title: 'Selling', status: Number(id) < 700 ? 'published' : 'archived', audience }];
  });
}

/** The records have no owner, so calls limited to the caller's own records find none. */
function replyTo(path: string, body: Record<string, unknown>, { narrow }: Caller): Reply {
  const [, , kind, id] = path.split('/');
  if (kind === 'leads' && id === 'upsert-by-email') return { status: 200, data: upsertLead(body) };
  if (narrow) return kind === 'leads' ? { status: 200, data: [] } : notFound;
  if (path === '/internal/opportunities/of-partner') return { status: 200, data: dealsOf(body) };
  // Records with numbers from 900 on do not exist.
  if (kind === 'pipelines' || kind === 'opportunities')
    return { status: 200, data: { ids: (body.ids as string[]).filter((one) => Number(one) < 900) } };
  if (kind === 'leads')
    return { status: 200, data: (body.ids as string[]).filter((one) => Number(one) < 900).map(leadOf) };
  if (kind === 'landing-pages')
    return id === existing.landingPage
      ? { status: 200, data: { id, name: 'A', slug: 'a', status: 'published', url: landingPageUrl } }
      : notFound;
  if (kind === 'campaigns')
    return id === existing.campaign ? { status: 200, data: { id, name: 'A', status: 'draft' } } : notFound;
  if (kind === 'tenants') return { status: 200, data: tenant };
  if (kind === 'files') return filesReply(path, id as string);
  if (kind === 'portal-sessions') return identityReply(path, body);
  return notFound;
}

/** Leads that were created by their address. */
const upserted: { email: string; firstName?: string; lastName?: string }[] = [];
const firstUpserted = 700;

function upsertLead(body: Record<string, unknown>) {
  const lead = body as (typeof upserted)[number];
  const known = upserted.findIndex(({ email }) => email === lead.email);
  const index = known < 0 ? upserted.push(lead) - 1 : known;
  return { leadId: String(firstUpserted + index), created: known < 0, ignored: [] };
}

/** Two deals of every partner. */
function dealsOf({ partnerId, status }: Record<string, unknown>) {
  const deal = { leadId: '5', value: 1000, currency: 'EUR', closedAt: null, createdAt: now };
  const deals = [
    { ...deal, id: '71', name: `Renewal of ${partnerId}`, status: 'open' },
    { ...deal, id: '70', name: `Engines of ${partnerId}`, status: 'won', closedAt: now },
  ].filter((one) => !status || one.status === status);
  return { total: deals.length, deals };
}

/** A lead as crm returns it. */
export function leadOf(id: string) {
  return {
    id,
    email: 'ada@example.com',
    firstName: 'Ada',
    lastName: 'Lovelace',
    ...upserted[Number(id) - firstUpserted],
    phone: null,
    status: 'new',
    score: 0,
    source: null,
    assignedTo: null,
    createdAt: now,
  };
}

/** A lead with all fields. */
export function wholeLeadOf(id: string) {
  return {
    ...leadOf(id),
    tenantId: '1',
    statusCode: 'new',
    allowedTransitions: [],
    scorePinned: false,
    teamId: null,
    accountId: null,
    customFields: {},
    tags: [],
    externalId: null,
    referralCode: null,
    partnerId: null,
    timezone: null,
    consent: {},
    mergedIntoId: null,
    convertedAt: null,
    convertedOpportunityId: null,
    createdBy: null,
    version: 1,
    updatedAt: now,
  };
}

function filesReply(path: string, id: string): Reply {
  if (id !== existing.file && id !== existing.quarantined) return notFound;
  if (path.endsWith('/link')) {
    if (id === existing.quarantined) return { status: 409, code: 'not_available' };
    return { status: 200, data: { url: `${publicUrl}/v1/public/files/x`, expiresAt: later() } };
  }
  const status = id === existing.file ? 'available' : 'quarantined';
  const type = 'application/pdf';
  return {
    status: 200,
    data: {
      id,
      filename: 'Offer.PDF',
      contentType: type,
      size: 1_468_006,
      entityType: null,
      entityId: null,
      status,
      detectedContentType: type,
      checksumSha256: 'x',
      uploadedBy: null,
      version: 1,
      createdAt: now,
      updatedAt: now,
    },
  };
}

/** Refresh tokens of the peer have the form `<tenant>.<partner>.<user>`. */
function identityReply(path: string, body: Record<string, unknown>): Reply {
  const tokens = { accessToken: 'access', refreshToken: 'refresh', expiresIn: 900, expiresAt: later() };
  if (path.endsWith('/end')) return { status: 200, data: { ended: 1 } };
  if (!path.endsWith('/refresh')) return { status: 201, data: tokens };
  const [tenantId, partnerId, portalUserId] = String(body.refreshToken).split('.');
  if (!portalUserId) return { status: 401, code: 'bad_refresh_token' };
  return { status: 200, data: { ...tokens, tenantId, partnerId, portalUserId, environment: 'live' } };
}
