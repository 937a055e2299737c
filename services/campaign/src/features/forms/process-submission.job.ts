import { formSubmitted } from '@tandem/campaign-contract';
import { id } from '@tandem/contract';
import { type Inside, type JobContext, job } from '@tandem/jobs';
import { createLog } from '@tandem/process';
import { storedObject } from '@tandem/service';
import { z } from 'zod';
import type { Form as FormRow, FormSubmission as SubmissionRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import type { LeadRecord } from '../engine/facts.ts';
import { urlOf } from '../landing-pages/landing-page.ts';
import { normalizedValue } from '../suppressions/address.ts';
import { endUnsubscriptions } from '../suppressions/end-unsubscriptions.ts';
import { recordDeed } from '../tracking/record-deed.ts';
import { startMatching } from '../triggers/start-matching.ts';
import { customKeyOf, fieldsOf } from './form.ts';

const log = createLog('campaign');

/** Job that makes a lead of a submission. */
export const processSubmissionJob = {
  name: 'process-submission',
  payload: z.object({ submissionId: id('form_submission') }),
};

type Payload = z.output<typeof processSubmissionJob.payload>;

const nameMax = 100;

type SubmissionTools = Pick<Tools, 'crm' | 'ids' | 'publicUrl' | 'seal'>;

/**
 * Finds or creates the lead of a submission in crm, starts the workflows that wait for the form, and emits
 * `form.submitted`. A confirmed consent ends the unsubscriptions of its address. While crm is unavailable, the job is
 * repeated; crm finds the lead of an earlier run by its address.
 */
export const processSubmission = (tools: SubmissionTools) =>
  job({
    ...processSubmissionJob,
    async run({ payload: { submissionId }, tx, outside, finish }: JobContext<Payload, Tx>) {
      const row = await tx.formSubmission.findFirst({ where: { id: submissionId, status: 'accepted' } });
      const form = row && (await tx.form.findFirst({ where: { id: row.formId } }));
      if (!form) return;
      const { tenantId } = row;
      const as = {
        tenantId,
        environment: row.environment as 'live' | 'sandbox',
        requestId: `form_submission_${submissionId}`,
      };
      const { leadId, lead } = await outside(async () => {
        const { leadId: id } = await tools.crm.upsertLeadByEmail({ body: leadOf(form, row), as });
        const [found] = await tools.crm.readLeads({ body: { ids: [id] }, as });
        return { leadId: id, lead: found };
      });
      await finish(async (inside) => {
        const outcome = { status: 'processed' as const, leadId, processedAt: new Date() };
        const ended = await end(inside, submissionId, outcome, lead);
        if (!ended) return;
        await subscribeAgain(inside, tools, ended.row);
        await tellWorkflows(inside, tools, { ...ended, leadId, lead });
      });
    },
    // The submission must reach people and webhooks also if no lead can be created.
    async giveUp({ payload: { submissionId }, tx, emit }) {
      await end({ tx, emit }, submissionId, { status: 'failed', leadId: null, reason: 'lead_not_created' });
    },
  });

interface Outcome {
  status: 'processed' | 'failed';
  leadId: number | null;
  processedAt?: Date;
  reason?: string;
}

interface Ended {
  form: FormRow;
  row: SubmissionRow;
}

/** Ends a submission; undefined if another run has. */
async function end(
  { tx, emit }: Pick<Inside<Tx>, 'tx' | 'emit'>,
  submissionId: number,
  outcome: Outcome,
  lead?: LeadRecord,
): Promise<Ended | undefined> {
  const row = await tx.formSubmission.lockFirst({ where: { id: submissionId } });
  const form = row && (await tx.form.findFirst({ where: { id: row.formId } }));
  if (!form || row.status !== 'accepted') return undefined;
  await tx.formSubmission.updateMany({ where: { id: row.id }, data: { ...outcome } });
  const { id: formId, name, notifyUserIds } = form;
  emit(formSubmitted, {
    data: {
      formId,
      leadId: outcome.leadId,
      fields: storedObject.parse(row.fields),
      submissionId,
      referralCode: row.referralCode,
      isConfirmed: row.confirmedAt !== null,
    },
    record: { id: formId, name, notifyUserIds, lead: lead && referredLead(lead, row) },
  });
  return { form, row };
}

/** The lead of a submission with a referral code. Only a new lead has this code since then. */
function referredLead({ email, firstName, lastName, ...lead }: LeadRecord, { referralCode, createdAt }: SubmissionRow) {
  if (referralCode === null) return null;
  const isNew = lead.referralCode === referralCode && lead.createdAt >= createdAt;
  return { email, firstName, lastName, isNew };
}

/** Ends unsubscriptions when the person confirms the address with consent. Complaints and bounces stay. */
async function subscribeAgain(
  inside: Inside<Tx>,
  tools: Pick<Tools, 'seal'>,
  { consent, confirmedAt, email }: SubmissionRow,
): Promise<void> {
  if (!consent || !confirmedAt) return;
  const value = normalizedValue('email', email);
  if (typeof value !== 'string') return;
  const note = 'The person confirmed a form';
  await endUnsubscriptions(tools, inside, { channel: 'email', value, note, until: confirmedAt });
}

/** Lets workflows react to a submission, and starts those that wait for submissions of the form, each once. */
async function tellWorkflows(
  { tx, schedule }: Inside<Tx>,
  tools: Pick<Tools, 'ids' | 'publicUrl'>,
  { form, row, leadId, lead }: Ended & { leadId: number; lead: LeadRecord | undefined },
): Promise<void> {
  const page = row.landingPageId === null ? null : await tx.landingPage.findFirst({ where: { id: row.landingPageId } });
  await recordDeed(
    { tx, schedule },
    {
      type: 'form_submission',
      leadId,
      campaignId: page?.campaignId ?? null,
      at: row.confirmedAt ?? row.createdAt,
      automated: false,
      url: page && urlOf(page, tools),
    },
  );
  const code = tools.ids.encode('form', row.tenantId, form.id);
  const started = {
    type: 'form_submission',
    leadId,
    lead,
    eventId: `form_submission-${row.id}`,
    payload: storedObject.parse(row.fields),
    suits: ({ formId }: { formId?: string | undefined }) => !formId || formId === code,
  };
  await startMatching({ tx, schedule }, [started], log);
}

/** The request for the lead of a submission: the values of the fields that map to the lead. */
function leadOf(form: FormRow, row: SubmissionRow) {
  const values = storedObject.parse(row.fields);
  const mapped = fieldsOf(form).flatMap(({ key, mapsTo }) =>
    mapsTo && values[key] !== undefined ? [[mapsTo, values[key]] as const] : [],
  );
  const byTarget = new Map<string, unknown>(mapped);
  const nameOf = (target: string) => {
    const value = byTarget.get(target);
    return typeof value === 'string' && value ? { [target]: value.slice(0, nameMax) } : {};
  };
  const custom = mapped.flatMap(([target, value]) => {
    const key = customKeyOf(target);
    return key === undefined ? [] : [[key, value] as const];
  });
  const phone = byTarget.get('phone');
  return {
    email: String(byTarget.get('email') ?? row.email),
    ...nameOf('firstName'),
    ...nameOf('lastName'),
    ...(typeof phone === 'string' && { phone }),
    ...(row.referralCode !== null && { referralCode: row.referralCode }),
    customFields: Object.fromEntries(custom),
    // A form with confirmation records only consents that the person has confirmed.
    ...(row.consent &&
      (!form.doubleOptIn || row.confirmedAt) && {
        consent: { source: form.name, isConfirmed: row.confirmedAt !== null, at: row.confirmedAt ?? row.createdAt },
      }),
  };
}
