import type { JsonObject } from '@tandem/service';
import { certificateIssued, certificateTimes } from '@tandem/training-contract';
import type {
  Certificate as CertificateRow,
  Course as CourseRow,
  Enrollment as EnrollmentRow,
} from '../../generated/client.ts';
import type { Inside } from '../enrollments/enrollment.ts';
import { dataOf, hashCode, makeCode } from './certificate.ts';
import { certificateTimeJob } from './certificate-time.ts';
import { nameLearnerJob } from './name-learner.ts';

const dayMs = 86_400_000;

/** Issues the certificate of a completion, in its transaction. The name of the learner follows by a job. */
export async function issueCertificate(
  { tx, emit, schedule }: Inside,
  enrollment: EnrollmentRow,
  course: CourseRow,
): Promise<CertificateRow> {
  const code = makeCode();
  const issuedAt = enrollment.completedAt ?? new Date();
  const expiresAt = course.validDays === null ? null : new Date(issuedAt.getTime() + course.validDays * dayMs);
  const row = await tx.certificate.create({
    data: {
      code,
      enrollmentId: enrollment.id,
      courseId: course.id,
      learnerType: enrollment.learnerType,
      learnerId: enrollment.learnerId,
      userId: enrollment.userId,
      learnerName: '',
      courseTitle: course.title,
      texts: course.certificate as unknown as JsonObject,
      score: enrollment.score,
      issuedAt,
      expiresAt,
    },
  });
  await tx.sql`INSERT INTO certificate_lookup (code_hash, owner_tenant_id, owner_environment, certificate_id)
    VALUES (${hashCode(code)}, platform.tenant_id(), platform.environment(), ${row.id})`;
  await schedule(nameLearnerJob, [{ certificateId: row.id }]);
  if (expiresAt) {
    const payload = { certificateId: row.id, expiresAt };
    const noticeAt = new Date(expiresAt.getTime() - certificateTimes.noticeDays * dayMs);
    if (noticeAt > issuedAt) await schedule(certificateTimeJob, [{ ...payload, kind: 'expiring' as const }], noticeAt);
    await schedule(certificateTimeJob, [{ ...payload, kind: 'expired' as const }], expiresAt);
  }
  emit(certificateIssued, { data: dataOf(row), record: { id: row.id } });
  return row;
}
