import { unionMember } from '@tandem/contract';
import { type ConsumerContext, consumer } from '@tandem/events';
import { type learnerNotices, learnerNotified } from '@tandem/training-contract';
import type { Tx } from '../../handler.ts';
import { mailLearnerJob } from './mail-learner.job.ts';

// Leads cannot open a course: no operation lets them take lessons, others record their progress. Certificates have public pages.
const noticesToLeads: readonly (typeof learnerNotices)[number][] = ['certificate_issued', 'certificate_expiring'];

/** Mails partners about their courses, and partners and leads about their certificates. Users get notifications from identity. */
export const mailLearners = consumer({
  name: 'mail-learners',
  on: [learnerNotified],
  async handle(events, { schedule }: ConsumerContext<Tx>) {
    const payloads = events.flatMap(({ id: ref, data: { notice, learnerId, courseTitle, certificateUrl, at } }) => {
      const type = unionMember('learner', learnerId)?.type;
      const isMailed = type === 'partner' || (type === 'lead' && noticesToLeads.includes(notice));
      return isMailed ? [{ ref, notice, learnerId, courseTitle, certificateUrl, at }] : [];
    });
    if (payloads.length) await schedule(mailLearnerJob, payloads);
  },
});
