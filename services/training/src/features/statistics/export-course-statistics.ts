import type { ResourceType } from '@tandem/contract';
import { type Cell, failField, toCsv } from '@tandem/service';
import { LearnerType, reportLimits, type statisticsReports } from '@tandem/training-contract';
import type { Enrollment as EnrollmentRow } from '../../generated/client.ts';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { asEnrollment } from '../enrollments/enrollment.ts';
import { type LearnerSelection, readCourseStatistics } from './get-course-statistics.ts';
import { dayOf } from './spans.ts';

type Encode = (type: ResourceType, id: number) => string;

const learnersPerPage = 5_000;

export const exportCourseStatistics =
  ({ ids }: Pick<Tools, 'ids'>): Handler<typeof statisticsReports.exportCourseStatistics> =>
  async ({ params, query, caller, tx }) => {
    const encode: Encode = (type, id) => ids.encode(type, caller.tenantId as number, id);
    const statistics = await readCourseStatistics({ tx, caller }, params.id, query);
    const lines = {
      lessons: () => lessonLines(statistics, encode),
      questions: () => questionLines(statistics, encode),
      learners: () => learnerLines(tx, params.id, { query, encode }),
    };
    return {
      body: toCsv(await lines[query.part]()),
      type: 'text/csv; charset=utf-8',
      disposition: { kind: 'attachment', filename: `course-${query.part}.csv` },
    };
  };

type Statistics = Awaited<ReturnType<typeof readCourseStatistics>>;

const lessonColumns = [
  'lessonId',
  'title',
  'type',
  'started',
  'completed',
  'dropOffRate',
  'attempts',
  'failRate',
  'averageSeconds',
] as const;

function lessonLines({ lessons }: Statistics, encode: Encode): Cell[][] {
  return [
    [...lessonColumns],
    ...lessons.map((one) =>
      lessonColumns.map((column) => (column === 'lessonId' ? encode('lesson', one.lessonId) : one[column])),
    ),
  ];
}

const questionColumns = ['questionId', 'lessonId', 'lessonTitle', 'answered', 'correctRate', 'option', 'chosen'];

/** One line for a question, and one more for each of its options. */
function questionLines({ lessons }: Statistics, encode: Encode): Cell[][] {
  const lines = lessons.flatMap(({ lessonId, title, questions }) =>
    questions.flatMap(({ questionId, answered, correctRate, options }) => {
      const about = [encode('question', questionId), encode('lesson', lessonId), title, answered, correctRate];
      return [[...about, null, null], ...options.map(({ key, count }) => [...about, key, count])];
    }),
  );
  return [questionColumns, ...lines];
}

const learnerColumns = [
  'enrollmentId',
  'learnerType',
  'learnerId',
  'status',
  'overdue',
  'percent',
  'score',
  'secondsSpent',
  'attemptNo',
  'enrolledAt',
  'startedAt',
  'completedAt',
  'dueAt',
  'expiresAt',
  'lastActivityAt',
] as const;

async function learnerLines(
  tx: Tx,
  courseId: number,
  { query, encode }: { query: LearnerSelection; encode: Encode },
): Promise<Cell[][]> {
  const lines: Cell[][] = [[...learnerColumns]];
  for (let last: EnrollmentRow | undefined; ; ) {
    const rows = await readLearners(tx, courseId, query, last);
    if (lines.length - 1 + rows.length > reportLimits.learners)
      throw failField('part', `More than ${reportLimits.learners} enrolments; limit them by from, to or learnerType`);
    lines.push(...rows.map((row) => learnerLine(row, encode)));
    if (rows.length < learnersPerPage) return lines;
    last = rows.at(-1);
  }
}

/** The page of enrolments after one, the oldest first. Days are those of the statistics. */
function readLearners(
  tx: Tx,
  courseId: number,
  { from, to, learnerType }: LearnerSelection,
  last: EnrollmentRow | undefined,
): Promise<EnrollmentRow[]> {
  const dayMs = 86_400_000;
  const enrolledAt = {
    ...(from && { gte: new Date(dayOf(from)) }),
    ...(to && { lt: new Date(new Date(dayOf(to)).getTime() + dayMs) }),
  };
  return tx.enrollment.findMany({
    where: {
      courseId,
      ...((from || to) && { enrolledAt }),
      ...(learnerType && { learnerType }),
      // The first condition makes the index skip earlier pages.
      ...(last && {
        createdAt: { gte: last.createdAt },
        OR: [{ createdAt: { gt: last.createdAt } }, { id: { gt: last.id } }],
      }),
    },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    take: learnersPerPage,
  });
}

function learnerLine(row: EnrollmentRow, encode: Encode): Cell[] {
  const enrollment = asEnrollment(row);
  const shown = {
    ...enrollment,
    enrollmentId: encode('enrollment', row.id),
    learnerId: encode(LearnerType.parse(row.learnerType), row.learnerId),
  };
  return learnerColumns.map((column) => cellOf(shown[column]));
}

function cellOf(value: string | number | boolean | Date | null): Cell {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'boolean' ? String(value) : value;
}
