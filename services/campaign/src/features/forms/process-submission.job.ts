import { formSubmitted } from '@tandem/campaign-contract';
import { id } from '@tandem/contract';
import type { Emit } from '@tandem/events';
import { type JobContext, job } from '@tandem/jobs';
import { storedObject } from '@tandem/service';
import { z } from 'zod';
import type { Form as FormRow, FormSubmission as SubmissionRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import { fieldsOf } from './form.ts';

/** Job that makes a lead of a submission. */
export const processSubmissionJob = {
  name: 'process-submission',
  payload: z.object({ submissionId: id('form_submission') }),
};

type Payload = z.output<typeof processSubmissionJob.payload>;

const customPrefix = 'customFields.';
const nameMax = 100;

/**
 * Finds or creates the lead of a submission in crm, and emits `form.submitted`. While crm is unavailable, the job is
 * repeated; crm finds the lead of an earlier run by its address.
 */
export const processSubmission = ({ crm }: Pick<Tools, 'crm'>) =>
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
      const { leadId } = await outside(() => crm.upsertLeadByEmail({ body: leadOf(form, row), as }));
      await finish(({ tx: inside, emit }) =>
        end({ tx: inside, emit }, submissionId, { status: 'processed', leadId, processedAt: new Date() }),
      );
    },
    // The submission must reach people and webhooks also if no lead can be created.
    giveUp: ({ payload: { submissionId }, tx, emit }) =>
      end({ tx, emit }, submissionId, { status: 'failed', leadId: null, reason: 'lead_not_created' }),
  });

interface Outcome {
  status: 'processed' | 'failed';
  leadId: number | null;
  processedAt?: Date;
  reason?: string;
}

async function end({ tx, emit }: { tx: Tx; emit: Emit }, submissionId: number, outcome: Outcome): Promise<void> {
  const row = await tx.formSubmission.lockFirst({ where: { id: submissionId } });
  const form = row && (await tx.form.findFirst({ where: { id: row.formId } }));
  if (!form || row.status !== 'accepted') return;
  await tx.formSubmission.updateMany({ where: { id: row.id }, data: { ...outcome } });
  const { id: formId, name, notifyUserIds } = form;
  emit(formSubmitted, {
    data: { formId, leadId: outcome.leadId, fields: storedObject.parse(row.fields), submissionId },
    record: { id: formId, name, notifyUserIds },
  });
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
  const custom = mapped.filter(([target]) => target.startsWith(customPrefix));
  const phone = byTarget.get('phone');
  return {
    email: String(byTarget.get('email') ?? row.email),
    ...nameOf('firstName'),
    ...nameOf('lastName'),
    ...(typeof phone === 'string' && { phone }),
    ...(row.referralCode !== null && { referralCode: row.referralCode }),
    customFields: Object.fromEntries(custom.map(([target, value]) => [target.slice(customPrefix.length), value])),
    // A form with confirmation records only consents that the person has confirmed.
    ...(row.consent &&
      (!form.doubleOptIn || row.confirmedAt) && {
        consent: { source: form.name, isConfirmed: row.confirmedAt !== null },
      }),
  };
}
