import { unionNumber } from '@tandem/contract';
import { type ConsumerContext, consumer, type Received } from '@tandem/events';
import {
  certificateExpiring,
  certificateIssued,
  enrollmentCreated,
  enrollmentDue,
  enrollmentExpired,
  enrollmentExpiring,
  enrollmentOverdue,
  LearnerType,
  type learnerNotices,
  learnerNotified,
} from '@tandem/training-contract';
import type { Certificate as CertificateRow, Enrollment as EnrollmentRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import { asCertificate, statusOf } from '../certificates/certificate.ts';
import { isPast } from '../enrollments/dates.ts';
import { isLive } from '../enrollments/enrollment.ts';
import { findRenewed, findRetaken } from './superseded.ts';

const events = [
  enrollmentCreated,
  enrollmentDue,
  enrollmentOverdue,
  enrollmentExpiring,
  enrollmentExpired,
  certificateIssued,
  certificateExpiring,
] as const;
type LearningEvent = Received<(typeof events)[number]>;

/**
 * Tells learners about enrolments by somebody else, due dates, the end of their access and certificates, as long as that is
 * still true: events may arrive late. The notice has the title of the course, because the services that know the address do not know the course.
 */
export const notifyLearners = ({ publicUrl }: Pick<Tools, 'publicUrl'>) =>
  consumer({
    name: 'notify-learners',
    on: [...events],
    async handle(received, { tx, emit }: ConsumerContext<Tx>) {
      const enrollments = await readById(
        received.map(({ data }) => data.enrollmentId),
        (id) => tx.enrollment.findMany({ where: { id } }),
      );
      const courses = await readById(
        [...enrollments.values()].map(({ courseId }) => courseId),
        (id) => tx.course.findMany({ where: { id }, select: { id: true, title: true, notifyLearners: true } }),
      );
      const certificates = await readById(
        received.flatMap(({ data }) => ('certificateId' in data ? [data.certificateId] : [])),
        (id) => tx.certificate.findMany({ where: { id } }),
      );
      const renewed = await findRenewed(
        tx,
        received.flatMap(({ name, data }) =>
          name === certificateExpiring.name ? (certificates.get(data.certificateId) ?? []) : [],
        ),
      );
      const retaken = await findRetaken(
        tx,
        received.flatMap(({ name, data }) =>
          name === enrollmentExpired.name ? (enrollments.get(data.enrollmentId) ?? []) : [],
        ),
      );
      for (const event of received) {
        const enrollment = enrollments.get(event.data.enrollmentId);
        const course = enrollment && courses.get(enrollment.courseId);
        const found = enrollment && noticeOf(event, enrollment, { certificates, renewed, retaken });
        if (!course?.notifyLearners || !found) continue;
        const { notice, certificate, at } = found;
        emit(learnerNotified, {
          data: {
            notice,
            learnerId: unionNumber('learner', LearnerType.parse(enrollment.learnerType), enrollment.learnerId),
            courseId: course.id,
            courseTitle: course.title,
            certificateId: certificate?.id ?? null,
            certificateUrl: certificate ? asCertificate(certificate, { publicUrl }).url : null,
            at,
          },
          record: { id: enrollment.id },
        });
      }
    },
  });

interface Notice {
  notice: (typeof learnerNotices)[number];
  certificate?: CertificateRow;
  at: Date | null;
}

interface Records {
  certificates: ReadonlyMap<number, CertificateRow>;
  /** Certificates with a later one, and enrolments with a later one. */
  renewed: ReadonlySet<number>;
  retaken: ReadonlySet<number>;
}

/** The notice of an event; undefined if it is out of date, or if learners enrolled themselves. */
function noticeOf(
  event: LearningEvent,
  enrollment: EnrollmentRow,
  { certificates, renewed, retaken }: Records,
): Notice | undefined {
  switch (event.name) {
    case 'training.certificate.issued':
      return certificateNotice('certificate_issued', certificates.get(event.data.certificateId));
    case 'training.certificate.expiring':
      return renewed.has(event.data.certificateId)
        ? undefined
        : certificateNotice('certificate_expiring', certificates.get(event.data.certificateId));
    case 'training.enrollment.created':
      return isLive(enrollment) && !isOwnDoing(event, enrollment)
        ? { notice: 'enrolled', at: enrollment.dueAt }
        : undefined;
    case 'training.enrollment.expired':
      return enrollment.status === 'expired' && isSame(event, enrollment, 'expiresAt') && !retaken.has(enrollment.id)
        ? { notice: 'expired', at: enrollment.expiresAt }
        : undefined;
    case 'training.enrollment.expiring':
      return isAhead(event, enrollment, 'expiresAt') ? { notice: 'expiring', at: enrollment.expiresAt } : undefined;
    case 'training.enrollment.overdue':
      return isLive(enrollment) && isSame(event, enrollment, 'dueAt')
        ? { notice: 'overdue', at: enrollment.dueAt }
        : undefined;
    default:
      return isAhead(event, enrollment, 'dueAt') ? { notice: 'due', at: enrollment.dueAt } : undefined;
  }
}

type DateEvent = Extract<LearningEvent, { record: { dueAt: Date | null } }>;
type DateField = 'dueAt' | 'expiresAt';

/** Whether the enrolment still has the date of the event; another one has reminders of its own. */
function isSame({ record }: DateEvent, enrollment: EnrollmentRow, field: DateField): boolean {
  return enrollment[field] !== null && enrollment[field].getTime() === record[field]?.getTime();
}

/** Whether a reminder still has a use; one that arrives after its date would be followed at once by the notice that it has passed. */
function isAhead(event: DateEvent, enrollment: EnrollmentRow, field: DateField): boolean {
  return isLive(enrollment) && isSame(event, enrollment, field) && !isPast(enrollment[field]);
}

function certificateNotice(notice: Notice['notice'], certificate: CertificateRow | undefined): Notice | undefined {
  if (!certificate || statusOf(certificate) !== 'valid') return undefined;
  return { notice, certificate, at: certificate.expiresAt };
}

function isOwnDoing({ caller }: LearningEvent, { source, userId }: EnrollmentRow): boolean {
  return source === 'self' || (userId !== null && userId === (caller.onBehalfOf ?? caller.userId));
}

async function readById<Row extends { id: number }>(
  ids: readonly number[],
  read: (id: { in: number[] }) => PromiseLike<Row[]>,
): Promise<Map<number, Row>> {
  const rows = ids.length ? await read({ in: [...new Set(ids)] }) : [];
  return new Map(rows.map((row) => [row.id, row]));
}
