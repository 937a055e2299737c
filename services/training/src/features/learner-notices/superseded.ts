import type { Certificate as CertificateRow, Enrollment as EnrollmentRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { withStatus } from '../certificates/certificate.ts';

/** The ids of certificates whose learner has another valid one of the same course, which ends later or never. */
export async function findRenewed(tx: Tx, certificates: readonly CertificateRow[]): Promise<Set<number>> {
  if (!certificates.length) return new Set();
  const where = { ...withStatus('valid'), ...ofSameLearners(certificates) };
  const valid = Map.groupBy(await tx.certificate.findMany({ where }), keyOf);
  const renewed = certificates.filter((one) => valid.get(keyOf(one))?.some((other) => endsLater(other, one)));
  return new Set(renewed.map(({ id }) => id));
}

/** The ids of enrolments after which the learner took, or takes, the same course again. */
export async function findRetaken(tx: Tx, enrollments: readonly EnrollmentRow[]): Promise<Set<number>> {
  if (!enrollments.length) return new Set();
  const all = Map.groupBy(await tx.enrollment.findMany({ where: ofSameLearners(enrollments) }), keyOf);
  const retaken = enrollments.filter((one) => all.get(keyOf(one))?.some((other) => other.attemptNo > one.attemptNo));
  return new Set(retaken.map(({ id }) => id));
}

function endsLater({ expiresAt }: CertificateRow, than: CertificateRow): boolean {
  return than.expiresAt !== null && (expiresAt === null || expiresAt > than.expiresAt);
}

interface Learning {
  courseId: number;
  learnerType: string;
  learnerId: number;
}

/** The condition of rows whose learner and course occur in others; `keyOf` selects those in which they occur together. */
function ofSameLearners(rows: readonly Learning[]) {
  return {
    learnerType: { in: rows.map((one) => one.learnerType) },
    learnerId: { in: rows.map((one) => one.learnerId) },
    courseId: { in: rows.map((one) => one.courseId) },
  };
}

const keyOf = ({ courseId, learnerType, learnerId }: Learning) => `${courseId} ${learnerType} ${learnerId}`;
