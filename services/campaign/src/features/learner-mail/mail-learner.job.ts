import { id, timestamp, unionMember } from '@tandem/contract';
import { type JobContext, job } from '@tandem/jobs';
import { learnerNotices } from '@tandem/training-contract';
import { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { refusesAllMail } from '../suppressions/refuses-all-mail.ts';
import { learnerLetter } from './learner-letter.ts';

/** Job that mails a partner or lead about a course. */
export const mailLearnerJob = {
  name: 'mail-learner',
  payload: z.object({
    /** The id of the event, which identifies the message. */
    ref: z.uuid(),
    notice: z.enum(learnerNotices),
    learnerId: id('learner'),
    courseTitle: z.string(),
    // Jobs of the release before lack it.
    certificateUrl: z.url().nullable().default(null),
    at: timestamp().nullable(),
  }),
};

// When the tenant has reached its messages of the day.
const limitedMs = 3_600_000;

type Payload = z.output<typeof mailLearnerJob.payload>;
type MailTools = Pick<Tools, 'crm' | 'partner' | 'settingsOf' | 'seal' | 'mail'>;

/**
 * Mails the address that the learner has now. A message about an own course needs no consent to marketing, and an
 * unsubscription does not stop it; an address that bounces, complained or was blocked by the tenant gets none.
 */
export const mailLearner = (tools: MailTools) =>
  job({
    ...mailLearnerJob,
    async run({ payload, scope, outside, finish }: JobContext<Payload, Tx>) {
      const as = { ...scope, requestId: `learner_${payload.ref}` };
      const [person, settings] = await outside(() =>
        Promise.all([findPerson(tools, as, payload.learnerId), tools.settingsOf(as)]),
      );
      if (!person) return;
      await finish(async (inside) => {
        if (isPast(payload) || (await refusesAllMail(tools, inside.tx, person.email))) return undefined;
        const content = learnerLetter({
          ...payload,
          firstName: person.firstName,
          tenantName: settings?.name ?? '',
          locale: settings?.locale ?? 'en',
          timezone: settings?.timezone ?? 'UTC',
        });
        const { ref, notice } = payload;
        const message = { kind: 'bulk' as const, template: `training_${notice}`, to: person.email, ref, content };
        return (await tools.mail(inside, [message])) ? undefined : new Date(Date.now() + limitedMs);
      });
    },
  });

/** Another message follows at the due date and at the end of the access, so the reminder of it has no use any more. */
function isPast({ notice, at }: Payload): boolean {
  return (notice === 'due' || notice === 'expiring') && at !== null && at.getTime() <= Date.now();
}

type As = Parameters<Tools['settingsOf']>[0];

/** The partner or lead with the address; undefined for one who is not there any more, or not approved. */
async function findPerson(
  { crm, partner }: MailTools,
  as: As,
  learnerId: number,
): Promise<{ email: string; firstName: string } | undefined> {
  const learner = unionMember('learner', learnerId);
  if (learner?.type === 'lead') return (await crm.readLeads({ body: { ids: [learner.id] }, as }))[0];
  if (learner?.type !== 'partner') return undefined;
  const [found] = await partner.findPartners({ body: { ids: [learner.id] }, as });
  // A partner service of the release before does not return the address: the job is repeated until it is replaced.
  if (found && found.email === undefined) throw new Error('The partner service returned no address');
  return found?.status === 'approved' && found.email ? { ...found, email: found.email } : undefined;
}
