import { unionMember } from '@tandem/contract';
import { type ConsumerContext, consumer } from '@tandem/events';
import { learnerNotified } from '@tandem/training-contract';
import type { Tx } from '../../handler.ts';
import { mailLearnerJob } from './mail-learner.job.ts';

/** Mails partners and leads about their courses and certificates. Users get notifications from identity. */
export const mailLearners = consumer({
  name: 'mail-learners',
  on: [learnerNotified],
  async handle(events, { schedule }: ConsumerContext<Tx>) {
    const payloads = events.flatMap(({ id: ref, data: { notice, learnerId, courseTitle, certificateUrl, at } }) => {
      const type = unionMember('learner', learnerId)?.type;
      return type === 'partner' || type === 'lead' ? [{ ref, notice, learnerId, courseTitle, certificateUrl, at }] : [];
    });
    if (payloads.length) await schedule(mailLearnerJob, payloads);
  },
});
