import { aCourse, anEnrollment } from '../../learning.test-service.ts';
import { type Service, startTraining } from '../../training.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startTraining();
});
afterAll(() => service?.close());

it('overdue learners of a course and of all courses are listed by due date, page by page', async () => {
  const { api, id: courseId, lessons } = await aCourse(service);
  const other = await aCourse(service, { api });
  const dueIn = async (course: string, userId: number, dueAt: string | null) => {
    const { id, own } = await anEnrollment(service, api, course, userId);
    await service.sqlWithin(api.caller, 'UPDATE enrollment SET due_at = $2 WHERE id = $1', [id, dueAt]);
    return { id, own };
  };
  const second = await dueIn(courseId, 7, '2020-03-01T00:00:00.000Z');
  const first = await dueIn(courseId, 8, '2020-02-01T00:00:00.000Z');
  const done = await dueIn(courseId, 9, '2020-01-01T00:00:00.000Z');
  await done.own.completeLesson({ params: { id: done.id, lessonId: lessons[0] } });
  const early = await dueIn(courseId, 10, '2100-01-01T00:00:00.000Z');
  const undated = await dueIn(courseId, 11, null);
  const elsewhere = await dueIn(other.id, 7, '2020-02-15T00:00:00.000Z');
  const pages = async (query: Record<string, string>) => {
    const found: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { data, body } = await api.listEnrollments({ query: { ...query, limit: '1', ...(cursor && { cursor }) } });
      found.push(...data.map(({ id }: { id: string }) => id));
      cursor = body.pagination?.nextCursor ?? null;
    }
    return found;
  };
  expect(await pages({ overdue: 'true', sort: 'dueAt' })).toEqual([first.id, elsewhere.id, second.id]);
  expect(await pages({ overdue: 'true', sort: '-dueAt', courseId })).toEqual([second.id, first.id]);
  expect(await pages({ overdue: 'false', sort: 'dueAt' })).toEqual([done.id, early.id, undated.id]);
  const { data } = await api.getCourseStatistics({ params: { id: courseId }, query: {} });
  expect(data.overdue).toBe(2);
});
