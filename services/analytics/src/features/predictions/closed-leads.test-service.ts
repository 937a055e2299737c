import { until } from '@tandem/testing';
import type { Analytics } from '../../analytics.test-service.ts';
import { report, type Version } from '../../records.test-service.ts';

const dayMs = 86_400_000;
const firstDay = Date.UTC(2026, 3, 1);

/** The time so many days after 1 April 2026. */
export const day = (days: number) => new Date(firstDay + days * dayMs).toISOString();

/** Numbers from 0 to 1 that look random, the same ones for a seed. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

interface Event {
  eventType: string;
  leadId: string;
  timestamp: string;
  automated?: boolean;
}

/** A tenant whose leads are told to analytics as crm tells them. */
export function aTenant(service: Analytics, environment: 'live' | 'sandbox' = 'live') {
  const api = service.as({ environment });
  const told = { service, tenantId: api.caller.tenantId as number, environment };
  const tenant = {
    api,
    created: (version: Version) =>
      report(told, 'lead.created', { updatedAt: version.createdAt ?? day(0), ...version }, created),
    report: (name: string, version: Version, options: { data?: object; occurredAt?: string } = {}) =>
      report(told, name, version, options),
    /** Converts a lead, as version 2; the conversion also gives it an account. */
    converted: (version: Version, at: string) =>
      report(
        told,
        'lead.updated',
        { ...version, version: 2, status: 'qualified', convertedAt: at, updatedAt: at, accountId: '7' },
        { data: { changes: {} }, occurredAt: at },
      ),
    /** Ends the work on a lead, as version 2. */
    unqualified: (version: Version, at: string) =>
      report(
        told,
        'lead.status_changed',
        { ...version, version: 2, status: 'unqualified', updatedAt: at },
        { data: { from: 'new', to: 'unqualified', reason: null }, occurredAt: at },
      ),
    async happened(events: Event[]) {
      for (let first = 0; first < events.length; first += 500) {
        const reply = await api.recordEvents({ body: { events: events.slice(first, first + 500) } });
        if (reply.data.rejected !== 0) throw new Error(JSON.stringify(reply.body));
      }
    },
    /** Waits until the versions of leads are known. */
    known: (versions: number) =>
      until(`${versions} versions are known`, async () => {
        const [row] = await service.sqlWithin(api.caller, 'SELECT sum(version)::int AS sum FROM lead_fact');
        return row?.['sum'] === versions;
      }),
    /** Trains the model, and returns the version. */
    async trained() {
      const started = await api.trainPredictionModel({ params: { name: 'conversion' } });
      if (started.status !== 202) throw new Error(JSON.stringify(started.body));
      await until('the training ends', async () => {
        const { data } = await api.getJob({ params: { id: started.data.jobId } });
        return ['completed', 'failed'].includes(data.status);
      });
      return (await api.listPredictionModels()).data[0];
    },
  };
  return tenant;
}
const created = { data: { email: 'ada@example.com', source: null } };
export type Tenant = ReturnType<typeof aTenant>;

/** Closes leads whose engagement decides the outcome, unless `isRandom`. */
export async function closeLeads(tenant: Tenant, { leads, isRandom = false }: { leads: number; isRandom?: boolean }) {
  const random = randomFrom(leads);
  const events: Event[] = [];
  const changes: Promise<void>[] = [];
  for (let n = 1; n <= leads; n++) {
    const leadId = `${n}`;
    const start = n % 20;
    const counts = { email_reply: Math.floor(random() * 3), link_click: Math.floor(random() * 4) };
    const add = (eventType: string, at: number) => events.push({ eventType, leadId, timestamp: day(at) });
    for (const [type, count] of Object.entries(counts))
      for (let one = 0; one < count; one++) add(type, start + 1 + one + random());
    const logOdds = isRandom ? 0 : 3 * counts.email_reply + counts.link_click - 4.5;
    const isConverted = random() < 1 / (1 + Math.exp(-logOdds));
    const lead = {
      ...{ id: leadId, version: 1, createdAt: day(start), source: n % 2 ? 'web' : 'referral' },
      phone: n % 3 ? '+49301234567' : null,
    };
    changes.push(tenant.created(lead));
    const end = start + 20;
    changes.push(isConverted ? tenant.converted(lead, day(end)) : tenant.unqualified(lead, day(end)));
    // What only customers do.
    if (isConverted) add('form_submission', end + 1);
  }
  await Promise.all(changes);
  await tenant.happened(events);
  await tenant.known(2 * leads);
}
