import { type ConsentChange, leadAssigned, leadStatusChanged, leadUpdated } from '@tandem/crm-contract';
import type { Emit } from '@tandem/events';
import { type Assignee, diff, teamOfAssignee } from '@tandem/service';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { accountOfEmail } from '../accounts/account-of-email.ts';
import { claimValues, customWrite } from '../custom-fields/write-values.ts';
import { type ScoreCause, scoreChanged } from '../scoring/write-score.ts';
import { changedConsent } from './consent.ts';
import { checkExternalId } from './external-id.ts';
import { type LeadRecord, writeLead } from './lead.ts';
import { leadColumns } from './lead-columns.ts';
import { checkStatus, nextStatus, statusChange } from './lead-status.ts';

type Fields = { [Field in keyof LeadRecord]?: LeadRecord[Field] | undefined };
type LeadChange = Omit<Fields, 'consent'> & { consent?: z.output<typeof ConsentChange> | undefined };

/** A change of a lead, and who makes it. */
interface Changed {
  lead: LeadRecord;
  change: LeadChange;
  assignee: Pick<Assignee, 'id' | 'teamIds'> | undefined;
  /** Why the assignee changes. */
  reason?: string | null;
  byUserId?: number | undefined;
  /** The place of the change in the body, for field errors: `change.` */
  within?: string;
}

/** Writes a change of a locked lead with its events, by the rules of a request; one that changes nothing is none. */
export async function changeLead(
  inside: { tx: Tx; emit: Emit },
  { lead, change, assignee, ...how }: Changed,
): Promise<LeadRecord> {
  const { tx } = inside;
  const status = await nextStatus(tx, lead, change);
  const wanted = await withAccount(tx, lead, withPin(lead, withTeam(lead, change, assignee)));
  if (status && status.statusCode !== lead.statusCode) checkStatus(lead, status);
  return storeChange(inside, lead, withConsent(lead, { ...wanted, ...status }), how);
}

/** The author and the cause of a change of a lead. */
interface ChangeOptions extends Pick<Changed, 'reason' | 'byUserId' | 'within'> {
  /** Why the score changes. */
  cause?: ScoreCause;
  /** Whether the custom fields were accepted for a lead before, under definitions that may have changed since. */
  hasOldCustomFields?: boolean;
}

/** Writes values of a locked lead with its events and the history of its score, whatever its status allows. */
export async function storeChange(
  { tx, emit }: { tx: Tx; emit: Emit },
  lead: LeadRecord,
  fields: Fields,
  { reason = null, byUserId, within = '', cause = 'manual', hasOldCustomFields = false }: ChangeOptions = {},
): Promise<LeadRecord> {
  const { isEmpty, values, audit } = diff(lead, fields);
  if (isEmpty) return lead;
  await checkExternalId(tx, values.externalId, lead.id);
  const after = values.customFields;
  const before = hasOldCustomFields ? after : lead.customFields;
  const custom = after && (await customWrite(tx, 'lead', { after, before, within }));
  if (custom) await claimValues(tx, custom, lead.id);
  const updated = await writeLead(tx, lead.id, {
    ...leadColumns(lead, values),
    ...custom?.columns,
    ...(values.score !== undefined && { scoreComponents: [], scoredAt: new Date() }),
  });
  const leadId = lead.id;
  const scoreCause = values.score !== undefined && { scoreCause: cause };
  const merge = cause === 'merged' && { isMerge: true };
  emit(leadUpdated, { data: { leadId, changes: values, ...scoreCause, ...merge }, record: updated, changes: audit });
  if (values.status !== undefined || values.statusCode !== undefined)
    emit(leadStatusChanged, { data: statusChange(lead, updated, null), record: updated });
  if (values.assignedTo !== undefined) {
    emit(leadAssigned, { data: { leadId, from: lead.assignedTo, to: values.assignedTo, reason }, record: updated });
  }
  if (values.score !== undefined)
    await scoreChanged({ tx, emit }, [{ from: lead.score, lead: updated, cause, byUserId: byUserId ?? null }]);
  return updated;
}

function withConsent(lead: LeadRecord, { consent, ...change }: LeadChange): Fields {
  return consent ? { ...change, consent: changedConsent(lead.consent, consent) } : change;
}

/** A score that a client sets is pinned. */
function withPin(lead: LeadRecord, change: LeadChange): LeadChange {
  return change.score === undefined || change.score === lead.score ? change : { ...change, scorePinned: true };
}

/** A lead follows a new assignee into their team, unless the request names a team. */
function withTeam(lead: LeadRecord, body: LeadChange, assignee: Changed['assignee']): LeadChange {
  if (!assignee || assignee.id === lead.assignedTo || body.teamId !== undefined) return body;
  return { ...body, teamId: teamOfAssignee(assignee.teamIds, lead.teamId) };
}

/** A lead without an account follows a new address into the account of its domain, unless the request names one. */
async function withAccount(tx: Tx, lead: LeadRecord, change: LeadChange): Promise<LeadChange> {
  const { email, accountId } = change;
  if (!email || email === lead.email || lead.accountId !== null || accountId !== undefined) return change;
  return { ...change, accountId: await accountOfEmail(tx, email) };
}
