import { id, type Person, type StoredSection, timestamp } from '@tandem/contract';
import { exportSection } from '@tandem/service';
import {
  Certificate,
  Enrollment,
  LessonAttempt,
  LessonProgress,
  ScormRuntime,
  skipReasons,
} from '@tandem/training-contract';
import { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { asAttempt } from '../attempts/attempt.ts';
import { asCertificate } from '../certificates/certificate.ts';
import { asEnrollment } from '../enrollments/enrollment.ts';

const CourseTitle = z.string();
const EnrollmentRecord = Enrollment.extend({ courseTitle: CourseTitle });
const ProgressRecord = LessonProgress.omit({ enrollment: true });
const AttemptRecord = LessonAttempt.omit({ results: true });
const PackageRecord = z.object({
  enrollmentId: id('enrollment'),
  lessonId: id('lesson'),
  attemptId: id('attempt'),
  runtime: ScormRuntime.nullable(),
  updatedAt: timestamp(),
});
const OutcomeRecord = z.object({
  ruleId: id('enrollment_rule'),
  /** null if the person was enrolled. */
  skipReason: z.enum(skipReasons).nullable(),
  decidedAt: timestamp(),
});
const progressColumns = ProgressRecord.pick({ status: true });

/** The records of training about a person, newest first. xAPI statements are derived from it. */
export async function readTrainingData(
  tools: Pick<Tools, 'publicUrl'>,
  tx: Tx,
  { leadIds }: Person,
): Promise<StoredSection[]> {
  const where = { learnerType: 'lead', learnerId: { in: leadIds } };
  const ofThem = { enrollment: where };
  const newest = { orderBy: { id: 'desc' } } as const;
  const newestEnrollment = { orderBy: [{ enrollmentId: 'desc' as const }, { lessonId: 'asc' as const }] };
  const rules = await tx.enrollmentRule.findMany({ where: { learnerType: 'lead' }, select: { id: true } });
  const outcomes = { learnerId: { in: leadIds }, ruleId: { in: rules.map((rule) => rule.id) } };
  return [
    await exportSection('enrollments', EnrollmentRecord, {
      count: () => tx.enrollment.count({ where }),
      find: async (take) =>
        (
          await tx.enrollment.findMany({ where, ...newest, take, include: { course: { select: { title: true } } } })
        ).map(({ course, ...row }) => ({ ...asEnrollment(row), courseTitle: course.title })),
    }),
    await exportSection('lessonProgress', ProgressRecord, {
      count: () => tx.lessonProgress.count({ where: ofThem }),
      find: async (take) =>
        (await tx.lessonProgress.findMany({ where: ofThem, ...newestEnrollment, take })).map((row) => ({
          ...row,
          ...progressColumns.parse(row),
        })),
    }),
    await exportSection('lessonAttempts', AttemptRecord, {
      count: () => tx.attempt.count({ where: ofThem }),
      find: async (take) =>
        (await tx.attempt.findMany({ where: ofThem, ...newest, take })).map((row) => asAttempt(row, false)),
    }),
    await exportSection('packageData', PackageRecord, {
      count: () => tx.scormState.count({ where: ofThem }),
      find: async (take) =>
        (await tx.scormState.findMany({ where: ofThem, ...newestEnrollment, take })).map((row) => ({
          ...row,
          runtime: ScormRuntime.nullable().parse(row.runtime),
        })),
    }),
    await exportSection('certificates', Certificate, {
      count: () => tx.certificate.count({ where }),
      find: async (take) =>
        (await tx.certificate.findMany({ where, ...newest, take })).map((row) => asCertificate(row, tools)),
    }),
    await exportSection('enrollmentRuleOutcomes', OutcomeRecord, {
      count: () => tx.ruleOutcome.count({ where: outcomes }),
      find: async (take) => {
        const rows = await tx.ruleOutcome.findMany({ where: outcomes, orderBy: { decidedAt: 'desc' }, take });
        return rows.map((row) => ({ ...row, ...OutcomeRecord.pick({ skipReason: true }).parse(row) }));
      },
    }),
  ];
}
