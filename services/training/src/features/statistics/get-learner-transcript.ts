import { fail } from '@tandem/service';
import { type statistics, transcriptMax } from '@tandem/training-contract';
import type { Handler, Tools } from '../../handler.ts';
import { asCertificate } from '../certificates/certificate.ts';
import { asEnrollment } from '../enrollments/enrollment.ts';
import { learnerOf } from '../enrollments/learners.ts';
import { round } from '../progress/standing.ts';

export const getLearnerTranscript =
  (tools: Pick<Tools, 'publicUrl'>): Handler<typeof statistics.getLearnerTranscript> =>
  async ({ params, tx }) => {
    const { type: learnerType, id } = learnerOf(params.id);
    const where = { learnerType, learnerId: id };
    const rows = await tx.enrollment.findMany({ where, orderBy: { createdAt: 'desc' }, take: transcriptMax });
    // A learner without enrolments that the caller can read is not known here.
    if (!rows.length) throw fail('not_found');
    // Of every enrolment, also those that are not listed.
    const all = await tx.enrollment.aggregate({ where, _count: true, _sum: { secondsSpent: true } });
    const completed = await tx.enrollment.aggregate({
      where: { ...where, status: 'completed' },
      _count: true,
      _avg: { score: true },
    });
    const { score } = completed._avg;
    const certificateIds = rows.flatMap(({ certificateId }) => certificateId ?? []);
    const [courses, certificates] = await Promise.all([
      tx.course.findMany({
        where: { id: { in: [...new Set(rows.map(({ courseId }) => courseId))] } },
        select: { id: true, title: true },
      }),
      tx.certificate.findMany({ where: { id: { in: certificateIds } } }),
    ]);
    const titles = new Map(courses.map((course) => [course.id, course.title]));
    const byId = new Map(certificates.map((one) => [one.id, asCertificate(one, tools)]));
    return {
      learnerType,
      learnerId: params.id,
      total: all._count,
      completed: completed._count,
      averageScore: score === null ? null : round(score),
      secondsSpent: all._sum.secondsSpent ?? 0,
      courses: rows.map((row) => ({
        ...asEnrollment(row),
        enrollmentId: row.id,
        courseTitle: titles.get(row.courseId) ?? '',
        certificate: row.certificateId === null ? null : (byId.get(row.certificateId) ?? null),
      })),
    };
  };
