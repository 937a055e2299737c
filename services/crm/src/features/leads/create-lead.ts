import { actingUserId, type Caller } from '@tandem/caller';
import { leadCreated, type leads } from '@tandem/crm-contract';
import type { Emit } from '@tandem/events';
import { type Assignee, checkUser, defaultTeam, toJsonColumn } from '@tandem/service';
import type { z } from 'zod';
import { checkTeam } from '../../check-team.ts';
import type { Handler, Peers, Tx } from '../../handler.ts';
import { accountOfEmail } from '../accounts/account-of-email.ts';
import { checkAccount } from '../accounts/check-account.ts';
import { type CustomWrite, claimValues, customWrite } from '../custom-fields/write-values.ts';
import { changedConsent, consentColumn } from './consent.ts';
import { checkExternalId } from './external-id.ts';
import { asLead, type LeadRecord } from './lead.ts';
import { firstStatus } from './lead-status.ts';
import { matchKeys } from './match-keys.ts';

type Body = z.output<typeof leads.createLead.body>;
/** The body of a new lead, in which an optional field is absent, never undefined. */
export type NewLead = { [Field in keyof Body]: Exclude<Body[Field], undefined> };

export const createLead = (peers: Peers): Handler<typeof leads.createLead, Assignee | undefined> => ({
  async check({ body, caller, under, tx }) {
    await checkAccount({ under, tx }, body.accountId);
    const assignee = await checkUser(peers, 'assignedTo', body.assignedTo, caller);
    await checkTeam(peers, body.teamId, caller);
    return assignee;
  },
  run: ({ body, caller, tx, emit, found: assignee }) => insertLead({ tx, emit, caller }, body, assignee),
});

/** Creates a lead with its event. Errors are thrown before the first write. */
export async function insertLead(
  { tx, emit, caller }: { tx: Tx; emit: Emit; caller: Caller },
  body: NewLead,
  assignee: Assignee | undefined,
): Promise<LeadRecord> {
  const {
    customFields = {},
    consent = {},
    teamId = defaultTeam(caller, assignee),
    status,
    statusCode,
    ...fields
  } = body;
  const wanted = await firstStatus(tx, { status, statusCode });
  await checkExternalId(tx, fields.externalId);
  const custom = await customWrite(tx, 'lead', { after: customFields });
  const data = {
    ...fields,
    ...wanted,
    ...custom.columns,
    ...(await reserveValues(tx, custom)),
    ...matchKeys({ phone: null, ...fields }),
    teamId,
    accountId: fields.accountId === undefined ? await accountOfEmail(tx, body.email) : fields.accountId,
    externalKey: fields.externalId ?? null,
    consent: consentColumn(changedConsent({}, consent)),
    customFields: toJsonColumn(customFields),
    createdBy: actingUserId(caller) ?? null,
  };
  const lead = asLead(await tx.lead.create({ data }));
  emit(leadCreated, { data: { leadId: lead.id, email: lead.email, source: lead.source }, record: lead });
  return lead;
}

/** Reserves the values of unique custom fields, with the id of the lead that will have them: a taken value is an error. */
async function reserveValues(tx: Tx, custom: CustomWrite): Promise<{ id?: number }> {
  if (!custom.keys.length) return {};
  const [next] = await tx.sql<{ id: number }>`SELECT nextval('lead_id_seq') AS id`;
  const { id } = next as { id: number };
  await claimValues(tx, custom, id);
  return { id };
}
