import { countedAddress } from '@tandem/caller';
import type { formSubmissions } from '@tandem/campaign-contract';
import { mailboxOf } from '@tandem/contract';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import type { Form as FormRow } from '../../generated/client.ts';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { checkValues } from './check-values.ts';
import { confirmationMail, createConfirmationTokens } from './confirmation.ts';
import { emailField, fieldsOf } from './form.ts';
import { processSubmissionJob } from './process-submission.job.ts';
import { createRenderTokens, type Display, originOf, readRenderToken, wasAsked } from './render-token.ts';
import { findSpam } from './spam.ts';

type Body = z.output<typeof formSubmissions.submitForm.body>;
export type SubmitTools = Pick<Tools, 'ids' | 'seal' | 'mail' | 'publicUrl' | 'settingsOf'>;

/** The form that a public address names, and the name and language of its tenant. */
interface Addressed {
  tenantId: number;
  id: number;
  tenantName: string;
  locale: string;
}

// A number names one form of both environments, so the order matters for speed only.
const environments = ['live', 'sandbox'] as const;
const pleaseConfirm = 'Thank you. Please confirm your address by the link in the message that we have sent you';

export const submitForm = (tools: SubmitTools): Handler<typeof formSubmissions.submitForm, Addressed> => {
  const renderTokens = createRenderTokens(tools.seal);
  const tokens = createConfirmationTokens(tools.seal);
  return {
    async check({ params, caller: { requestId } }) {
      const located = tools.ids.locate('form', params.id);
      if (!located) throw fail('not_found');
      const settings = await tools.settingsOf({ tenantId: located.tenantId, environment: 'live', requestId });
      return { ...located, tenantName: settings?.name ?? '', locale: settings?.locale ?? 'en' };
    },
    async run({ body, caller, inTenant, found: { tenantId, id, ...names }, message }) {
      const addressDigest = tools.seal.digest(`address of a visitor ${countedAddress(caller.ip ?? '')}`);
      for (const environment of environments) {
        const scope = { tenantId, environment };
        const form = await inTenant(scope, async ({ tx, schedule }) => {
          const row = await tx.form.findFirst({ where: { id } });
          if (!row) return undefined;
          if (row.status !== 'published') throw fail('not_found');
          const fields = fieldsOf(row);
          const display = readRenderToken(renderTokens, id, body.renderToken);
          const values = checkValues(fields, body.fields, (field) => wasAsked(field, display));
          const to = String(values[emailField(fields)?.key ?? '']);
          const email = to.toLowerCase();
          const mailbox = row.doubleOptIn ? mailboxOf(email) : null;
          const spam = await findSpam(tx, {
            values,
            honeypot: body.honeypot,
            display,
            addressDigest,
            mailbox,
          });
          const status = spam ? 'quarantined' : row.doubleOptIn ? 'pending' : 'accepted';
          const submissionId = await store(tx, row, {
            body,
            values,
            email,
            mailbox,
            addressDigest,
            status,
            reason: spam ?? null,
            display,
          });
          if (status === 'accepted') await schedule(processSubmissionJob, [{ submissionId }]);
          if (status !== 'pending') return row;
          const confirmed = { ...scope, submissionId };
          const mail = confirmationMail(
            { tokens, publicUrl: tools.publicUrl },
            { confirmed, formName: row.name, to, ...names },
          );
          if (!(await tools.mail({ tx, schedule }, [mail]))) throw fail('mail_limit');
          return row;
        });
        if (!form) continue;
        if (form.doubleOptIn) message(pleaseConfirm);
        return { confirmationRequired: form.doubleOptIn, redirectUrl: form.redirectUrl };
      }
      throw fail('not_found');
    },
  };
};

interface Stored {
  body: Body;
  values: Record<string, string | number | boolean>;
  email: string;
  mailbox: string | null;
  addressDigest: string;
  status: 'quarantined' | 'pending' | 'accepted';
  reason: string | null;
  display: Display | undefined;
}

async function store(
  tx: Tx,
  form: FormRow,
  { body, values, email, mailbox, addressDigest, status, reason, display }: Stored,
): Promise<number> {
  const consent = form.consentText !== null && body.consent === true;
  const { id } = await tx.formSubmission.create({
    data: {
      formId: form.id,
      status,
      reason,
      fields: values,
      email,
      mailbox,
      utm: Object.fromEntries(Object.entries(body.utm ?? {}).filter(([, value]) => value)),
      consent,
      consentText: consent ? form.consentText : null,
      referralCode: body.referralCode ?? null,
      addressDigest,
      ...originOf(display),
      discardableSince: status === 'accepted' ? null : new Date(),
    },
  });
  return id;
}
