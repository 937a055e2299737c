import { event, id, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

/** The kinds of notices to learners. */
export const learnerNotices = [
  'enrolled',
  'due',
  'overdue',
  'expiring',
  'expired',
  'certificate_issued',
  'certificate_expiring',
] as const;

/** For identity, which notifies users, and for campaign, which mails partners and leads. */
export const learnerNotified = event('training.learner.notified', {
  description: 'A learner is told about an enrolment or a certificate',
  action: 'enrollment.notify',
  target: 'enrollment',
  audited: false,
  data: z.object({
    notice: z.enum(learnerNotices),
    learnerId: id('learner'),
    courseId: id('course'),
    courseTitle: text(200),
    certificateId: id('certificate').nullable(),
    /** The public page of the certificate; null in events of earlier releases. */
    certificateUrl: z.url().nullable(),
    /** The due date or the end of the enrolment, or the end of the certificate. */
    at: timestamp().nullable(),
  }),
  record: z.object({ id: id('enrollment') }),
});
