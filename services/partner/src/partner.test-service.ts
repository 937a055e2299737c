import { randomUUID } from 'node:crypto';
import type { Caller } from '@tandem/caller';
import { mailSettings } from '@tandem/mail';
import type { partner } from '@tandem/partner-contract';
import { type TestService, testService, type testSettings } from '@tandem/testing';
import { z } from 'zod';
import { leadOf, now, type Peer, publicUrl, wholeLeadOf } from './partner-peer.test-service.ts';
import { partnerService } from './service.ts';
import type { PartnerSettings } from './settings.ts';

export { aPeer, existing, landingPageUrl, missingId, type Peer, publicUrl } from './partner-peer.test-service.ts';

const unreachableUrl = 'http://127.0.0.1:9';

export type Service = TestService<typeof partner>;
export type Api = ReturnType<Service['as']>;

type Definition = ReturnType<typeof partnerService>;

interface Running {
  /** The settings of another instance, whose database it uses. */
  shared?: Awaited<ReturnType<typeof testSettings>>;
  change?: (definition: Definition) => Definition;
  onSettings?: (settings: { DATABASE_URL: string }) => void;
}

/** Starts partner; without a peer, its calls to other services fail. */
export const startPartner = (
  peer?: Peer,
  overrides: Partial<PartnerSettings> = {},
  { shared, change = (same) => same, onSettings }: Running = {},
): Promise<Service> => {
  const url = peer?.url ?? unreachableUrl;
  return testService(
    'partner',
    (settings) => {
      onSettings?.(settings);
      return change(
        partnerService({
          ...settings,
          IDENTITY_URL: url,
          FILES_URL: url,
          CAMPAIGN_URL: url,
          CRM_URL: url,
          TRAINING_URL: url,
          PUBLIC_URL: `${publicUrl}/`,
          IDS_ALPHABET: process.env.IDS_ALPHABET as string,
          // Without a mail server, messages are stored and not sent.
          ...z.object(mailSettings).parse({}),
          ...overrides,
        }),
      );
    },
    shared,
  );
};

let partners = 0;

/** Request body for a partner with unique values. */
export function aPartner(fields: Record<string, unknown> = {}) {
  const number = ++partners;
  return { email: `partner${number}@example.com`, firstName: `First${number}`, lastName: `Last${number}`, ...fields };
}

/** Creates an approved partner; returns it with its referral code. */
export async function anApprovedPartner(api: Api, fields: Record<string, unknown> = {}) {
  const { data: created } = await api.createPartner({ body: aPartner(fields) });
  const { status, data } = await api.approvePartner({ params: { id: created.id }, body: {} });
  if (status !== 200) throw new Error(`approval answered ${status}`);
  const { data: detail } = await api.getPartner({ params: { id: created.id } });
  return { ...data, code: detail.referralCodes[0].code as string } as { id: string; email: string; code: string };
}

/** Client without credentials, as forwarded by the gateway. */
export function anonymous(service: Service): Api {
  const { tenantId, userId, keyId, ...anonymousCaller } = service.as({ type: 'anonymous', can: [] }).caller;
  const calls = Object.values(service.operations).map((row) => [
    row.id,
    (request = {}) => service.send(row, request, anonymousCaller as Caller),
  ]);
  return Object.assign(Object.fromEntries(calls), { caller: anonymousCaller as Caller }) as Api;
}

/** A deal in the internal format of crm events. */
export interface Deal {
  opportunityId: string;
  leadId: string | null;
  value: number;
  currency?: string;
}

interface TestEvent {
  name: string;
  data: object;
  record: object;
  /** Defaults to now. */
  occurredAt?: string;
}

/** Publishes an event like the outbox relay of crm. */
export async function publish(
  service: Service,
  { caller }: Api,
  event: TestEvent,
  id: string = randomUUID(),
): Promise<string> {
  const { tenantId, environment } = caller;
  const message = {
    id,
    occurredAt: new Date().toISOString(),
    ...event,
    tenantId,
    environment,
    action: 'test',
    target: { type: 'lead', id: 1 },
    caller: { type: 'key', userId: 1, keyId: 1, requestId: `test_${id}` },
  };
  await service.publish(event.name, message, id);
  return id;
}

/** `lead.created` for a lead with a referral code. */
export function leadCreatedWith(referralCode: string | null, id: string, fields: object = {}): TestEvent {
  const record = leadRecord(referralCode, id, fields);
  return { name: 'lead.created', data: { leadId: id, email: record.email, source: null }, record };
}

/** `lead.updated` for a lead whose referral code or other fields changed. */
export function leadUpdatedWith(
  referralCode: string | null,
  id: string,
  changes: object = { referralCode },
): TestEvent {
  return { name: 'lead.updated', data: { leadId: id, changes }, record: leadRecord(referralCode, id) };
}

/** `form.submitted` with a referral code, for a lead that existed by default. */
export function formWith(
  referralCode: string,
  leadId: string,
  {
    isNew = false,
    isConfirmed = false,
    ...fields
  }: { isNew?: boolean; isConfirmed?: boolean; occurredAt?: string } = {},
): TestEvent {
  const { email, firstName, lastName } = leadOf(leadId);
  return {
    name: 'form.submitted',
    data: { formId: '1', leadId, fields: {}, referralCode, isConfirmed },
    record: { id: '1', lead: { email, firstName, lastName, isNew } },
    ...fields,
  };
}

function leadRecord(referralCode: string | null, id: string, fields: object = {}) {
  return { ...wholeLeadOf(id), referralCode, ...fields };
}

/** `opportunity.won` for a deal. */
export function dealWon({ opportunityId, leadId, value, currency = 'EUR' }: Deal): TestEvent {
  const record = {
    id: opportunityId,
    tenantId: '1',
    name: 'Deal',
    leadId,
    value,
    currency,
    status: 'won',
    stage: 'won',
    allowedTransitions: [],
    stageId: '1',
    probability: 100,
    forecastCategory: 'closed',
    expectedCloseAt: null,
    closedAt: now,
    ownerId: null,
    teamId: null,
    outcome: null,
    daysInStage: 0,
    createdBy: null,
    version: 2,
    createdAt: now,
    updatedAt: now,
  };
  return { name: 'opportunity.won', data: { opportunityId, value }, record };
}
